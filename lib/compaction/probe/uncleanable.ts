import type { OffsetInterval } from "#lib/compaction/measurement.ts";
import type { SegmentWalk } from "#lib/compaction/probe/active-segment.ts";
import { findSegmentOf } from "#lib/compaction/probe/active-segment.ts";
import type { LogExplorer } from "#lib/compaction/probe/log-explorer.ts";

/** What keeps the cleaner from going further than an offset. */
export interface UncleanableInput {
  lastStable: number;
  /** First offset whose record is younger than `min.compaction.lag.ms`; null where none is, or no lag is set. */
  tooYoungFrom: number | null;
  segmentBytes: number;
  cleanPoint: OffsetInterval;
  isCleanPointBase: boolean;
}

/**
 * The first uncleanable offset: base of the first segment that is active, holds the last stable offset, or holds a
 * record younger than the compaction lag; `LogCleanerManager.cleanableOffsets`.
 * https://github.com/apache/kafka/blob/4.0.0/core/src/main/scala/kafka/log/LogCleanerManager.scala
 */
export async function findFirstUncleanable(
  explorer: LogExplorer,
  active: OffsetInterval,
  input: UncleanableInput,
): Promise<{ interval: OffsetInterval; walk: SegmentWalk | null }> {
  const held = [input.lastStable < explorer.highWatermark ? input.lastStable : null, input.tooYoungFrom].filter(
    (offset) => offset !== null,
  );
  const target = Math.min(...held);
  if (held.length === 0 || target >= active.high) return { interval: active, walk: null };
  // Everything from the clean point on is one segment or more; a target before it lies in the clean section.
  if (target <= input.cleanPoint.low) {
    return { interval: { low: Math.min(target, input.cleanPoint.low), high: input.cleanPoint.low }, walk: null };
  }
  const walk = await findSegmentOf(explorer, target, {
    floor: input.cleanPoint.low,
    isFloorBase: input.isCleanPointBase,
    segmentBytes: input.segmentBytes,
  });
  const base = walk?.segments[walk.segments.length - 1]?.base;
  if (base === undefined) return { interval: { low: input.cleanPoint.low, high: Math.min(target, active.high) }, walk };
  return { interval: { low: base, high: base }, walk };
}
