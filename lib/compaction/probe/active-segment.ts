import type { LogExplorer } from "#lib/compaction/probe/log-explorer.ts";
import { findSegmentEnd } from "#lib/compaction/probe/segment-search.ts";

/** A segment of which base and size are known. */
export interface KnownSegment {
  base: number;
  /** Base of the next segment; the log end for the active one. */
  end: number;
  bytes: number;
  areBytesExact: boolean;
  /** See `SegmentEnd`. */
  isJumped: boolean;
}

export interface SegmentWalk {
  /** Consecutive segments up to the one that holds the target, in order. */
  segments: KnownSegment[];
  /** The last of `segments` is the active one. */
  reachedLogEnd: boolean;
}

/** Segments are a little smaller than `segment.bytes`; and density is an estimate. */
const SEGMENT_SLACK = 1.08;
const SEGMENTS_FORWARD_MAX = 2;
const SEGMENTS_MAX = 8;
const STEPS_BACK_MAX = 3;

/**
 * Finds the segment that holds `target` and what lies between it and `floor`, from `floor` on where that is near, else
 * from about one segment before the target. The active segment is the one that holds the log end.
 *
 * @param floor an offset at or below the base that is looked for; a base itself where `isFloorBase`
 * @returns null where it was not reached
 */
export async function findSegmentOf(
  explorer: LogExplorer,
  target: number,
  options: { floor: number; isFloorBase: boolean; segmentBytes: number },
): Promise<SegmentWalk | null> {
  let span = await segmentSpan(explorer, target, options);
  // Two steps from one segment to the next: from a base that is near, everything up to the target is known exactly.
  if (options.isFloorBase && target - options.floor <= span * SEGMENTS_FORWARD_MAX) span = target - options.floor;
  for (let back = 0; back <= STEPS_BACK_MAX; back += 1) {
    const from = Math.max(options.floor, target - span);
    const isBase = from === options.floor && options.isFloorBase;
    const walk = await walkSegments(explorer, from, isBase, target);
    if (walk === "reached") return null;
    if (walk !== "began-inside") return walk;
    if (from === options.floor) return null;
    span *= 3; // larger than expected: segment.bytes was lowered since, or the density differs
  }
  return null;
}

async function segmentSpan(
  explorer: LogExplorer,
  target: number,
  { floor, segmentBytes }: { floor: number; segmentBytes: number },
): Promise<number> {
  let density = explorer.bytesPerOffset(explorer.evidence.low, explorer.highWatermark);
  if (density === null && explorer.canLook() && target > floor) {
    const look = await explorer.look(floor + Math.floor((target - floor) / 2));
    if (look.to > look.from && look.bytes > 0) density = look.bytes / (look.to - look.from);
  }
  if (density === null || density <= 0) return target - floor;
  return Math.max(1, Math.ceil((segmentBytes * SEGMENT_SLACK) / density));
}

/**
 * Walks from one segment to the next until one holds `target`.
 * @returns `began-inside` where `from` already lies in that segment and is not its base; `reached` where a step failed
 */
async function walkSegments(
  explorer: LogExplorer,
  from: number,
  isFromBase: boolean,
  target: number,
): Promise<SegmentWalk | "began-inside" | "reached"> {
  const segments: KnownSegment[] = [];
  let at = from;
  let isBase = isFromBase;
  for (let count = 0; count < SEGMENTS_MAX; count += 1) {
    const end = await findSegmentEnd(explorer, at);
    if (end === null) return "reached";
    if (isBase)
      segments.push({
        base: at,
        end: end.base,
        bytes: end.bytes,
        areBytesExact: end.areBytesExact,
        isJumped: end.isJumped,
      });
    if (end.isLogEnd || end.base > target) {
      return isBase ? { segments, reachedLogEnd: end.isLogEnd } : "began-inside";
    }
    at = end.base;
    isBase = true;
    // Small segments (rolled by time): what is left would take too many; jump nearer to the target.
    const next = jumpAhead(explorer, segments, at, target);
    if (next !== null) {
      at = next;
      isBase = false;
      segments.length = 0;
    }
  }
  return "reached";
}

function jumpAhead(explorer: LogExplorer, segments: KnownSegment[], at: number, target: number): number | null {
  const last = segments[segments.length - 1];
  if (last === undefined || segments.length < 2) return null;
  const span = Math.max(...segments.map((segment) => segment.end - segment.base));
  const left = (target - at) / span;
  return left > SEGMENTS_MAX / 2 && explorer.canLook() ? Math.max(at, target - Math.ceil(1.5 * span)) : null;
}
