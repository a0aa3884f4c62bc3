import type { OffsetInterval, WarningCode } from "#lib/compaction/measurement.ts";
import { type LogExplorer, type SegmentBoundary, WINDOW_BYTES_MAX } from "#lib/compaction/probe/log-explorer.ts";

/** Where to look first: what the last probe found. */
export interface ProbeHints {
  cleanPoint?: number;
  activeSegmentBase?: number;
  /** First offset that a look-up by time found: nothing is proved by it, but a start that is gone needs no look. */
  firstSurvivor?: number | null;
}

/** Larger windows than for counting: they hold evidence more often, so that fewer are needed. */
const SEARCH_BYTES = 128 * 1024 - 1;
/** Offsets before a hint at which to look, so that the window holds both sides of it. */
const HINT_BACK_OFFSETS = 64;

/**
 * Narrows the bracket of the clean point by looking into the middle of its largest part that nobody looked at, until
 * there is none or the budget ends. A window that told nothing doubles the next one: silence is no evidence, but in a
 * sparse section a larger window is more likely to hold some.
 */
export async function searchCleanPoint(
  explorer: LogExplorer,
  hints: ProbeHints,
  limits: { fetches: number; bytesKept: number },
): Promise<void> {
  const { evidence } = explorer;
  let fetches = 0;
  for (const hint of [hints.cleanPoint, hints.activeSegmentBase]) {
    if (hint === undefined || hint <= explorer.logStart || hint > explorer.highWatermark) continue;
    if (!explorer.canLook() || evidence.low >= evidence.high) break;
    await explorer.look(Math.max(explorer.logStart, hint - HINT_BACK_OFFSETS));
    fetches += 1;
  }
  const isStartGone = hints.firstSurvivor != null && hints.firstSurvivor > explorer.logStart;
  let ask = SEARCH_BYTES;
  while (evidence.low < evidence.high && fetches < limits.fetches && explorer.canLook(ask, limits.bytesKept)) {
    if (await isSettledByBoundary(explorer)) return;
    const { low, high } = evidence;
    const target = nextTarget(explorer, fetches > 0 && !isStartGone);
    if (target === null) return;
    await explorer.look(target, ask);
    fetches += 1;
    const toldNothing = evidence.low === low && evidence.high === high;
    ask = toldNothing ? Math.min(WINDOW_BYTES_MAX, 2 * ask + 1) : SEARCH_BYTES;
  }
}

/**
 * Where to look next: the start, if the middle of the log has shown no hole (it may never have been cleaned); else right
 * before a boundary that may be the clean point; else the middle of the largest part that nobody looked at.
 */
function nextTarget(explorer: LogExplorer, mayBeUncleaned: boolean): number | null {
  const { evidence, explored, logStart } = explorer;
  const { low, high } = evidence;
  if (mayBeUncleaned && low === logStart && !explored.covers(logStart, logStart + 1)) return logStart;
  const boundary = onlyBoundaryWithin(explorer);
  if (boundary !== null) {
    // One window's worth before it: what is seen up to the boundary leaves the boundary alone to be the clean point.
    const density = explorer.bytesPerOffset(low, boundary.next) ?? explorer.bytesPerOffset(low, explorer.highWatermark);
    const reach = Math.max(HINT_BACK_OFFSETS, Math.floor((0.8 * SEARCH_BYTES) / (density ?? SEARCH_BYTES)));
    const gap = explored.gaps(Math.max(logStart, low - 1), boundary.next).pop();
    const isNear = gap !== undefined && gap.to > boundary.next - reach;
    if (gap && isNear) return Math.max(gap.from, gap.to - reach);
  }
  const gap = explored.largestGap(likelyLow(explorer), high) ?? explored.largestGap(low, high);
  if (gap === null) return null;
  return gap.from + Math.floor((gap.to - gap.from) / 2);
}

/**
 * From the clean point on there is a record at every offset, and all of them fit into the replica's bytes: at the bytes
 * a record takes in what was seen, the clean point is hardly lower. No evidence, only a better place to look.
 */
function likelyLow({ evidence, windows, replicaBytes, highWatermark }: LogExplorer): number {
  const records = windows.reduce((sum, window) => sum + window.records, 0);
  const bytes = windows.reduce((sum, window) => sum + window.bytes, 0);
  if (replicaBytes === null || records === 0) return evidence.low;
  const guess = highWatermark - Math.ceil((replicaBytes * records) / bytes);
  return guess > evidence.low && guess < evidence.high ? guess : evidence.low;
}

function onlyBoundaryWithin(explorer: LogExplorer): SegmentBoundary | null {
  const { low, high } = explorer.evidence;
  const inside = [...explorer.boundaries.values()].filter(({ next, first }) => next <= high && (first ?? next) >= low);
  return inside.length === 1 ? inside[0]! : null;
}

/** The segment behind a boundary is this many times longer than the bracket, by bytes. */
const SETTLED_FACTOR = 2;

/**
 * One boundary lies in the bracket, all before it was seen, and the segment that begins there reaches well beyond the
 * bracket: no other boundary can be the clean point, so that there is no need to narrow further.
 */
async function isSettledByBoundary(explorer: LogExplorer): Promise<boolean> {
  const { low, high } = explorer.evidence;
  const boundary = onlyBoundaryWithin(explorer);
  if (!explorer.canPeek() || boundary === null) return false;
  if (!explorer.explored.covers(Math.max(explorer.logStart, low - 1), boundary.next)) return false;
  const density = explorer.highestDensityFrom(low);
  if (density === null) return false;
  const neededBytes = SETTLED_FACTOR * density * (high - boundary.next);
  if (neededBytes > explorer.segmentBytes) return false; // no segment is that long: not worth a peek
  const base = await explorer.resolveFirst(boundary);
  if (base === null || base < low || base > high) return false;
  const segment = await explorer.peek(base);
  // Records at the segment's head may be of another size than those that were looked at further on.
  if (segment.headDensity === null) return false;
  return segment.recordSetBytes >= SETTLED_FACTOR * Math.max(density, segment.headDensity) * (high - base);
}

export interface CleanPoint {
  interval: OffsetInterval;
  /** The interval is one offset by proof: bracket and segment boundaries meet there. */
  isExact: boolean;
  warning: WarningCode | null;
}

/** A bracket of at most this many bytes is read through, so that each segment boundary within it is seen. */
const BRACKET_BYTES_MAX = 512 * 1024;

/**
 * The clean point is the base of a segment, unless the cleaner's offset map was full in its last run. So what bracket
 * and boundaries have in common is the clean point, if the map can't have been full: if no more records lie before it
 * than the map holds keys.
 *
 * @param offsetMapCapacity keys that the cleaner's map holds; null where the broker's settings can't be read
 */
export async function resolveCleanPoint(explorer: LogExplorer, offsetMapCapacity: number | null): Promise<CleanPoint> {
  const { evidence, logStart } = explorer;
  const isSettled = evidence.low < evidence.high && (await isSettledByBoundary(explorer));
  if (!isSettled) await readBracket(explorer);
  await resolveBoundaries(explorer);
  const { low, high } = evidence;
  const isRead = explorer.explored.covers(Math.max(logStart, low - 1), high);
  const candidates = candidateBases(explorer, low, high);
  const canMapBeFull = offsetMapCapacity === null || high - logStart > offsetMapCapacity;

  if (low > high) return { interval: { low: high, high: low }, isExact: false, warning: "cleaning-in-progress" };
  if (low === high) return { interval: { low, high }, isExact: true, warning: null };
  if (!isRead && !isSettled) return { interval: { low, high }, isExact: false, warning: "no-rewrites" };
  if (isUnresolved(explorer, low, high)) return { interval: { low, high }, isExact: false, warning: "budget-ended" };
  if (candidates.length === 0) return { interval: { low, high }, isExact: false, warning: "offset-map-full" };
  if (canMapBeFull) return { interval: { low, high }, isExact: false, warning: null };
  const interval = { low: candidates[0]!, high: candidates[candidates.length - 1]! };
  if (candidates.length === 1) return { interval, isExact: true, warning: null };
  return { interval, isExact: false, warning: "no-rewrites" };
}

async function readBracket(explorer: LogExplorer): Promise<void> {
  const { evidence, explored, logStart } = explorer;
  const unread = explored.gaps(Math.max(logStart, evidence.low - 1), evidence.high);
  const offsets = unread.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const density = explorer.bytesPerOffset(evidence.low, explorer.highWatermark) ?? 0;
  if (offsets * density > BRACKET_BYTES_MAX) return; // reading a part of it would settle nothing
  let budgetBytes = BRACKET_BYTES_MAX;
  for (;;) {
    if (evidence.low >= evidence.high) return;
    const [gap] = explored.gaps(Math.max(logStart, evidence.low - 1), evidence.high);
    if (gap === undefined || budgetBytes <= 0 || !explorer.canLook()) return;
    const look = await explorer.look(gap.from);
    budgetBytes -= Math.max(look.bytes, 1024);
    if (look.to <= gap.from) return;
  }
}

/** Looks behind each boundary that may be the clean point: `first` is its base, and what stands there is evidence too. */
async function resolveBoundaries(explorer: LogExplorer): Promise<void> {
  await explorer.proveEnds(explorer.evidence.low - 1, explorer.evidence.high);
  for (const boundary of [...explorer.boundaries.values()]) {
    const { low, high } = explorer.evidence;
    if (boundary.first === null && boundary.next <= high && boundary.next >= low - 1) {
      await explorer.resolveFirst(boundary);
    }
  }
}

/** A boundary that may be the clean point was seen, but not what stands behind it. */
function isUnresolved(explorer: LogExplorer, low: number, high: number): boolean {
  if (explorer.hasUnprovenEnd(low - 1, high)) return true;
  return [...explorer.boundaries.values()].some(({ next, first }) => first === null && next >= low - 1 && next <= high);
}

function candidateBases(explorer: LogExplorer, low: number, high: number): number[] {
  const bases = new Set<number>();
  if (low === explorer.logStart) bases.add(low);
  // An empty active segment begins at the log end, and no answer can end before it.
  if (high >= explorer.highWatermark) bases.add(explorer.highWatermark);
  for (const { first } of explorer.boundaries.values()) {
    if (first !== null && first >= low && first <= high) bases.add(first);
  }
  return [...bases].sort((a, b) => a - b);
}
