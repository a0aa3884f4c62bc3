/**
 * What a whole log, read in the order of its offsets, proves about the clean point. The rules are those of
 * `evidence.ts`, for windows; here the first repeated key is the lowest there is, so that nothing is remembered beyond
 * it, and whoever counts the keys says whether one was seen before.
 */
import type { RecordBatch } from "#lib/brokers/replica-log-port.ts";

export interface WalkEvidenceState {
  low: number;
  high: number;
  expected: number;
}

export class WalkEvidence {
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
  state(): WalkEvidenceState {
    return { low: this.low, high: this.high, expected: this.#expected };
  }

  restore(state: WalkEvidenceState): void {
    this.low = state.low;
    this.high = state.high;
    this.#expected = state.expected;
  }

  #raise(offset: number): void {
    if (offset > this.low) this.low = offset;
  }
}
