import { estimated, tQuantile } from "#lib/compaction/estimate.ts";
import { type Estimate, exactly, type OffsetInterval } from "#lib/compaction/measurement.ts";
import type { KnownSegment, SegmentWalk } from "#lib/compaction/probe/active-segment.ts";
import type { LogExplorer } from "#lib/compaction/probe/log-explorer.ts";

/** Bytes per offset of a few windows is never trusted to less than this. */
const DENSITY_ERROR_MIN = 0.02;
/** With a single window there is no spread to judge by. */
const DENSITY_ERROR_SINGLE = 0.25;

/**
 * Bytes from each of the two ends of an interval to the log end: known segments exactly, the rest by the bytes per
 * offset of the windows that lie there.
 * @param holdsAllTo bytes that it can't exceed (the replica's)
 */
export function bytesAfter(
  explorer: LogExplorer,
  point: OffsetInterval,
  walk: SegmentWalk | null,
  holdsAllTo: number,
): Estimate {
  const fromLow = bytesToEnd(explorer, point.low, walk);
  const fromHigh = point.high === point.low ? fromLow : bytesToEnd(explorer, point.high, walk);
  if (point.high === point.low && fromLow.exact) return fromLow;
  const value = point.high === point.low ? fromLow.value : null;
  return estimated(value, Math.min(fromHigh.low, holdsAllTo), Math.min(fromLow.high, holdsAllTo));
}

function bytesToEnd(explorer: LogExplorer, from: number, walk: SegmentWalk | null): Estimate {
  const end = explorer.highWatermark;
  if (from >= end) return exactly(0);
  const inside = (walk?.segments ?? []).filter((segment) => segment.base >= from);
  const knownBytes = inside.reduce((sum, segment) => sum + segment.bytes, 0);
  const areExact = inside.every((segment) => segment.areBytesExact);
  const knownOffsets = inside.reduce((sum, segment) => sum + Math.min(end, segment.end) - segment.base, 0);
  const unknownOffsets = Math.max(0, end - from - knownOffsets);
  if (unknownOffsets === 0 && areExact) return exactly(knownBytes);
  const density = densityBetween(explorer, from, end, inside);
  if (density === null) return estimated(null, knownBytes, Number.MAX_SAFE_INTEGER);
  const slack = areExact ? 0 : 0.02 * knownBytes;
  return estimated(
    knownBytes + unknownOffsets * density.value,
    knownBytes - slack + unknownOffsets * density.low,
    knownBytes + slack + unknownOffsets * density.high,
  );
}

const UNEVEN_FACTOR = 10;

interface Density {
  value: number;
  low: number;
  high: number;
}

/** Bytes per offset with about 95 % bounds, from windows and known segments between two offsets. */
function densityBetween(
  explorer: LogExplorer,
  from: number,
  to: number,
  known: readonly KnownSegment[],
): Density | null {
  const windows = explorer.windows.filter(
    (window) => window.from >= from && window.to <= to && window.to > window.from,
  );
  const parts = [
    ...windows.map((window) => ({ bytes: window.bytes, span: window.to - window.from })),
    ...known.map((segment) => ({ bytes: segment.bytes, span: segment.end - segment.base })),
  ].filter((part) => part.bytes > 0 && part.span > 0);
  const span = parts.reduce((sum, part) => sum + part.span, 0);
  if (parts.length === 0) return null;
  const value = parts.reduce((sum, part) => sum + part.bytes, 0) / span;
  if (parts.length === 1) {
    return { value, low: value * (1 - DENSITY_ERROR_SINGLE), high: value * (1 + DENSITY_ERROR_SINGLE) };
  }
  // Sizes that differ this much follow no distribution that a few windows could tell.
  const each = parts.map((part) => part.bytes / part.span);
  const [least, most] = [Math.min(...each), Math.max(...each)];
  if (most > UNEVEN_FACTOR * least) return { value, low: least, high: most };
  const squares = parts.reduce((sum, part) => sum + (part.bytes - value * part.span) ** 2, 0);
  const error = Math.sqrt((parts.length / (parts.length - 1)) * squares) / span;
  const half = Math.max(DENSITY_ERROR_MIN * value, tQuantile(parts.length - 1) * error);
  return { value, low: Math.max(0, value - half), high: value + half };
}
