/** One partition: what was measured, and what is true. */
import type { Estimate, PartitionMeasurement } from "#lib/compaction/measurement.ts";
import type { BatchSizes } from "../../support/batch-sizes.ts";
import type { ShapeExpectations } from "../../support/topic-shapes.ts";
import type { LogTruth, ReadCommittedCounts } from "../../support/truth.ts";

export const COUNT_NAMES = [
  "retainedRecords",
  "distinctKeys",
  "liveKeys",
  "tombstones",
  "nullKeyRecords",
  "supersededRecords",
] as const;
export type CountName = (typeof COUNT_NAMES)[number];
export type Counts = Record<CountName, number>;

export interface TruthCase extends BatchSizes {
  /** `topic-partition`, for failures. */
  name: string;
  expect: ShapeExpectations;
  /** Truth before measuring. */
  old: LogTruth;
  /** Truth after measuring, once the checkpoint was still. */
  now: LogTruth;
  /** What a read_committed reader gets before and after measuring. */
  counts: { old: Counts; now: Counts };
  /** Records at or after the last stable offset; null where it is not known what they are. */
  heldRecords: number | null;
  probe: PartitionMeasurement;
  scan: PartitionMeasurement;
}

export type Mode = "probe" | "scan";

export const countsOf = (truth: LogTruth | ReadCommittedCounts): Counts => ({
  retainedRecords: truth.retained_records,
  distinctKeys: truth.distinct_keys,
  liveKeys: truth.live_keys,
  tombstones: truth.tombstones,
  nullKeyRecords: truth.null_key_records,
  supersededRecords: truth.superseded_records,
});

/** The cleaner may have moved it while it was measured: all that lies between is right. */
export const cleanPointRange = ({ old, now }: TruthCase): { low: number; high: number } => ({
  low: Math.min(old.first_dirty_offset, now.first_dirty_offset),
  high: Math.max(old.first_dirty_offset, now.first_dirty_offset),
});

/** Room for a floating point division, far below what any criterion looks at. */
const ROUNDING = 1e-9;

export const holds = (estimate: Estimate, truths: readonly number[]): boolean =>
  truths.some((truth) => estimate.low <= truth + ROUNDING && truth <= estimate.high + ROUNDING);

export const equals = (estimate: Estimate, truths: readonly number[]): boolean =>
  estimate.value !== null && truths.some((truth) => Math.abs(estimate.value! - truth) <= ROUNDING);
