import { estimated } from "#lib/compaction/estimate.ts";
import { type Estimate, exactly, type OffsetInterval } from "#lib/compaction/measurement.ts";
import { findSegmentOf, type SegmentWalk } from "#lib/compaction/probe/active-segment.ts";
import { resolveCleanPoint, searchCleanPoint } from "#lib/compaction/probe/clean-point-search.ts";
import { type CleanerRatio, cleanerRatio } from "#lib/compaction/probe/cleaner-ratio.ts";
import { bytesAfter } from "#lib/compaction/probe/log-bytes.ts";
import type { CleanerSettings } from "#lib/compaction/probe/probe-input.ts";
import { type BrokerLimits, type ReplicaPosition, SEARCH_AGAIN } from "#lib/compaction/probe/probe-replica.ts";
import { findFirstUncleanable } from "#lib/compaction/probe/uncleanable.ts";

/** Segments and bytes of the leader's log around its clean point. */
export interface LeaderSegments {
  active: OffsetInterval | null;
  walk: SegmentWalk | null;
  firstUncleanable: OffsetInterval;
  uncleanableWalk: SegmentWalk | null;
}

/** Finds the active segment; it bounds the clean point too, so that a bracket that was wide is searched again. */
export async function findLeaderSegments(
  position: ReplicaPosition,
  settings: CleanerSettings,
  limits: BrokerLimits,
  tooYoungFrom: number | null,
): Promise<LeaderSegments> {
  const { explorer, offsets } = position;
  const walk = await walkToLogEnd(position, settings);
  const activeBase = walk?.reachedLogEnd ? walk.segments[walk.segments.length - 1]!.base : null;
  // A replica that was copied from a cleaned log can show holes in its active segment: there it proves nothing.
  const { low, high } = explorer.evidence;
  if (activeBase !== null && activeBase < high && activeBase >= low) explorer.evidence.limit(activeBase);
  if (!position.cleanPoint.isExact) {
    // Where no window showed a rewrite, more of them would not either: the cost of an honest interval stays small.
    if (explorer.evidence.hasAny) await searchCleanPoint(explorer, {}, SEARCH_AGAIN);
    position.cleanPoint = await resolveCleanPoint(explorer, limits.offsetMapCapacity);
  }
  const { cleanPoint } = position;
  // A log start that was moved into a segment hides that segment's base.
  const isHidden = activeBase !== null && activeBase === explorer.logStart && activeBase > 0;
  const active = activeBase === null ? null : { low: isHidden ? 0 : activeBase, high: activeBase };
  const { interval, walk: uncleanableWalk } = await findFirstUncleanable(
    explorer,
    active ?? { low: cleanPoint.interval.low, high: explorer.highWatermark },
    {
      lastStable: offsets.lastStable,
      tooYoungFrom,
      segmentBytes: settings.segmentBytes,
      cleanPoint: cleanPoint.interval,
      isCleanPointBase: cleanPoint.isExact || cleanPoint.interval.low === explorer.logStart,
    },
  );
  return {
    active,
    walk,
    firstUncleanable: active !== null && interval === active ? { low: active.high, high: active.high } : interval,
    uncleanableWalk,
  };
}

async function walkToLogEnd({ explorer, cleanPoint }: ReplicaPosition, settings: CleanerSettings) {
  if (explorer.highWatermark <= explorer.logStart) return null;
  const { low } = cleanPoint.interval;
  if (low >= explorer.highWatermark) return null;
  return findSegmentOf(explorer, explorer.highWatermark - 1, {
    floor: low,
    // The first segment begins at the log start, or holds it: as far as can be read, that is its base.
    isFloorBase: cleanPoint.isExact || low === explorer.logStart,
    segmentBytes: settings.segmentBytes,
  });
}

export interface LeaderBytes extends CleanerRatio {
  activeBytes: Estimate | null;
  afterCleanPoint: Estimate;
  /** The same by segments and density alone. */
  countedAfterCleanPoint: Estimate;
}

/**
 * Parts the replica's bytes as the cleaner does.
 * @param cleanBytesRead bytes before the clean point where they were read whole; they make the rest exact
 */
export function partLogBytes(
  position: ReplicaPosition,
  segments: LeaderSegments,
  total: number,
  cleanBytesRead: number | null,
): LeaderBytes {
  const { explorer, cleanPoint } = position;
  const { walk, uncleanableWalk, firstUncleanable, active } = segments;
  const best = longerWalk(walk, uncleanableWalk);
  const counted = bytesAfter(explorer, cleanPoint.interval, best, total);
  const isStartInside = explorer.logStart > 0 && cleanPoint.interval.low === explorer.logStart;
  const afterCleanPoint =
    cleanBytesRead !== null && cleanPoint.isExact && !counted.exact && explorer.logStart === 0
      ? exactly(Math.max(0, total - cleanBytesRead))
      : counted;
  const afterUncleanable =
    active === null && firstUncleanable.low < firstUncleanable.high
      ? estimated(null, 0, afterCleanPoint.high)
      : bytesAfter(
          explorer,
          firstUncleanable,
          active !== null && firstUncleanable.low >= active.high ? walk : best,
          total,
        );
  const isAllHeld = firstUncleanable.high <= cleanPoint.interval.low;
  const split = splitSegment(position, best, counted, total, isStartInside);
  const ratio = cleanerRatio({ total, afterCleanPoint, afterUncleanable, isAllHeld, ...split });
  const activeBytes =
    active === null ? null : bytesAfter(explorer, { low: active.high, high: active.high }, walk, total);
  const parts = { ...ratio, activeBytes, afterCleanPoint, countedAfterCleanPoint: counted };
  // A log start inside the active segment: what it hides lies in that segment too, older ones are gone.
  const isOnlyActive = active === null ? explorer.highWatermark === explorer.logStart : active.low < active.high;
  return isOnlyActive ? { ...parts, cleanBytes: exactly(0), activeBytes: exactly(total) } : parts;
}

/** Bytes of the segment that the clean point may lie inside of: moved by DeleteRecords, or with a full offset map. */
function splitSegment(
  { cleanPoint, explorer }: ReplicaPosition,
  walk: SegmentWalk | null,
  afterStart: Estimate,
  total: number,
  isStartInside: boolean,
): { segmentBeforeCleanPoint: Estimate; segmentAfterCleanPoint: Estimate } {
  const none = { segmentBeforeCleanPoint: exactly(0), segmentAfterCleanPoint: exactly(0) };
  if (cleanPoint.warning === "offset-map-full") {
    const any = estimated(null, 0, Math.min(total, explorer.segmentBytes));
    return { segmentBeforeCleanPoint: any, segmentAfterCleanPoint: any };
  }
  if (!isStartInside) return none;
  const first = walk?.segments[0]?.base === cleanPoint.interval.low ? walk.segments[0] : undefined;
  const firstBytes =
    first === undefined
      ? estimated(null, 0, afterStart.high)
      : first.areBytesExact
        ? exactly(first.bytes)
        : estimated(first.bytes, first.bytes * 0.95, first.bytes * 1.05);
  const before = afterStart.exact
    ? exactly(Math.max(0, total - afterStart.value!))
    : estimated(
        afterStart.value === null ? null : Math.max(0, total - afterStart.value),
        Math.max(0, total - afterStart.high),
        Math.max(0, total - afterStart.low),
      );
  return before.high === 0 ? none : { segmentBeforeCleanPoint: before, segmentAfterCleanPoint: firstBytes };
}

function longerWalk(a: SegmentWalk | null, b: SegmentWalk | null): SegmentWalk | null {
  if (a === null || b === null) return a ?? b;
  const known = new Map([...b.segments, ...a.segments].map((segment) => [segment.base, segment]));
  return {
    segments: [...known.values()].sort((x, y) => x.base - y.base),
    reachedLogEnd: a.reachedLogEnd || b.reachedLogEnd,
  };
}
