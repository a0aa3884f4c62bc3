/** Figures of a scanned partition from its counters and its keys; pure. */
import { addEstimates } from "#lib/compaction/estimate.ts";
import { estimateCount, estimateSum, type KeyCounts, shareOf, subtractFrom } from "#lib/compaction/keys/key-counts.ts";
import { type Estimate, exactly, type OffsetInterval, type PartitionMeasurement } from "#lib/compaction/measurement.ts";
import type { TallyState } from "#lib/compaction/scan/partition-tally.ts";

export type ScanFigures = Pick<
  PartitionMeasurement,
  | "retainedRecords"
  | "distinctKeys"
  | "liveKeys"
  | "tombstones"
  | "nullKeyRecords"
  | "supersededRecords"
  | "heldRecords"
  | "removableShare"
>;

/**
 * @param bytes size of the leader's replica, of which the removable share is told; null where it is not known
 * @param moved the log was cleaned while it was read
 * @param isWhole the log was read in one go, and nothing went away meanwhile
 */
export function scanFigures(
  counts: TallyState,
  keys: KeyCounts,
  bytes: number | null,
  { moved, isWhole }: { moved: boolean; isWhole: boolean },
): ScanFigures {
  const keyed = counts.retainedRecords - counts.nullKeyRecords;
  const distinct = estimateCount(keys.kept, keys.sampledShare, keyed);
  const live = estimateCount(keys.live, keys.sampledShare, distinct.high);
  const superseded = subtractFrom(keyed, distinct);
  const lastBytes = estimateSum(keys.lastBytes, keys.lastBytesSquared, keys.sampledShare, counts.keyedBytes);
  const expired = estimateSum(keys.expiredBytes, keys.expiredBytesSquared, keys.sampledShare, counts.keyedBytes);
  const removable = addEstimates(subtractFrom(counts.keyedBytes, lastBytes), expired);
  const settle = (estimate: Estimate, lowAfterCleaning: number): Estimate => {
    if (!moved) return isWhole ? estimate : { ...estimate, exact: false };
    return { ...estimate, low: Math.min(estimate.low, lowAfterCleaning), exact: false };
  };
  return {
    retainedRecords: settle(exactly(counts.retainedRecords), live.low),
    distinctKeys: settle(distinct, live.low),
    liveKeys: settle(live, live.low),
    tombstones: settle(exactly(counts.tombstones), 0),
    nullKeyRecords: settle(exactly(counts.nullKeyRecords), 0),
    supersededRecords: settle(superseded, 0),
    heldRecords: counts.heldRecords,
    removableShare: bytes === null ? null : settle(shareOf(removable, bytes), 0),
  };
}

/** Where both lie; null where they exclude each other. */
export function intersect(a: OffsetInterval | null, b: OffsetInterval | null): OffsetInterval | null {
  if (a === null || b === null) return a ?? b;
  const low = Math.max(a.low, b.low);
  const high = Math.min(a.high, b.high);
  return low <= high ? { low, high } : null;
}

/**
 * The clean point from what was known before, what the walk proved, and what was known after. null: they exclude each
 * other, so that the cleaner moved meanwhile.
 */
export function narrowCleanPoint(
  before: OffsetInterval | null,
  walk: OffsetInterval,
  after: OffsetInterval | null,
): OffsetInterval | null {
  if (walk.low > walk.high) return null;
  if (before !== null && after !== null && intersect(before, after) === null) return null;
  const known = intersect(before, after);
  return known === null ? walk : intersect(known, walk);
}
