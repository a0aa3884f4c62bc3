/** The stored form of a measurement: JSON with decimal strings, checked when it is read back. */
import { z } from "zod";
import type { PartitionMeasurement, TopicMeasurement, WarningCode } from "#lib/compaction/measurement.ts";
import { WARNING_CODES } from "#lib/compaction/measurement.ts";
import { decodeDecimals, encodeDecimals, type Json } from "#lib/measurements/decimal-fields.ts";

const mode = z.enum(["probe", "scan"]);
const estimate = z.object({ value: z.number().nullable(), low: z.number(), high: z.number(), exact: z.boolean() });
const interval = z.object({ low: z.number(), high: z.number() });
const warning = z.object({
  code: z.enum(Object.keys(WARNING_CODES) as [WarningCode, ...WarningCode[]]),
  message: z.string(),
});

const counts = {
  offsetSpan: z.number(),
  bytes: z.number().nullable(),
  retainedRecords: estimate.nullable(),
  distinctKeys: estimate.nullable(),
  liveKeys: estimate.nullable(),
  tombstones: estimate.nullable(),
  nullKeyRecords: estimate.nullable(),
  supersededRecords: estimate.nullable(),
  heldRecords: z.number().nullable(),
  dirtyRatio: estimate.nullable(),
  removableShare: estimate.nullable(),
  fetches: z.number(),
  fetchedBytes: z.number(),
  durationMs: z.number(),
  warnings: z.array(warning),
  measuredAt: z.number(),
};

const replica = z.object({
  brokerId: z.number(),
  leader: z.boolean(),
  bytes: z.number().nullable(),
  cleanPoint: interval.nullable(),
  state: z.enum(["ok", "behind", "quarantined", "cleaner-off", "unknown"]),
});

const shape = z.object({
  lastStableOffset: z.number(),
  firstUncleanableOffset: interval,
  cleanBytes: estimate.nullable(),
  cleanableBytes: estimate.nullable(),
  activeBytes: estimate.nullable(),
  kept: z.array(z.object({ from: z.number(), to: z.number(), share: z.number().nullable() })),
});

const partitionMeasurement = z.object({
  topic: z.string(),
  partition: z.number(),
  mode,
  logStartOffset: z.number(),
  logEndOffset: z.number(),
  cleanPoint: interval.nullable(),
  activeSegmentBase: interval.nullable(),
  replicas: z.array(replica).nullable(),
  shape: shape.nullable(),
  positionCost: z.object({ fetches: z.number(), fetchedBytes: z.number() }).nullable(),
  ...counts,
});

const topicMeasurement = z.object({
  topic: z.string(),
  partition: z.null(),
  mode,
  keysInSeveralPartitions: estimate.nullable(),
  worstPartition: z.number().nullable(),
  ...counts,
});

export const encodeMeasurement = (measurement: PartitionMeasurement | TopicMeasurement): Json =>
  encodeDecimals(measurement);

/** Throws where the stored JSON does not have the shape of a measurement. */
export const decodePartitionMeasurement = (json: unknown): PartitionMeasurement =>
  partitionMeasurement.parse(decodeDecimals(json));

/** Throws where the stored JSON does not have the shape of a measurement. */
export const decodeTopicMeasurement = (json: unknown): TopicMeasurement => topicMeasurement.parse(decodeDecimals(json));
