import { describe, expect, it } from "vitest";
import { decodeDecimals, encodeDecimals } from "#lib/measurements/decimal-fields.ts";

describe("decimal strings", () => {
  it("stand for offsets, bytes and counts, and for nothing else", () => {
    const encoded = encodeDecimals({
      partition: 3,
      logEndOffset: 2 ** 53 - 1,
      dirtyRatio: { value: 0.25, low: 0.2, high: 0.3, exact: false },
      retainedRecords: { value: 12, low: 10, high: 14, exact: false },
      kept: [{ from: 0, to: 10, share: 0.5 }],
      measuredAt: 1_800_000_000_000,
    });
    expect(encoded).toEqual({
      partition: 3,
      logEndOffset: "9007199254740991",
      dirtyRatio: { value: 0.25, low: 0.2, high: 0.3, exact: false },
      retainedRecords: { value: "12", low: "10", high: "14", exact: false },
      kept: [{ from: "0", to: "10", share: 0.5 }],
      measuredAt: 1_800_000_000_000,
    });
  });

  it("bound an interval outwards, so that the truth stays within", () => {
    const bounds = { value: 10.4, low: 9.9, high: 10.1, exact: false };
    expect(encodeDecimals({ distinctKeys: bounds })).toEqual({
      distinctKeys: { value: "10", low: "9", high: "11", exact: false },
    });
  });

  it("keep the time of a reading a number beside its count", () => {
    const reading = { estimate: { value: 5, low: 5, high: 5, exact: true }, method: "scan", measuredAt: 17 };
    expect(decodeDecimals(encodeDecimals({ keys: reading, written: null }))).toEqual({ keys: reading, written: null });
    expect(encodeDecimals({ keys: reading })).toMatchObject({ keys: { measuredAt: 17, estimate: { value: "5" } } });
  });

  it("refuse a figure that is none, so that it is never stored", () => {
    expect(() => encodeDecimals({ bytes: Number.NaN })).toThrow("bytes");
    expect(() => encodeDecimals({ retainedRecords: { high: Number.POSITIVE_INFINITY } })).toThrow("high");
  });

  it("leave names alone that look like numbers", () => {
    expect(decodeDecimals({ topic: "42", error: "7" })).toEqual({ topic: "42", error: "7" });
  });
});
