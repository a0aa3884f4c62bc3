/**
 * What record batches prove about the clean point (Kafka's first dirty offset), each a proof and no heuristic:
 *
 * Lower (clean point >= v), since only cleaning leaves holes:
 * - an offset is missing before a batch: v = base offset of the batch
 * - a record is missing inside a batch: v = the offset after the last missing one
 * - a batch without records is retained: v = its last offset + 1
 * - a delete horizon was stamped: v = base offset + 1 (with a full offset map the clean point can lie inside the batch)
 *
 * Upper (clean point <= v), since cleaning leaves one record a key and none without a key:
 * - a key is retained at two offsets: v = the second one
 * - a record has no key: v = its offset
 *
 * Control batches are neither holes nor keys. Silence is no evidence. Records of aborted transactions count: the cleaner
 * removes them, so that a second offset of a key proves the same whether or not it was committed.
 *
 * Cleaner.cleanInto and checkBatchRetention decide what stays:
 * https://github.com/apache/kafka/blob/4.0.0/storage/src/main/java/org/apache/kafka/storage/internals/log/Cleaner.java
 *
 * This class holds the bounds and finds the holes; whoever knows the keys says where one is repeated (`limit`).
 */
import type { RecordBatch } from "#lib/brokers/replica-log-port.ts";

export interface BatchEvidenceState {
  low: number;
  high: number;
  expected: number;
}

export class BatchEvidence {
  /** The clean point is at least this. */
  low: number;
  /** The clean point is at most this. */
  high: number;
  /** No key has been seen at two offsets yet, and no record without a key. */
  isHighOpen = true;
  #expected: number;
  #isBatchOpen = false;
  #nextInBatch = 0;
  #lastOfBatch = 0;

  /** @param end last stable offset: the cleaner does not pass it */
  constructor(logStart: number, end: number) {
    this.low = logStart;
    this.high = end;
    this.#expected = logStart;
  }

  /** What follows begins at `offset`: nothing between it and the next batch means a hole. */
  beginAt(offset: number): void {
    this.#expected = offset;
    this.#isBatchOpen = false;
  }

  addBatch(batch: RecordBatch): void {
    this.endBatch();
    if (batch.baseOffset > this.#expected) this.#raise(batch.baseOffset);
    this.#expected = batch.lastOffset + 1;
    if (batch.hasDeleteHorizon) this.#raise(batch.baseOffset + 1);
    if (batch.isControl) return;
    if (batch.recordCount === 0) {
      this.#raise(batch.lastOffset + 1);
      return;
    }
    // Formats before v2 keep no last offset of their own: a hole inside such a batch is not told from its end.
    this.#isBatchOpen = batch.magic === 2;
    this.#nextInBatch = batch.baseOffset;
    this.#lastOfBatch = batch.lastOffset;
  }

  addOffset(offset: number): void {
    if (!this.#isBatchOpen) return;
    if (offset > this.#nextInBatch) this.#raise(offset);
    this.#nextInBatch = offset + 1;
  }

  /** A key that an earlier offset has too, or a record without a key. */
  limit(offset: number): void {
    this.isHighOpen = false;
    if (offset < this.high) this.high = offset;
  }

  endBatch(): void {
    if (this.#isBatchOpen && this.#nextInBatch <= this.#lastOfBatch) this.#raise(this.#lastOfBatch + 1);
    this.#isBatchOpen = false;
  }

  abandonBatch(): void {
    this.#isBatchOpen = false;
  }

  /** Valid between two batches. */
  state(): BatchEvidenceState {
    return { low: this.low, high: this.high, expected: this.#expected };
  }

  restore(state: BatchEvidenceState): void {
    this.low = state.low;
    this.high = state.high;
    this.#expected = state.expected;
  }

  #raise(offset: number): void {
    if (offset > this.low) this.low = offset;
  }
}
