import { describe, expect, it } from "vitest";
import { describeReading } from "#components/topics/reading-text.ts";

const reading = (low: number, high: number, value: number | null) => ({
  estimate: { value, low, high, exact: false },
  method: "probe" as const,
  measuredAt: 0,
});

describe("a share", () => {
  it("is not known where its bounds say nothing, and says how it becomes known", () => {
    expect(describeReading(reading(0, 1, null), "share")).toEqual({
      figure: "—",
      method: "by probe",
      error: "known by scan",
    });
  });

  it("is shown by its bounds where they say something", () => {
    expect(describeReading(reading(0, 0.4, null), "share").figure).toContain("40");
  });
});
