/** Measurements with figures that a test names; the rest is plausible and the same every time. */
import { mergeTopic } from "#lib/compaction/measure-topic.ts";
import { exactly, type PartitionMeasurement, type TopicMeasurement } from "#lib/compaction/measurement.ts";

export function makePartitionMeasurement(figures: Partial<PartitionMeasurement> = {}): PartitionMeasurement {
  return {
    topic: "customers",
    partition: 0,
    mode: "probe",
    logStartOffset: 0,
    logEndOffset: 1000,
    offsetSpan: 1000,
    bytes: 50_000,
    retainedRecords: { value: 400, low: 390, high: 410, exact: false },
    distinctKeys: null,
    liveKeys: null,
    tombstones: null,
    nullKeyRecords: null,
    supersededRecords: null,
    heldRecords: 0,
    cleanPoint: { low: 600, high: 600 },
    activeSegmentBase: { low: 900, high: 900 },
    dirtyRatio: { value: 0.4, low: 0.35, high: 0.45, exact: false },
    removableShare: { value: null, low: 0.1, high: 0.7, exact: false },
    replicas: [{ brokerId: 1, leader: true, bytes: 50_000, cleanPoint: { low: 600, high: 600 }, state: "ok" }],
    fetches: 9,
    fetchedBytes: 70_000,
    positionCost: { fetches: 6, fetchedBytes: 60_000 },
    durationMs: 40,
    warnings: [],
    shape: {
      lastStableOffset: 1000,
      firstUncleanableOffset: { low: 900, high: 900 },
      cleanBytes: exactly(20_000),
      cleanableBytes: exactly(20_000),
      activeBytes: exactly(10_000),
      kept: [{ from: 0, to: 600, share: 0.3 }],
    },
    measuredAt: 1_800_000_000_000,
    ...figures,
  };
}

export function makeTopicMeasurement(partitions: readonly PartitionMeasurement[]): TopicMeasurement {
  const [first] = partitions;
  if (!first) throw new Error("a topic has a partition");
  const { topic, mode, measuredAt, durationMs } = first;
  return mergeTopic({ topic, mode, measuredAt, durationMs }, partitions, null);
}
