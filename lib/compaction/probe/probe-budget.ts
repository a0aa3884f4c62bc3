import type { LogTraffic } from "#lib/brokers/replica-log-port.ts";

/** A batch is sent whole even where it is larger than what was asked for; those above this size are allowed for. */
const LARGE_BATCH_BYTES = 128 * 1024;
const LARGE_BATCHES_ALLOWED = 6;

/** What probing one replica may cost. Bytes are those of answers that arrive. */
export class ProbeBudget {
  readonly #traffic: () => LogTraffic;
  readonly #fetchesMax: number;
  readonly #bytesMax: number;
  #largestBatchBytes = 0;

  constructor(traffic: () => LogTraffic, fetchesMax: number, bytesMax: number) {
    this.#traffic = traffic;
    this.#fetchesMax = fetchesMax;
    this.#bytesMax = bytesMax;
  }

  noteBatch(sizeInBytes: number): void {
    if (sizeInBytes > this.#largestBatchBytes) this.#largestBatchBytes = sizeInBytes;
  }

  /** A further answer of up to `ask` bytes (or one batch, where that is larger) stays within the budget. */
  allows(ask: number): boolean {
    return this.fetchesLeft() >= 1 && this.bytesLeft() >= Math.max(ask, this.#largestBatchBytes);
  }

  /** An answer of which no more than `bytes` are read, however large its batches are. */
  allowsPeek(bytes: number): boolean {
    return this.fetchesLeft() >= 1 && this.bytesLeft() >= bytes;
  }

  fetchesLeft(): number {
    return this.#fetchesMax - this.#traffic().fetches;
  }

  bytesLeft(): number {
    const large = this.#largestBatchBytes > LARGE_BATCH_BYTES ? LARGE_BATCHES_ALLOWED * this.#largestBatchBytes : 0;
    return this.#bytesMax + large - this.#traffic().fetchedBytes;
  }
}
