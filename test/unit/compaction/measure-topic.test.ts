import { describe, expect, test } from "vitest";
import { mergeTopic, topicKeys } from "#lib/compaction/measure-topic.ts";
import { exactly, type PartitionMeasurement } from "#lib/compaction/measurement.ts";

const INPUT = { topic: "t", mode: "scan", measuredAt: 1, durationMs: 2 } as const;

function partition(number: number, figures: Partial<PartitionMeasurement> = {}): PartitionMeasurement {
  return {
    topic: "t",
    partition: number,
    mode: "scan",
    logStartOffset: 0,
    logEndOffset: 100,
    offsetSpan: 100,
    bytes: 1_000,
    retainedRecords: exactly(60),
    distinctKeys: exactly(40),
    liveKeys: exactly(30),
    tombstones: exactly(10),
    nullKeyRecords: exactly(0),
    supersededRecords: exactly(20),
    heldRecords: 3,
    cleanPoint: { low: 50, high: 50 },
    activeSegmentBase: { low: 80, high: 80 },
    dirtyRatio: exactly(0.5),
    removableShare: exactly(0.2),
    replicas: [],
    fetches: 4,
    fetchedBytes: 900,
    positionCost: null,
    durationMs: 5,
    warnings: [],
    shape: null,
    measuredAt: 1,
    ...figures,
  };
}

const counts = (kept: number, sampledShare: number) => ({
  kept,
  live: kept / 2,
  inSeveralPartitions: 8,
  lastBytes: 0,
  lastBytesSquared: 0,
  expiredBytes: 0,
  expiredBytesSquared: 0,
  sampledShare,
});

describe("the topic's line", () => {
  test("sums counts, and weights shares by bytes", () => {
    const topic = mergeTopic(
      INPUT,
      [
        partition(0, { bytes: 3_000, dirtyRatio: exactly(0.1), removableShare: exactly(0.4) }),
        partition(1, { dirtyRatio: { value: null, low: 0.4, high: 0.8, exact: false } }),
      ],
      null,
    );
    expect(topic).toMatchObject({ bytes: 4_000, offsetSpan: 200, heldRecords: 6, fetches: 8, worstPartition: 1 });
    expect(topic.retainedRecords).toEqual(exactly(120));
    expect(topic.removableShare!.value).toBeCloseTo(0.35);
    expect(topic.removableShare!.exact).toBe(true);
    expect(topic.dirtyRatio).toMatchObject({ value: null, exact: false });
    expect(topic.dirtyRatio!.low).toBeCloseTo(0.175);
    expect(topic.dirtyRatio!.high).toBeCloseTo(0.275);
    expect(topic.distinctKeys).toBeNull();
  });

  test("says nothing of a figure that one partition does not know", () => {
    const topic = mergeTopic(INPUT, [partition(0), partition(1, { bytes: null, retainedRecords: null })], null);
    expect(topic).toMatchObject({ bytes: null, retainedRecords: null, dirtyRatio: null, removableShare: null });
    expect(topic.tombstones).toEqual(exactly(20));
  });

  test("a partition that failed is left out, named, and nothing is exact without it", () => {
    const keys = topicKeys(counts(40, 1), [partition(0)]);
    const topic = mergeTopic(INPUT, [partition(0)], keys, [{ partition: 1, message: "no leader" }]);
    expect(topic.retainedRecords).toEqual({ ...exactly(60), exact: false });
    expect(topic.distinctKeys!.exact).toBe(false);
    expect(topic.warnings).toEqual([
      { code: "partition-failed", message: expect.stringContaining("Partition 1 could not be measured") },
    ]);
  });

  test("keys of the merged sample are exact only where each partition's are", () => {
    expect(topicKeys(counts(70, 1), [partition(0), partition(1)])).toEqual({
      distinctKeys: exactly(70),
      liveKeys: exactly(35),
      keysInSeveralPartitions: exactly(8),
    });
    const estimate = { value: 40, low: 30, high: 50, exact: false };
    const { distinctKeys } = topicKeys(counts(70, 1), [partition(0), partition(1, { distinctKeys: estimate })]);
    expect(distinctKeys).toEqual({ ...exactly(70), exact: false });
    const sampled = topicKeys(counts(400, 0.5), [partition(0, { retainedRecords: exactly(5_000) })]).distinctKeys;
    expect(sampled.value).toBe(800);
    expect(sampled.low).toBeLessThan(800);
    expect(sampled.high).toBeGreaterThan(800);
  });

  test("says a warning once, with the partitions that it is about", () => {
    const warning = { code: "throttled" as const, message: "The broker throttled this client id." };
    const said = [partition(0, { warnings: [warning] }), partition(1), partition(2, { warnings: [warning] })];
    expect(mergeTopic(INPUT, said, null).warnings).toEqual([
      { code: "throttled", message: "Partitions 0, 2: The broker throttled this client id." },
    ]);
  });
});
