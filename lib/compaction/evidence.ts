import type { RecordBatch } from "#lib/brokers/replica-log-port.ts";

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
 * - a key is retained at two offsets, over all windows together: v = the second one
 * - a record has no key: v = its offset
 *
 * Control batches are neither holes nor keys. Silence is no evidence. Read with read_uncommitted: the cleaner removes
 * records of aborted transactions, so that a second offset of a key proves the same whether or not it was committed.
 *
 * Cleaner.cleanInto and checkBatchRetention decide what stays:
 * https://github.com/apache/kafka/blob/4.0.0/storage/src/main/java/org/apache/kafka/storage/internals/log/Cleaner.java
 */
export class Evidence {
  /** The clean point is at least this. */
  low: number;
  /** The clean point is at most this. */
  high: number;
  /** Something was proved by a batch or a record: this log is rewritten. */
  hasAny = false;
  readonly #lowestOffsets = new Map<number, number>();
  #expected = 0;
  #isBatchOpen = false;
  #nextInBatch = 0;
  #lastOfBatch = 0;

  /** @param end the last stable offset: the cleaner does not pass it */
  constructor(logStart: number, end: number) {
    this.low = logStart;
    this.high = end;
  }

  /** Begins an answer to a fetch from `offset`: nothing between it and the first batch means a hole. */
  beginAnswer(offset: number): void {
    this.#expected = offset;
    this.#isBatchOpen = false;
  }

  /** Returns true where the records of the batch are needed. */
  addBatch(batch: RecordBatch): boolean {
    this.#closeBatch();
    if (batch.baseOffset > this.#expected) this.#raise(batch.baseOffset);
    this.#expected = batch.lastOffset + 1;
    if (batch.hasDeleteHorizon) this.#raise(batch.baseOffset + 1);
    if (batch.isControl) return false;
    if (batch.recordCount === 0) {
      this.#raise(batch.lastOffset + 1);
      return false;
    }
    // Formats before v2 keep no last offset of their own: a hole inside such a batch is not told from its end.
    this.#isBatchOpen = batch.magic === 2;
    this.#nextInBatch = batch.baseOffset;
    this.#lastOfBatch = batch.lastOffset;
    return true;
  }

  /** @param keyHash 53 bits or fewer; null where the record has no key */
  addRecord(offset: number, keyHash: number | null): void {
    if (this.#isBatchOpen) {
      if (offset > this.#nextInBatch) this.#raise(offset);
      this.#nextInBatch = offset + 1;
    }
    if (keyHash === null) {
      this.#lower(offset);
      return;
    }
    const lowest = this.#lowestOffsets.get(keyHash);
    if (lowest === undefined) this.#lowestOffsets.set(keyHash, offset);
    else if (offset > lowest) this.#lower(offset);
    else if (offset < lowest) {
      this.#lowestOffsets.set(keyHash, offset);
      this.#lower(lowest);
    }
  }

  endAnswer(): void {
    this.#closeBatch();
  }

  /** The clean point is at most `offset`, for a reason that stands outside the batches (active segment). */
  limit(offset: number): void {
    if (offset < this.high) this.high = offset;
  }

  #lower(offset: number): void {
    this.hasAny = true;
    this.limit(offset);
  }

  #raise(offset: number): void {
    this.hasAny = true;
    if (offset > this.low) this.low = offset;
  }

  #closeBatch(): void {
    if (this.#isBatchOpen && this.#nextInBatch <= this.#lastOfBatch) this.#raise(this.#lastOfBatch + 1);
    this.#isBatchOpen = false;
  }
}
