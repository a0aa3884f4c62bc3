import { describe, expect, it } from "vitest";
import { lastOf, logDomain, logTicks, seriesOf, spreadLabels } from "#components/topics/history-series.ts";
import { modelLogStrip } from "#components/topics/log-strip-model.ts";
import { describeStrip } from "#components/topics/log-strip-words.ts";
import { describeReading } from "#components/topics/reading-text.ts";
import { findRemedy } from "#components/topics/remedy.ts";
import { boundWritten, pickReading, replicasDiffer, sumLeaderBytes } from "#components/topics/topic-readings.ts";
import { exactly, type PartitionMeasurement } from "#lib/compaction/measurement.ts";
import { judgePartition } from "#lib/topics/standing.ts";
import type { HistoryPoint, PartitionView } from "#lib/topics/topic-view.ts";
import { aPartition, around, between, MIB, READ_AT } from "#test/support/view-fixtures.ts";

const plain = (text: string): string => text.replace(/[\u202f\u00a0]/g, " ");
const BY_BYTES = { scale: "bytes", columns: 40, dirtyRatioLimit: 0.5 } as const;

describe("describeStrip", () => {
  it("says in words what the strip draws", () => {
    const model = modelLogStrip(aPartition({ clean: 0.72, cleanable: 0.16, active: 0.12 }), BY_BYTES);
    expect(plain(describeStrip(model))).toBe(
      "Clean 72 % of bytes; cleanable 16 %; active segment 12 %. Clean point offset 23 106 994.",
    );
  });

  it("says what it does not know, and what is empty", () => {
    expect(describeStrip(modelLogStrip({ ...aPartition(), shape: null }, BY_BYTES))).toContain("not known");
    expect(describeStrip(modelLogStrip(aPartition({ logEnd: 0, bytes: 0 }), BY_BYTES))).toContain("Empty");
  });
});

describe("describeReading", () => {
  it("writes an offset span as a bound, never as records", () => {
    const written = { estimate: between(1000, 148_902_331), method: "offsets", measuredAt: READ_AT } as const;
    const { figure, method, error } = describeReading(written, "count");
    expect([plain(figure), method, error]).toEqual(["≤ 148 902 331", "by offset span", "upper bound"]);
  });

  it("says exact only of what is exact", () => {
    const of = (estimate: Parameters<typeof around>[0] extends number ? ReturnType<typeof around> : never) =>
      describeReading({ estimate, method: "probe", measuredAt: READ_AT }, "count").error;
    expect(of(exactly(5))).toBe("exact");
    expect(of(around(5000, 0.02))).toContain("±");
    expect(of(between(1, 9))).toBe("bounds");
  });
});

function aView(measurement: Partial<PartitionMeasurement>, bytes: (number | null)[]): PartitionView {
  const probe = aPartition({}, measurement);
  return {
    partition: 0,
    leader: 1,
    offsets: { logStart: 0, logEnd: 1000, lastStable: 1000 },
    offsetsAt: READ_AT,
    replicas: bytes.map((size, index) => ({ brokerId: index + 1, leader: index === 0, bytes: size, sizedAt: READ_AT })),
    probe,
    scan: null,
  };
}

describe("readings of a topic", () => {
  it("prefer a value to newer bounds, and the newer of two values", () => {
    const probe = aPartition({}, { removableShare: between(0, 0.9), measuredAt: READ_AT });
    const scan = aPartition({ mode: "scan" }, { removableShare: exactly(0.4), measuredAt: READ_AT - 60_000 });
    expect(pickReading("removableShare", probe, scan)?.method).toBe("scan");
    expect(pickReading("dirtyRatio", probe, scan)?.method).toBe("probe");
    expect(pickReading("tombstones", probe, scan)).toBeNull();
  });

  it("are not known in sum where one part is not known", () => {
    const known = aView({}, [10]);
    expect(sumLeaderBytes([known, known])?.estimate.value).toBe(20);
    expect(sumLeaderBytes([known, aView({}, [null])])).toBeNull();
    expect(boundWritten([known, { ...known, offsets: null }])).toBeNull();
    expect(boundWritten([])).toBeNull();
  });

  it("show replicas where one is much larger or was cleaned less far, not where they differ by a segment", () => {
    expect(replicasDiffer(aView({}, [280 * MIB, 951 * MIB]))).toBe(true);
    expect(replicasDiffer(aView({}, [280 * MIB, 290 * MIB]))).toBe(false);
    expect(replicasDiffer(aView({}, [1000, 9000]))).toBe(false);
    const behind = { brokerId: 2, leader: false, bytes: 1, cleanPoint: null, state: "behind" } as const;
    expect(replicasDiffer(aView({ replicas: [behind] }, [1, 1]))).toBe(true);
  });
});

describe("findRemedy", () => {
  const held = judgePartition(aPartition({ partition: 3, cleanTo: 0.5, heldFrom: 0.6, activeFrom: 0.95 }), 0.5);

  it("gives a command that names topic and partition", () => {
    expect(findRemedy(held, "a.b")?.command).toContain("find-hanging --topic a.b --partition 3");
  });

  it("quotes a hostile name, and gives no command where it can't be written safely", () => {
    expect(findRemedy(held, "$(reboot)")?.command).toContain("--topic '$(reboot)'");
    expect(findRemedy(held, "a\nreboot")?.command).toBeNull();
  });

  it("advises nothing where nothing is wrong", () => {
    expect(findRemedy(judgePartition(aPartition(), 0.5), "a")).toBeNull();
  });
});

describe("history", () => {
  const point = (at: number, figures: Partial<HistoryPoint>): HistoryPoint => ({
    at,
    mode: "probe",
    distinctKeys: null,
    retainedRecords: null,
    written: null,
    dirtyRatio: null,
    removableShare: null,
    ...figures,
  });

  it("is in the order of time, and of the points that know something", () => {
    const points = seriesOf(
      [point(3, { written: 9 }), point(1, { written: 5 }), point(2, { dirtyRatio: 0.1 })],
      ["written"],
    );
    expect(points.map(({ at }) => at)).toEqual([1, 3]);
    expect(lastOf(points, "written")).toEqual({ at: 3, value: 9 });
    expect(lastOf(points, "distinctKeys")).toBeNull();
  });

  it("has an axis around all values, with few ticks", () => {
    const points = seriesOf([point(1, { written: 149_000_000, distinctKeys: 4_000_000 })], ["written", "distinctKeys"]);
    const domain = logDomain(points, ["written", "distinctKeys"]);
    expect(domain).toEqual([1_000_000, 1_000_000_000]);
    expect(logTicks(domain)).toEqual([1e6, 1e7, 1e8, 1e9]);
    expect(logTicks([1, 1e12]).length).toBeLessThanOrEqual(5);
  });

  it("keeps labels apart and within the chart", () => {
    const places = spreadLabels([0.99, 0.98, 0.1], 0.1);
    expect(places[0]! - places[1]!).toBeCloseTo(0.1);
    expect(Math.max(...places)).toBeLessThanOrEqual(1);
  });
});
