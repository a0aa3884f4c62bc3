import { describe, expect, it } from "vitest";
import { probeFakeLog, type Workload, writeWorkload } from "#test/support/fake-workload.ts";

const MiB = 1024 * 1024;
const SEEDS = [1, 2, 3, 4, 5, 6];
const zipf = (keys: number) => (random: () => number) => `k${Math.floor(keys ** random())}`;
const uniform = (keys: number) => (random: () => number) => `k${Math.floor(keys * random())}`;
const unique = (_random: () => number, index: number) => `o${index}`;
const rewritten = (share: number) => (random: () => number, index: number) =>
  random() < share ? `o${Math.floor(random() * index)}` : `o${index}`;
const base = { records: 60_000, segmentBytes: MiB, batchRecords: 50, valueBytes: 100 };

const EXACT: Workload[] = [
  { ...base, name: "zipf", key: zipf(20_000) },
  { ...base, name: "200 keys", key: uniform(200) },
  { ...base, name: "30,000 keys", records: 90_000, key: uniform(30_000) },
  { ...base, name: "cleaned segments joined", records: 90_000, key: uniform(30_000), mergeBytes: MiB },
  { ...base, name: "1 % rewritten", key: rewritten(0.01) },
  { ...base, name: "tombstones", batchRecords: 20, key: uniform(5000), tombstoneShare: 0.3 },
  {
    ...base,
    name: "aborted transactions",
    batchRecords: 5,
    key: uniform(5000),
    transactionRecords: 5,
    abortShare: 0.25,
  },
  { ...base, name: "open transaction", batchRecords: 20, key: uniform(5000), openTransactionAtRecord: 33_000 },
  { ...base, name: "batches of one", records: 20_000, batchRecords: 1, valueBytes: 200, key: zipf(2000) },
  {
    ...base,
    name: "batches of 500 kB",
    records: 2000,
    segmentBytes: 4 * MiB,
    batchRecords: 100,
    valueBytes: 5000,
    key: zipf(200),
  },
  { ...base, name: "active segment only", records: 3000, segmentBytes: 100 * MiB, key: uniform(50) },
  {
    ...base,
    name: "unique keys in a segment that never rolled",
    records: 20_000,
    segmentBytes: 100 * MiB,
    key: unique,
  },
];

const INTERVAL: Workload[] = [
  { ...base, name: "unique keys", key: unique },
  { ...base, name: "0.1 % rewritten", records: 90_000, key: rewritten(0.001) },
  { ...base, name: "offset map full", records: 90_000, key: uniform(30_000), mapCapacity: 5000 },
];

async function probeSeed(workload: Workload, seed: number) {
  const log = writeWorkload(workload, seed);
  const limits = { offsetMapCapacity: workload.mapCapacity ?? 5_000_000 };
  return { log, measured: await probeFakeLog(log, workload.segmentBytes, seed, { limits }) };
}

describe.each(EXACT)("a log of $name", (workload) => {
  it.each(SEEDS)(
    "has its clean point, active segment and ratio found exactly within the budget (seed %i)",
    async (seed) => {
      const { log, measured } = await probeSeed(workload, seed);
      expect(measured.cleanPoint).toEqual({ low: log.firstDirtyOffset, high: log.firstDirtyOffset });
      expect(measured.activeSegmentBase).toEqual({ low: log.activeSegmentBase, high: log.activeSegmentBase });
      expect(Math.abs(measured.dirtyRatio!.value! - log.dirtyRatio)).toBeLessThanOrEqual(0.02);
      expectHolds(measured.dirtyRatio!, log.dirtyRatio);
      expectHolds(measured.retainedRecords!, log.retainedRecords);
      expect(measured.positionCost!.fetches).toBeLessThanOrEqual(40);
      expect(measured.fetches).toBeLessThanOrEqual(80);
    },
  );
});

describe.each(INTERVAL)("a log of $name", (workload) => {
  it.each(SEEDS)(
    "has its clean point and ratio within the bounds, and a reason why they are bounds (seed %i)",
    async (seed) => {
      const { log, measured } = await probeSeed(workload, seed);
      expect(measured.cleanPoint!.low).toBeLessThanOrEqual(log.firstDirtyOffset);
      expect(measured.cleanPoint!.high).toBeGreaterThanOrEqual(log.firstDirtyOffset);
      expectHolds(measured.dirtyRatio!, log.dirtyRatio);
      expectHolds(measured.retainedRecords!, log.retainedRecords);
      const isExact = measured.cleanPoint!.low === measured.cleanPoint!.high;
      if (!isExact)
        expect(measured.warnings.map(({ code }) => code)).toContainEqual(
          expect.stringMatching(/no-rewrites|offset-map-full/),
        );
      expect(measured.fetches).toBeLessThanOrEqual(80);
    },
  );
});

describe("a broker that cuts its answers", () => {
  it.each(SEEDS)("makes no false boundary where the limit is not known (seed %i)", async (seed) => {
    const workload: Workload = { ...base, name: "cut", batchRecords: 1, valueBytes: 0, key: uniform(5000) };
    const log = writeWorkload(workload, seed);
    const measured = await probeFakeLog(log, workload.segmentBytes, seed, {
      limits: { answerBytesMax: null },
      broker: { answerBytesMax: 81 * 400 },
    });
    expect(measured.cleanPoint!.low).toBeLessThanOrEqual(log.firstDirtyOffset);
    expect(measured.cleanPoint!.high).toBeGreaterThanOrEqual(log.firstDirtyOffset);
    expectHolds(measured.dirtyRatio!, log.dirtyRatio);
    if (measured.activeSegmentBase !== null) expect(measured.activeSegmentBase.low).toBe(log.activeSegmentBase);
  });
});

function expectHolds(interval: { low: number; high: number }, truth: number): void {
  expect(interval.low).toBeLessThanOrEqual(truth + 1e-9);
  expect(interval.high).toBeGreaterThanOrEqual(truth - 1e-9);
}
