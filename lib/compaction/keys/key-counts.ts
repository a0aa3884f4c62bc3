/** What a table of sampled keys says about all keys: counts by a threshold on the hash, scaled, with intervals. */
import { type Estimate, exactly } from "#lib/compaction/measurement.ts";

/** Sums over the keys whose hash lies below a threshold. */
export interface KeyCounts {
  /** Keys kept. */
  kept: number;
  /** Of them, those whose last record is no tombstone. */
  live: number;
  /** Of them, those that were seen in more than one partition. */
  inSeveralPartitions: number;
  /** Bytes of the last record of each key kept, and the sum of their squares. */
  lastBytes: number;
  lastBytesSquared: number;
  /** The same, of last records that are tombstones past their delete horizon. */
  expiredBytes: number;
  expiredBytesSquared: number;
  /** Share of all hashes that lie below the threshold; 1 where no key was left out. */
  sampledShare: number;
}

/** Two standard deviations: about 95 %. */
const DEVIATIONS = 2;

/**
 * How many keys there are, of which `kept` fell below the threshold: the score interval of a binomial count, which is
 * honest at 0 too. The bounds `atMost` and `kept` itself are certain, whatever was sampled.
 */
export function estimateCount(kept: number, sampledShare: number, atMost = Number.POSITIVE_INFINITY): Estimate {
  if (sampledShare >= 1) return exactly(kept);
  const unseen = 1 - sampledShare;
  const centre = kept + (DEVIATIONS * DEVIATIONS * unseen) / 2;
  const reach = DEVIATIONS * Math.sqrt((kept + (DEVIATIONS * DEVIATIONS) / 4) * unseen);
  const clamp = (value: number) => Math.round(Math.min(atMost, Math.max(kept, value)));
  return {
    value: clamp(kept / sampledShare),
    low: clamp((centre - reach) / sampledShare),
    high: clamp((centre + reach) / sampledShare),
    exact: false,
  };
}

/** The sum over all keys of a figure whose sum and sum of squares over the sampled keys are given (Horvitz-Thompson). */
export function estimateSum(sum: number, squares: number, sampledShare: number, atMost: number): Estimate {
  if (sampledShare >= 1) return exactly(sum);
  const reach = (DEVIATIONS * Math.sqrt(squares * (1 - sampledShare))) / sampledShare;
  const clamp = (value: number) => Math.min(atMost, Math.max(sum, value));
  const value = sum / sampledShare;
  return { value: clamp(value), low: clamp(value - reach), high: clamp(value + reach), exact: false };
}

/** `total - part`, where `total` is certain. */
export function subtractFrom(total: number, part: Estimate): Estimate {
  return {
    value: part.value === null ? null : Math.max(0, total - part.value),
    low: Math.max(0, total - part.high),
    high: Math.max(0, total - part.low),
    exact: part.exact,
  };
}

/** `part / whole` as an estimate between 0 and 1; 0 where the whole is 0. */
export function shareOf(part: Estimate, whole: number): Estimate {
  if (whole <= 0) return exactly(0);
  const clamp = (value: number) => Math.min(1, Math.max(0, value / whole));
  return {
    value: part.value === null ? null : clamp(part.value),
    low: clamp(part.low),
    high: clamp(part.high),
    exact: part.exact,
  };
}
