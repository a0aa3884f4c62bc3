import type { FetchAnswer } from "#lib/brokers/replica-log-port.ts";
import type { OffsetInterval } from "#lib/compaction/measurement.ts";
import type { AnswerCap } from "#lib/compaction/probe/answer-cap.ts";

/** A segment that a scan saw begin: its base, and the bytes of all batches before it. */
export interface SeenSegment {
  base: number;
  bytesBefore: number;
}

/** Segment boundaries as a whole walk of a log meets them: where its answers ended by proof. */
export class ScanSegments {
  readonly seen: SeenSegment[] = [];
  /** Ends of answers that may be boundaries and could not be proved. */
  readonly #unproven: number[] = [];
  readonly #cap: AnswerCap;
  #endedAt: number | null = null;

  constructor(cap: AnswerCap) {
    this.#cap = cap;
  }

  /**
   * @param bytes of all batches up to the end of this answer
   * @param end offset at which the walk ends: an answer that ends there says nothing
   */
  add(ask: number, answer: FetchAnswer, bytes: number, end: number): void {
    if (this.#endedAt !== null && answer.firstBaseOffset !== null) {
      this.seen.push({ base: answer.firstBaseOffset, bytesBefore: this.#endedAt });
    }
    this.#endedAt = null;
    const verdict = this.#cap.judge(ask, answer);
    if (answer.nextOffset >= end) return;
    const isWhole = answer.batchCount > 0 && !answer.endsInPartialBatch;
    if (verdict === "boundary") this.#endedAt = bytes;
    else if (isWhole) this.#unproven.push(answer.nextOffset);
  }

  /** All that was walked is gone: the walk begins again. */
  clear(): void {
    this.seen.length = 0;
    this.#unproven.length = 0;
    this.#endedAt = null;
  }

  isProvenWithin({ low, high }: OffsetInterval): boolean {
    return !this.#unproven.some((offset) => offset >= low - 1 && offset <= high);
  }

  /** Bytes of all batches before a base that was seen, or before the log start; null where it was not seen. */
  bytesBefore(base: number, logStart: number): number | null {
    if (base === logStart) return 0;
    return this.seen.find((segment) => segment.base === base)?.bytesBefore ?? null;
  }
}

/**
 * The bases that lie in a bracket of the clean point: it is one of them, unless the cleaner's offset map was full.
 * @param offsetMapCapacity keys that the map holds; null where it is not known
 */
export function narrowToBases(
  bracket: OffsetInterval,
  segments: ScanSegments,
  logStart: number,
  offsetMapCapacity: number | null,
): OffsetInterval {
  const canMapBeFull = offsetMapCapacity === null || bracket.high - logStart > offsetMapCapacity;
  if (bracket.low >= bracket.high || canMapBeFull || !segments.isProvenWithin(bracket)) return bracket;
  const bases = segments.seen.map(({ base }) => base).filter((base) => base >= bracket.low && base <= bracket.high);
  if (bracket.low === logStart) bases.push(logStart);
  return bases.length === 0 ? bracket : { low: Math.min(...bases), high: Math.max(...bases) };
}
