import { describe, expect, it } from "vitest";
import { foundTheSame } from "#lib/measurements/figures.ts";
import {
  decodePartitionMeasurement,
  decodeTopicMeasurement,
  encodeMeasurement,
} from "#lib/measurements/stored-measurement.ts";
import { makePartitionMeasurement, makeTopicMeasurement } from "../../support/measurements.ts";

describe("a stored measurement", () => {
  it("reads back as it was, through JSON text", () => {
    const partition = makePartitionMeasurement({
      logEndOffset: Number.MAX_SAFE_INTEGER,
      warnings: [{ code: "throttled", message: "The broker throttled this client id." }],
    });
    const topic = makeTopicMeasurement([partition]);
    const through = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    expect(decodePartitionMeasurement(through(encodeMeasurement(partition)))).toEqual(partition);
    expect(decodeTopicMeasurement(through(encodeMeasurement(topic)))).toEqual(topic);
  });

  it("is refused where its JSON is not of that shape", () => {
    expect(() => decodePartitionMeasurement({ topic: "customers" })).toThrow();
    expect(() => decodeTopicMeasurement(encodeMeasurement(makePartitionMeasurement()))).toThrow();
  });

  it("is the same finding where only its time and cost differ", () => {
    const before = encodeMeasurement(makePartitionMeasurement());
    const later = makePartitionMeasurement({ measuredAt: 1_900_000_000_000, fetches: 30, durationMs: 5 });
    expect(foundTheSame(before, encodeMeasurement(later))).toBe(true);
    const moved = makePartitionMeasurement({ cleanPoint: { low: 601, high: 601 } });
    expect(foundTheSame(before, encodeMeasurement(moved))).toBe(false);
  });
});
