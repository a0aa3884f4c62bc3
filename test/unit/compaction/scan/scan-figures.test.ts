import { describe, expect, test } from "vitest";
import { exactly } from "#lib/compaction/measurement.ts";
import type { TallyState } from "#lib/compaction/scan/partition-tally.ts";
import { narrowCleanPoint, scanFigures } from "#lib/compaction/scan/scan-figures.ts";

const COUNTS: TallyState = {
  logStart: 0,
  end: 1_000,
  logEnd: 1_010,
  position: 1_000,
  retainedRecords: 500,
  tombstones: 50,
  nullKeyRecords: 20,
  keyedBytes: 48_000,
  batchBytes: 55_000,
  abortedRecords: 5,
  heldRecords: 7,
  heldBytes: 700,
  evidence: { low: 100, high: 200, expected: 1_000 },
};
const KEYS = {
  kept: 300,
  live: 260,
  inSeveralPartitions: 0,
  lastBytes: 30_000,
  lastBytesSquared: 3_000_000,
  expiredBytes: 1_000,
  expiredBytesSquared: 100_000,
  sampledShare: 1,
};

describe("figures of a scan", () => {
  test("are exact where every key was kept and nothing moved", () => {
    const figures = scanFigures(COUNTS, KEYS, 60_000, { moved: false, isWhole: true });
    expect(figures).toEqual({
      retainedRecords: exactly(500),
      distinctKeys: exactly(300),
      liveKeys: exactly(260),
      tombstones: exactly(50),
      nullKeyRecords: exactly(20),
      supersededRecords: exactly(180),
      heldRecords: 7,
      removableShare: exactly(19_000 / 60_000),
    });
  });

  test("sampled keys give intervals that add up, and certain counts stay exact", () => {
    const figures = scanFigures(COUNTS, { ...KEYS, kept: 150, live: 130, sampledShare: 0.5 }, 60_000, {
      moved: false,
      isWhole: true,
    });
    expect(figures.retainedRecords).toEqual(exactly(500));
    expect(figures.distinctKeys).toMatchObject({ value: 300, exact: false });
    expect(figures.supersededRecords).toMatchObject({ value: 180, exact: false });
    expect(figures.distinctKeys!.high).toBeLessThanOrEqual(480);
    expect(figures.distinctKeys!.high + figures.supersededRecords!.low).toBe(480);
    expect(figures.removableShare!.exact).toBe(false);
  });

  test("nothing is exact where the log was cleaned meanwhile, or read in two goes", () => {
    const moved = scanFigures(COUNTS, KEYS, 60_000, { moved: true, isWhole: true });
    expect(moved.retainedRecords).toEqual({ value: 500, low: 260, high: 500, exact: false });
    expect(moved.supersededRecords).toEqual({ value: 180, low: 0, high: 180, exact: false });
    const resumed = scanFigures(COUNTS, KEYS, null, { moved: false, isWhole: false });
    expect(resumed.retainedRecords).toEqual({ ...exactly(500), exact: false });
    expect(resumed.removableShare).toBeNull();
  });
});

describe("the clean point of a scan", () => {
  const walk = { low: 100, high: 200 };

  test("is where all that is known agrees", () => {
    expect(narrowCleanPoint({ low: 50, high: 150 }, walk, { low: 120, high: 400 })).toEqual({ low: 120, high: 150 });
    expect(narrowCleanPoint(null, walk, null)).toEqual(walk);
  });

  test("has moved where before, walk and after exclude each other", () => {
    expect(narrowCleanPoint({ low: 50, high: 110 }, walk, { low: 120, high: 400 })).toBeNull();
    expect(narrowCleanPoint({ low: 50, high: 90 }, walk, null)).toBeNull();
    expect(narrowCleanPoint(null, { low: 300, high: 200 }, null)).toBeNull();
  });
});
