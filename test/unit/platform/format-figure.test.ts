import { describe, expect, it } from "vitest";
import { exactly } from "#lib/compaction/measurement.ts";
import { formatCount } from "#lib/platform/format-count.ts";
import {
  formatAge,
  formatBytes,
  formatCompact,
  formatDuration,
  formatEstimate,
  formatInstant,
  formatShare,
} from "#lib/platform/format-figure.ts";

/** Tests are read more easily with plain spaces; that the narrow one is used is tested by itself. */
const plain = (text: string): string => text.replace(/[\u202f\u00a0]/g, " ");

describe("counts", () => {
  it("groups by three with a narrow no-break space", () => {
    expect(formatCount(4188204)).toBe("4\u202f188\u202f204");
    expect(formatCount(999)).toBe("999");
    expect(formatCount(9007199254740991)).toBe("9\u202f007\u202f199\u202f254\u202f740\u202f991");
  });

  it.each([
    [0, "0"],
    [999, "999"],
    [1180, "1.18 k"],
    [61300, "61.3 k"],
    [412_000_000, "412 M"],
    [6_200_000, "6.20 M"],
    [999_960, "1.00 M"],
    [9_996, "10.0 k"],
    [2_210_000_000, "2.21 B"],
  ])("writes %d in a column as %s", (value, text) => {
    expect(plain(formatCompact(value))).toBe(text);
  });
});

describe("bytes", () => {
  it.each([
    [0, "0 B"],
    [1023, "1 023 B"],
    [1024, "1.00 KiB"],
    [815_792_128, "778 MiB"],
    [1_073_741_000, "1.00 GiB"],
    [1000 * 1024 * 1024, "1 000 MiB"],
  ])("writes %d as %s", (value, text) => {
    expect(plain(formatBytes(value))).toBe(text);
  });
});

describe("shares", () => {
  it("never rounds a remainder to none or all", () => {
    expect([0, 0.001, 0.66, 0.999, 1].map((value) => plain(formatShare(value)))).toEqual([
      "0 %",
      "<1 %",
      "66 %",
      ">99 %",
      "100 %",
    ]);
  });
});

describe("durations and ages", () => {
  it.each([
    [400, "0.4 s"],
    [41_000, "41 s"],
    [31 * 60_000, "31 min"],
    [(2 * 60 + 48) * 60_000, "2 h 48 min"],
    [(9 * 24 + 4) * 3_600_000 + 59_000, "9 d 4 h"],
  ])("writes %d ms as %s", (ms, text) => {
    expect(plain(formatDuration(ms))).toBe(text);
  });

  it.each([
    [-5000, "0 s"],
    [9_900, "9 s"],
    [22 * 60_000, "22 min"],
    [31 * 3_600_000, "31 h"],
    [3 * 86_400_000, "3 d"],
  ])("writes an age of %d ms as %s", (ms, text) => {
    expect(plain(formatAge(ms))).toBe(text);
  });

  it("writes instants in UTC", () => {
    expect(plain(formatInstant(Date.UTC(2026, 10, 21, 22, 57)))).toBe("21 Nov 22:57");
  });
});

describe("estimates", () => {
  const write = (...args: Parameters<typeof formatEstimate>): string => {
    const { text, error } = formatEstimate(...args);
    return plain(error === null ? text : `${text} | ${error}`);
  };

  it("writes an exact figure in full and without an error", () => {
    expect(write(exactly(4188204), "count")).toBe("4 188 204");
    expect(write(exactly(4188204), "count", true)).toBe("4.19 M");
    expect(write(exactly(0.17), "ratio")).toBe("0.17");
  });

  it("never writes an estimate like an exact figure", () => {
    expect(write({ value: 6_200_000, low: 6_080_000, high: 6_320_000, exact: false }, "count")).toBe("6.20 M | ±2 %");
    expect(write({ value: 0.17, low: 0.15, high: 0.18, exact: false }, "ratio")).toBe("0.17 | ±0.02");
    expect(write({ value: 1000, low: 1000, high: 1000, exact: false }, "count")).toBe("1.00 k | ±<0.1 %");
    expect(write({ value: 0, low: 0, high: 1200, exact: false }, "count")).toBe("0 | at most 1.20 k");
  });

  it("writes bounds where no value is known, and makes up no middle", () => {
    expect(write({ value: null, low: 0, high: 148_902_331, exact: false }, "count")).toBe("≤ 149 M | bounds");
    expect(write({ value: null, low: 0.25, high: 0.6, exact: false }, "ratio")).toBe("0.25 – 0.60 | bounds");
    expect(write({ value: null, low: 0.25, high: 1, exact: false }, "share")).toBe("≥ 25 % | bounds");
    expect(write({ value: null, low: 0, high: 1, exact: false }, "share")).toBe("≤ 100 % | bounds");
  });
});
