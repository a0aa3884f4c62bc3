import { describe, expect, test } from "vitest";
import { exactly, type PartitionMeasurement } from "#lib/compaction/measurement.ts";
import { type Counts, countsOf, type TruthCase } from "../../../brokers/truth/truth-case.ts";
import {
  type Criterion,
  formatReport,
  judge,
  judgeBracketWidth,
  judgeCleanPointExact,
  judgeCleanPointHeld,
  judgeCost,
  judgeExactness,
  judgeKeptHeld,
  judgeKeptWidth,
  judgeRatios,
  judgeScanCounts,
  median,
} from "../../../brokers/truth/truth-report.ts";
import type { LogTruth } from "../../../support/truth.ts";

const TRUTH: LogTruth = {
  partition: "t-0",
  log_start_offset: 0,
  log_end_offset: 100_000,
  retained_records: 40_000,
  distinct_keys: 20_000,
  live_keys: 19_000,
  tombstones: 1000,
  null_key_records: 0,
  superseded_records: 20_000,
  bytes: 4_000_000,
  segments: 6,
  first_dirty_offset: 50_000,
  active_segment_base: 90_000,
  last_stable_offset: 100_000,
  first_uncleanable_offset: 90_000,
  clean_bytes: 1_000_000,
  cleanable_bytes: 2_000_000,
  active_bytes: 1_000_000,
  dirty_ratio: 2 / 3,
  last_gap_offset: 49_990,
  first_repeat_offset: 50_001,
};

const COUNTS: Counts = countsOf(TRUTH);

const measured = (mode: "probe" | "scan"): PartitionMeasurement => ({
  topic: "t",
  partition: 0,
  mode,
  logStartOffset: 0,
  logEndOffset: 100_000,
  offsetSpan: 100_000,
  bytes: 4_000_000,
  retainedRecords: mode === "scan" ? exactly(40_000) : { value: 40_100, low: 39_000, high: 41_000, exact: false },
  distinctKeys: mode === "scan" ? exactly(20_000) : null,
  liveKeys: mode === "scan" ? exactly(19_000) : null,
  tombstones: mode === "scan" ? exactly(1000) : null,
  nullKeyRecords: mode === "scan" ? exactly(0) : null,
  supersededRecords: mode === "scan" ? exactly(20_000) : null,
  heldRecords: mode === "scan" ? 0 : null,
  cleanPoint: { low: 50_000, high: 50_000 },
  activeSegmentBase: { low: 90_000, high: 90_000 },
  dirtyRatio: exactly(2 / 3),
  removableShare: null,
  replicas: null,
  fetches: mode === "scan" ? 100 : 30,
  fetchedBytes: mode === "scan" ? 4_000_000 : 1_500_000,
  positionCost: mode === "scan" ? null : { fetches: 8, fetchedBytes: 400_000 },
  durationMs: 5,
  warnings: [],
  shape: null,
  measuredAt: 0,
});

interface Changes {
  old?: Partial<LogTruth>;
  now?: Partial<LogTruth>;
  probe?: Partial<PartitionMeasurement>;
  scan?: Partial<PartitionMeasurement>;
  rest?: Partial<TruthCase>;
}

const caseOf = ({ old, now, probe, scan, rest }: Changes = {}): TruthCase => ({
  name: "t-0",
  expect: { rewrites: true, counts: "disk", ratio: "disk" },
  old: { ...TRUTH, ...old },
  now: { ...TRUTH, ...now },
  counts: { old: COUNTS, now: COUNTS },
  heldRecords: 0,
  largestBatchBytes: 15_000,
  widestBatchOffsets: 100,
  probe: { ...measured("probe"), ...probe },
  scan: { ...measured("scan"), ...scan },
  ...rest,
});

const nine = Array.from({ length: 9 }, () => caseOf());

test("a right measurement meets every criterion", () => {
  expect(judge([caseOf()]).filter(({ isMet }) => !isMet)).toEqual([]);
});

test("nothing measured meets no share", () => {
  expect(judgeCleanPointHeld([], "probe").isMet).toBe(false);
  expect(judgeScanCounts([]).isMet).toBe(false);
});

describe("a scan's counts", () => {
  test.each([
    ["one too many", { tombstones: exactly(1001) }],
    ["right but not exact", { distinctKeys: { value: 20_000, low: 20_000, high: 20_000, exact: false } }],
    ["missing", { liveKeys: null }],
    ["held records that are none", { heldRecords: 3 }],
  ])("%s: missed", (_, scan) => {
    const criterion = judgeScanCounts([caseOf({ scan })]);
    expect(criterion.isMet).toBe(false);
    expect(criterion.misses).toHaveLength(1);
  });
});

describe("the clean point", () => {
  test("a bracket that holds it is held, one beside it is not, nor an inverted one", () => {
    const at = (low: number, high: number): Criterion =>
      judgeCleanPointHeld([caseOf({ probe: { cleanPoint: { low, high } } })], "probe");
    expect(at(40_000, 60_000).isMet).toBe(true);
    expect(at(50_001, 60_000).isMet).toBe(false);
    expect(at(40_000, 49_999).isMet).toBe(false);
    expect(at(60_000, 40_000).isMet).toBe(false);
  });

  test("what the cleaner passed while it was measured is right", () => {
    const moved = caseOf({ now: { first_dirty_offset: 70_000 }, probe: { cleanPoint: { low: 60_000, high: 60_000 } } });
    expect(judgeCleanPointHeld([moved], "probe").isMet).toBe(true);
    expect(judgeCleanPointExact([moved], "probe").isMet).toBe(true);
  });

  test("exact in nine of ten is enough, in eight of nine not", () => {
    const wide = caseOf({ probe: { cleanPoint: { low: 49_000, high: 50_000 } } });
    expect(judgeCleanPointExact([...nine, wide], "probe").isMet).toBe(true);
    expect(judgeCleanPointExact([...nine.slice(1), wide], "probe").isMet).toBe(false);
  });

  test("where nothing was rewritten an interval is no miss", () => {
    const orders = caseOf({
      probe: { cleanPoint: { low: 0, high: 90_000 } },
      rest: { expect: { rewrites: false, counts: "disk", ratio: "interval" } },
    });
    expect(judgeCleanPointExact([caseOf(), orders], "probe")).toMatchObject({ isMet: true, observed: "1 of 1" });
  });
});

describe("the cleaner ratio", () => {
  const ratio = (value: number | null, low: number, high: number) => ({ value, low, high, exact: false });

  test("within 0.02 is met, beyond it is not", () => {
    expect(judgeRatios([caseOf({ probe: { dirtyRatio: ratio(0.65, 0.65, 0.65) } })], "probe").isMet).toBe(true);
    expect(judgeRatios([caseOf({ probe: { dirtyRatio: ratio(0.64, 0, 1) } })], "probe").isMet).toBe(false);
  });

  test("an interval counts only where the clean point is not known", () => {
    const dirtyRatio = ratio(null, 0.5, 0.8);
    expect(judgeRatios([caseOf({ probe: { dirtyRatio } })], "probe").isMet).toBe(false);
    const wide = { low: 40_000, high: 60_000 };
    expect(judgeRatios([caseOf({ probe: { dirtyRatio, cleanPoint: wide } })], "probe").isMet).toBe(true);
    const beside = ratio(null, 0.7, 0.8);
    expect(judgeRatios([caseOf({ probe: { dirtyRatio: beside, cleanPoint: wide } })], "probe").isMet).toBe(false);
  });

  test("a compaction lag, which the truth tool does not know, is left out", () => {
    const lag = caseOf({
      probe: { dirtyRatio: exactly(0) },
      rest: { expect: { rewrites: true, counts: "disk", ratio: "lag" } },
    });
    expect(judgeRatios([caseOf(), lag], "probe").observed).toBe("1 of 1");
    expect(judgeExactness([lag]).isMet).toBe(true);
  });
});

test("a figure that is called exact and is not is a miss, in a probe as well", () => {
  expect(judgeExactness([caseOf({ probe: { retainedRecords: exactly(40_001) } })]).misses[0]).toContain("probe");
  expect(judgeExactness([caseOf({ scan: { dirtyRatio: exactly(0.66) } })]).isMet).toBe(false);
});

describe("records kept by a probe", () => {
  test("an interval beside the truth is a miss", () => {
    const retainedRecords = { value: 38_000, low: 37_000, high: 39_999, exact: false };
    expect(judgeKeptHeld([caseOf({ probe: { retainedRecords } })]).isMet).toBe(false);
  });

  test("wider than a fifth of the value is allowed only where the budget ended", () => {
    const retainedRecords = { value: 40_000, low: 30_000, high: 50_000, exact: false };
    expect(judgeKeptWidth([caseOf({ probe: { retainedRecords } })]).isMet).toBe(false);
    const warnings = [{ code: "budget-ended", message: "…" } as const];
    expect(judgeKeptWidth([caseOf({ probe: { retainedRecords, warnings } })]).isMet).toBe(true);
  });
});

test("a probe's bracket may be two batches and a tenth of the span wider than the scan's", () => {
  const wide = (high: number) => judgeBracketWidth([caseOf({ probe: { cleanPoint: { low: 50_000, high } } })]);
  expect(wide(60_200).isMet).toBe(true);
  expect(wide(60_201).isMet).toBe(false);
});

describe("what a probe costs", () => {
  const missed = (probe: Partial<PartitionMeasurement>, rest: Partial<TruthCase> = {}): string[] =>
    judgeCost([caseOf({ probe, rest })])
      .filter(({ isMet }) => !isMet)
      .map(({ name }) => name);

  test("each limit is a criterion of its own", () => {
    expect(missed({})).toEqual([]);
    expect(missed({ positionCost: { fetches: 11, fetchedBytes: 1 } })).toEqual([
      "probe: fetches for the position, median",
    ]);
    expect(missed({ positionCost: { fetches: 1, fetchedBytes: 1_000_001 } })).toEqual([
      "probe: bytes for the position, median",
    ]);
    expect(missed({ positionCost: null })).toContain("probe: says what the position cost");
    expect(missed({ fetches: 49 })).toEqual(["probe: at most 40 windows for records kept"]);
    expect(missed({ fetches: 81, positionCost: { fetches: 41, fetchedBytes: 1 } })).toContain(
      "probe: at most 80 fetches a replica in all",
    );
  });

  test("large batches allow six of them more, small ones none", () => {
    const fetchedBytes = 8 * 1024 * 1024 + 1;
    expect(missed({ fetchedBytes })).toHaveLength(1);
    expect(missed({ fetchedBytes }, { largestBatchBytes: 900_000 })).toEqual([]);
  });

  test("each replica that was probed has its own budget", () => {
    const replica = (brokerId: number) => ({
      brokerId,
      leader: brokerId === 1,
      bytes: 1,
      cleanPoint: { low: 0, high: 0 },
      state: "ok" as const,
    });
    expect(missed({ fetches: 160, replicas: [replica(1), replica(2)] })).toEqual([]);
    expect(missed({ fetches: 161, replicas: [replica(1), replica(2)] })).toHaveLength(1);
  });
});

test("the median of nothing is no number, of an even count the middle of two", () => {
  expect(median([])).toBeNaN();
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test("the report names what was missed and where", () => {
  const text = formatReport("4.4", judge([caseOf({ scan: { tombstones: exactly(7) } })]));
  expect(text).toMatch(/MISSED scan: every count exact .*0 of 1/);
  expect(text).toContain("t-0: tombstones 7 [7, 7] exact, true 1000");
});
