/** The topic's line from those of its partitions: sums, shares weighted by bytes, keys of the merged sample. Pure. */
import { addEstimates } from "#lib/compaction/estimate.ts";
import { estimateCount, type KeyCounts } from "#lib/compaction/keys/key-counts.ts";
import {
  type Estimate,
  exactly,
  type MeasurementMode,
  type MeasurementWarning,
  type PartitionMeasurement,
  type TopicMeasurement,
} from "#lib/compaction/measurement.ts";

/** Keys of all partitions together, each counted once. */
export interface TopicKeys {
  distinctKeys: Estimate;
  liveKeys: Estimate;
  keysInSeveralPartitions: Estimate;
}

export function topicKeys(counts: KeyCounts, partitions: readonly PartitionMeasurement[]): TopicKeys {
  const keyed = partitions.reduce((sum, one) => sum + (one.retainedRecords?.high ?? 0), 0);
  const isExact = partitions.every((one) => one.distinctKeys?.exact ?? false);
  const settle = (estimate: Estimate): Estimate => (isExact ? estimate : { ...estimate, exact: false });
  const distinctKeys = settle(estimateCount(counts.kept, counts.sampledShare, keyed));
  return {
    distinctKeys,
    liveKeys: settle(estimateCount(counts.live, counts.sampledShare, distinctKeys.high)),
    keysInSeveralPartitions: settle(estimateCount(counts.inSeveralPartitions, counts.sampledShare, distinctKeys.high)),
  };
}

export interface FailedPartition {
  partition: number;
  message: string;
}

/**
 * @param keys null where the mode knows no keys
 * @param failed partitions that could not be measured: sums leave them out, are not exact, and say so
 */
export function mergeTopic(
  input: { topic: string; mode: MeasurementMode; measuredAt: number; durationMs: number },
  partitions: readonly PartitionMeasurement[],
  keys: TopicKeys | null,
  failed: readonly FailedPartition[] = [],
): TopicMeasurement {
  const sum = (pick: (one: PartitionMeasurement) => number | null) => sumOf(partitions.map(pick));
  const total = (pick: (one: PartitionMeasurement) => Estimate | null) =>
    withoutFailed(sumEstimates(partitions.map(pick)), failed);
  const share = (pick: (one: PartitionMeasurement) => Estimate | null) =>
    withoutFailed(weightByBytes(partitions, pick), failed);
  return {
    topic: input.topic,
    partition: null,
    mode: input.mode,
    offsetSpan: sum((one) => one.offsetSpan) ?? 0,
    bytes: sum((one) => one.bytes),
    retainedRecords: total((one) => one.retainedRecords),
    distinctKeys: withoutFailed(keys?.distinctKeys ?? null, failed),
    liveKeys: withoutFailed(keys?.liveKeys ?? null, failed),
    tombstones: total((one) => one.tombstones),
    nullKeyRecords: total((one) => one.nullKeyRecords),
    supersededRecords: total((one) => one.supersededRecords),
    heldRecords: sum((one) => one.heldRecords),
    dirtyRatio: share((one) => one.dirtyRatio),
    removableShare: share((one) => one.removableShare),
    keysInSeveralPartitions: withoutFailed(keys?.keysInSeveralPartitions ?? null, failed),
    worstPartition: findWorst(partitions),
    fetches: sum((one) => one.fetches) ?? 0,
    fetchedBytes: sum((one) => one.fetchedBytes) ?? 0,
    durationMs: input.durationMs,
    warnings: [...mergeWarnings(partitions), ...failed.map(failureWarning)],
    measuredAt: input.measuredAt,
  };
}

const failureWarning = ({ partition, message }: FailedPartition): MeasurementWarning => ({
  code: "partition-failed",
  message: `Partition ${partition} could not be measured, and sums leave it out: ${message}`,
});

/** null where one of them is not known: a sum without it would pass for the whole. */
function sumOf(values: (number | null)[]): number | null {
  let sum = 0;
  for (const value of values) {
    if (value === null) return null;
    sum += value;
  }
  return values.length === 0 ? null : sum;
}

function sumEstimates(values: (Estimate | null)[]): Estimate | null {
  let sum: Estimate | null = null;
  for (const value of values) {
    if (value === null) return null;
    sum = sum === null ? value : addEstimates(sum, value);
  }
  return sum;
}

function weightByBytes(
  partitions: readonly PartitionMeasurement[],
  pick: (one: PartitionMeasurement) => Estimate | null,
): Estimate | null {
  const bytes = sumOf(partitions.map((one) => one.bytes));
  if (bytes === null) return null;
  let sum: Estimate = exactly(0);
  for (const one of partitions) {
    const share = pick(one);
    if (share === null) return null;
    const weight = bytes === 0 ? 0 : one.bytes! / bytes;
    sum = addEstimates(sum, {
      value: share.value === null ? null : share.value * weight,
      low: share.low * weight,
      high: share.high * weight,
      exact: share.exact,
    });
  }
  return sum;
}

function withoutFailed(estimate: Estimate | null, failed: readonly FailedPartition[]): Estimate | null {
  return estimate === null || failed.length === 0 ? estimate : { ...estimate, exact: false };
}

/** By the cleaner ratio, or by the middle of its bounds where only those are known. */
function findWorst(partitions: readonly PartitionMeasurement[]): number | null {
  let worst: { partition: number; ratio: number } | null = null;
  for (const { partition, dirtyRatio } of partitions) {
    if (dirtyRatio === null) continue;
    const ratio = dirtyRatio.value ?? (dirtyRatio.low + dirtyRatio.high) / 2;
    if (worst === null || ratio > worst.ratio) worst = { partition, ratio };
  }
  return worst?.partition ?? null;
}

/** One a code, with the partitions that it was said of. */
function mergeWarnings(partitions: readonly PartitionMeasurement[]): MeasurementWarning[] {
  const byCode = new Map<MeasurementWarning["code"], { message: string; partitions: number[] }>();
  for (const { partition, warnings } of partitions) {
    for (const { code, message } of warnings) {
      const known = byCode.get(code) ?? { message, partitions: [] };
      if (!known.partitions.includes(partition)) known.partitions.push(partition);
      byCode.set(code, known);
    }
  }
  return [...byCode].map(([code, { message, partitions: said }]) => ({
    code,
    message: `${said.length === 1 ? "Partition" : "Partitions"} ${said.join(", ")}: ${message}`,
  }));
}
