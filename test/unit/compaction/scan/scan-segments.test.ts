import { describe, expect, it } from "vitest";
import type { FetchAnswer } from "#lib/brokers/replica-log-port.ts";
import { AnswerCap } from "#lib/compaction/probe/answer-cap.ts";
import { narrowToBases, ScanSegments } from "#lib/compaction/scan/scan-segments.ts";

const ASK = 1000;
const answer = (from: number, next: number, recordSetBytes: number, isCut = false): FetchAnswer => ({
  recordSetBytes,
  batchCount: 3,
  endsInPartialBatch: isCut,
  firstBaseOffset: from,
  lastBaseOffset: next - 1,
  nextOffset: next,
  highWatermark: 1000,
  lastStableOffset: 1000,
  logStartOffset: 0,
  wasThrottled: false,
});

function walk(cap: number | null): ScanSegments {
  const segments = new ScanSegments(new AnswerCap(cap));
  segments.add(ASK, answer(0, 100, ASK, true), 990, 400);
  segments.add(ASK, answer(100, 180, 700), 1690, 400);
  // The head of the next segment was cleaned away: it begins at the first batch that is left.
  segments.add(ASK, answer(185, 300, ASK, true), 2680, 400);
  segments.add(ASK, answer(300, 400, 900), 3580, 400);
  return segments;
}

describe("segments that a scan walks over", () => {
  it("begin where an answer ended short of what was asked for, with the bytes before them", () => {
    expect(walk(10_000).seen).toEqual([{ base: 185, bytesBefore: 1690 }]);
  });

  it("leave one base in a bracket: that is the clean point", () => {
    expect(narrowToBases({ low: 150, high: 250 }, walk(10_000), 0, 1_000_000)).toEqual({ low: 185, high: 185 });
  });

  it("narrow nothing where the offset map can have been full, or its size is not known", () => {
    const bracket = { low: 150, high: 250 };
    expect(narrowToBases(bracket, walk(10_000), 0, 200)).toEqual(bracket);
    expect(narrowToBases(bracket, walk(10_000), 0, null)).toEqual(bracket);
  });

  it("count the log start as a base", () => {
    expect(narrowToBases({ low: 0, high: 160 }, walk(10_000), 0, 1_000_000)).toEqual({ low: 0, high: 0 });
  });

  it("narrow nothing where an end could not be proved", () => {
    const segments = new ScanSegments(new AnswerCap(null));
    segments.add(ASK, answer(0, 100, 700), 700, 400);
    const bracket = { low: 0, high: 250 };
    expect(narrowToBases(bracket, segments, 0, 1_000_000)).toEqual(bracket);
  });

  it("are forgotten where the walk begins again", () => {
    const segments = walk(10_000);
    segments.clear();
    expect(segments.seen).toEqual([]);
  });
});
