/** Measurements as JSON lines for scripts: one object a line, every number a JSON number. Pure. */
import { CommandError } from "#lib/cli/command-error.ts";
import type { PartitionMeasurement, TopicMeasurement } from "#lib/compaction/measurement.ts";

/** @throws CommandError where a number is above what JSON numbers hold exactly in every language */
export function toPartitionLine(one: PartitionMeasurement): string {
  return toLine({
    topic: one.topic,
    partition: one.partition,
    mode: one.mode,
    logStartOffset: one.logStartOffset,
    logEndOffset: one.logEndOffset,
    offsetSpan: one.offsetSpan,
    bytes: one.bytes,
    retainedRecords: one.retainedRecords,
    distinctKeys: one.distinctKeys,
    liveKeys: one.liveKeys,
    tombstones: one.tombstones,
    nullKeyRecords: one.nullKeyRecords,
    supersededRecords: one.supersededRecords,
    heldRecords: one.heldRecords,
    cleanPoint: one.cleanPoint,
    activeSegmentBase: one.activeSegmentBase,
    dirtyRatio: one.dirtyRatio,
    removableShare: one.removableShare,
    replicas: one.replicas,
    fetches: one.fetches,
    fetchedBytes: one.fetchedBytes,
    durationMs: Math.round(one.durationMs),
    warnings: one.warnings,
  });
}

/** The topic's line: sums and shares; what belongs to one partition is null. */
export function toTopicLine(one: TopicMeasurement): string {
  return toLine({
    topic: one.topic,
    partition: null,
    mode: one.mode,
    logStartOffset: null,
    logEndOffset: null,
    offsetSpan: one.offsetSpan,
    bytes: one.bytes,
    retainedRecords: one.retainedRecords,
    distinctKeys: one.distinctKeys,
    liveKeys: one.liveKeys,
    keysInSeveralPartitions: one.keysInSeveralPartitions,
    tombstones: one.tombstones,
    nullKeyRecords: one.nullKeyRecords,
    supersededRecords: one.supersededRecords,
    heldRecords: one.heldRecords,
    cleanPoint: null,
    activeSegmentBase: null,
    dirtyRatio: one.dirtyRatio,
    removableShare: one.removableShare,
    worstPartition: one.worstPartition,
    replicas: null,
    fetches: one.fetches,
    fetchedBytes: one.fetchedBytes,
    durationMs: Math.round(one.durationMs),
    warnings: one.warnings,
  });
}

const toLine = (fields: Record<string, unknown>): string => `${JSON.stringify(fields, refuseUnsafe)}\n`;

function refuseUnsafe(field: string, value: unknown): unknown {
  if (typeof value !== "number") return value;
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw CommandError.failure(
      `The number in "${field}" is above 2^53 and can't be written as a JSON number without loss. Leave --json out.`,
    );
  }
  return value;
}
