import { clamp, estimated } from "#lib/compaction/estimate.ts";
import { type Estimate, exactly } from "#lib/compaction/measurement.ts";

/**
 * Bytes of a log, as the cleaner parts them. `after` an offset means up to the log end.
 *
 * LogToClean and LogCleanerManager.cleanableOffsets:
 * https://github.com/apache/kafka/blob/4.0.0/storage/src/main/java/org/apache/kafka/storage/internals/log/LogToClean.java
 */
export interface LogBytes {
  /** Of the replica. */
  total: number;
  /** From the clean point on. */
  afterCleanPoint: Estimate;
  /** From the first uncleanable offset on: the active segment, and what a transaction or the compaction lag holds back. */
  afterUncleanable: Estimate;
  /**
   * Bytes that may lie in the segment of the clean point but before it: where that is inside a segment (log start moved
   * by DeleteRecords, offset map full) Kafka counts the whole segment as clean and as cleanable.
   */
  segmentBeforeCleanPoint: Estimate;
  segmentAfterCleanPoint: Estimate;
  /** The first uncleanable offset is at or below the clean point: whatever the bytes are, none can be cleaned. */
  isAllHeld: boolean;
}

export interface CleanerRatio {
  dirtyRatio: Estimate;
  cleanBytes: Estimate;
  cleanableBytes: Estimate;
}

/** Up to this width the middle of the interval stands for a ratio; a wider one is bounds only. */
const VALUE_WIDTH_MAX = 0.04;

/** A ratio of known parts is still a value while its bounds are no wider than this. */
const KNOWN_WIDTH_MAX = 0.25;

/** cleanable / (clean + cleanable), 0 where there is neither. */
export function cleanerRatio(bytes: LogBytes): CleanerRatio {
  if (bytes.isAllHeld) return nothingCleanable(bytes);
  const { total, afterCleanPoint: after, afterUncleanable: held, segmentBeforeCleanPoint: before } = bytes;
  const hasSplitSegment = before.high > 0;
  const extra = (pick: "low" | "high"): number => (hasSplitSegment ? before[pick] : 0);
  const cleanable = interval(
    after.low - held.high + extra("low"),
    after.high - held.low + extra("high"),
    after.value === null || held.value === null ? null : after.value - held.value + (before.value ?? 0),
    total,
    after.exact && held.exact && before.exact,
  );
  const splitLow = before.low > 0 ? bytes.segmentAfterCleanPoint.low : 0;
  const splitHigh = hasSplitSegment ? bytes.segmentAfterCleanPoint.high : 0;
  const isNothingCleanable = cleanable.high === 0;
  const clean = interval(
    total - after.high + (isNothingCleanable ? 0 : splitLow),
    total - after.low + (isNothingCleanable ? 0 : splitHigh),
    after.value === null
      ? null
      : total - after.value + (isNothingCleanable ? 0 : (bytes.segmentAfterCleanPoint.value ?? 0)),
    total,
    after.exact && before.exact,
  );
  return { dirtyRatio: ratioOf(clean, cleanable), cleanBytes: clean, cleanableBytes: cleanable };
}

function nothingCleanable({ total, afterCleanPoint }: LogBytes): CleanerRatio {
  const clean = estimated(
    afterCleanPoint.value === null ? null : total - afterCleanPoint.value,
    Math.max(0, total - afterCleanPoint.high),
    Math.max(0, total - afterCleanPoint.low),
  );
  return { dirtyRatio: exactly(0), cleanBytes: clean, cleanableBytes: exactly(0) };
}

function ratioOf(clean: Estimate, cleanable: Estimate): Estimate {
  const ratio = (part: number, rest: number): number => (part + rest === 0 ? 0 : part / (part + rest));
  if (clean.exact && cleanable.exact) return exactly(ratio(cleanable.value!, clean.value!));
  const low = ratio(cleanable.low, clean.high);
  const high = ratio(cleanable.high, clean.low);
  const known = cleanable.value !== null && clean.value !== null ? ratio(cleanable.value, clean.value) : null;
  const isNarrow = high - low <= (known === null ? VALUE_WIDTH_MAX : KNOWN_WIDTH_MAX);
  const value = isNarrow ? (known ?? (low + high) / 2) : null;
  return estimated(value, low, high);
}

function interval(low: number, high: number, value: number | null, total: number, exact: boolean): Estimate {
  const bounded = estimated(value, clamp(low, 0, total), clamp(high, 0, total));
  return exact && bounded.value !== null ? exactly(bounded.value) : bounded;
}
