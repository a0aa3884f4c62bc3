import type { FetchAnswer } from "#lib/brokers/replica-log-port.ts";

/**
 * Whether an answer ended because its segment ended.
 *
 * The broker reads one segment per partition and answer, so an answer of whole batches that is shorter than what was
 * asked for ends at a segment's end, unless a limit of the broker cut it: request maximum, `fetch.max.bytes`, or ten
 * seconds of a byte quota. A cut normally leaves a partial last batch; it does not where batches happen to end at the
 * limit, or where one batch alone is larger than the limit and is sent whole.
 *
 * Proof without knowing the limit: the longest record set seen under the same ask in an answer that held more than its
 * first batch can't exceed the limit; whatever is shorter was not cut.
 *
 * - `boundary`: proved
 * - `confirm`: fetch once more from the base of the last batch; it is a segment's end if that answer ends there too
 * - `none`: the answer proves nothing
 */
export type EndOfAnswer = "boundary" | "confirm" | "none";

export class AnswerCap {
  /** Limit of the broker in bytes as configured; null where it is not known. */
  readonly #configured: number | null;
  readonly #longest = new Map<number, number>();

  constructor(configured: number | null) {
    this.#configured = configured;
  }

  /** The limit is known to be at least `bytes`. */
  allows(bytes: number): boolean {
    return this.#configured !== null && this.#configured >= bytes;
  }

  judge(ask: number, answer: FetchAnswer): EndOfAnswer {
    if (answer.wasThrottled) this.#longest.clear(); // limits can be altered at run time
    const holdsMoreThanFirst = answer.batchCount >= 2 || (answer.batchCount === 1 && answer.endsInPartialBatch);
    const longest = this.#longest.get(ask) ?? 0;
    if (holdsMoreThanFirst && answer.recordSetBytes > longest) this.#longest.set(ask, answer.recordSetBytes);

    const isWhole = answer.batchCount > 0 && !answer.endsInPartialBatch;
    if (!isWhole || answer.nextOffset >= answer.highWatermark || answer.recordSetBytes >= ask) return "none";
    if (this.allows(ask) && !answer.wasThrottled) return "boundary";
    if (answer.recordSetBytes < longest) return "boundary";
    return answer.batchCount >= 2 ? "confirm" : "none";
  }
}
