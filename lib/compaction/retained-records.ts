import type { ReplicaLog } from "#lib/brokers/replica-log-port.ts";
import { addEstimates, estimated } from "#lib/compaction/estimate.ts";
import { WINDOW_BYTES } from "#lib/compaction/log-explorer.ts";
import { type Estimate, exactly } from "#lib/compaction/measurement.ts";
import type { ProbeBudget } from "#lib/compaction/probe-budget.ts";
import { estimateCleanRecords, estimateDirtyRecords } from "#lib/compaction/retained-estimators.ts";
import { disjoinWindows, type RetainedWindow, readRetainedWindow } from "#lib/compaction/retained-windows.ts";

const WINDOWS_MAX = 40;
/** A section below this many windows is read whole: cheaper than sampling it, and exact. */
const WALK_SHARE = 0.92;
const DIRTY_WINDOWS_MIN = 4;

export interface RetainedRecords {
  /** Records from the log start to the last stable offset; null where too little could be read to say. */
  records: Estimate | null;
  windows: RetainedWindow[];
  /** Bytes from the log start to the clean point, where they were read whole. */
  cleanBytes: number | null;
}

/** How the log is parted for counting. */
export interface RetainedSections {
  logStart: number;
  /** Up to here (exclusive) the log may have been cleaned; from here on there are no holes. */
  cleanEnd: number;
  lastStable: number;
  /** Bytes from the log start to `cleanEnd`; null where the size of the replica is not known. */
  cleanBytes: Estimate | null;
  /** Bytes from `cleanEnd` to the last stable offset, roughly. */
  dirtyBytes: number | null;
}

/** Counts what a read_committed reader gets up to the last stable offset, by at most 40 windows. */
export async function countRetainedRecords(
  log: ReplicaLog,
  sections: RetainedSections,
  budget: ProbeBudget,
  random: () => number,
): Promise<RetainedRecords> {
  const { logStart, cleanEnd, lastStable, cleanBytes, dirtyBytes } = sections;
  if (lastStable <= logStart) return { records: exactly(0), windows: [], cleanBytes: 0 };
  const walkBytes = WINDOWS_MAX * WINDOW_BYTES * WALK_SHARE;
  const reader = new WindowReader(log, budget);

  if (cleanBytes !== null && dirtyBytes !== null && cleanBytes.high + dirtyBytes <= walkBytes) {
    const clean = await reader.walk(logStart, cleanEnd);
    const dirty = await reader.walk(endOf(clean, cleanEnd), lastStable);
    if (clean !== null && dirty !== null) {
      const records = count(clean) + count(dirty);
      return { records: exactly(records), windows: [...clean, ...dirty], cleanBytes: bytesOf(clean) };
    }
  }
  if (cleanBytes !== null && cleanBytes.high <= walkBytes - DIRTY_WINDOWS_MIN * WINDOW_BYTES) {
    const clean = await reader.walk(logStart, cleanEnd);
    if (clean !== null) {
      const section = { from: endOf(clean, cleanEnd), to: lastStable };
      const fits = (dirtyBytes ?? Number.POSITIVE_INFINITY) <= reader.windowsLeft() * WINDOW_BYTES * WALK_SHARE;
      const walked = fits ? await reader.walk(section.from, lastStable) : null;
      const dirty = walked ?? (await reader.sample(section.from, lastStable, reader.windowsLeft(), random));
      const records = addEstimates(exactly(count(clean)), estimateDirtyRecords(dirty, section));
      return { records, windows: [...clean, ...dirty], cleanBytes: bytesOf(clean) };
    }
  }
  return sampleBoth(reader, sections, random);
}

async function sampleBoth(
  reader: WindowReader,
  { logStart, cleanEnd, lastStable, cleanBytes, dirtyBytes }: RetainedSections,
  random: () => number,
): Promise<RetainedRecords> {
  const windows = reader.windowsLeft();
  const total = (cleanBytes?.value ?? cleanBytes?.high ?? 0) + (dirtyBytes ?? 0);
  const dirtyShare = total > 0 ? (dirtyBytes ?? 0) / total : 0.5;
  const isSplit = cleanEnd > logStart && lastStable > cleanEnd;
  const forDirty = isSplit
    ? Math.min(windows / 2, Math.max(DIRTY_WINDOWS_MIN, Math.round(windows * dirtyShare)))
    : windows;

  const dirty = await reader.sample(cleanEnd, lastStable, Math.floor(forDirty), random);
  const clean = await reader.sample(logStart, cleanEnd, reader.windowsLeft(), random);
  const cleanSection = { from: logStart, to: cleanEnd };
  const cleanRecords =
    cleanEnd <= logStart
      ? exactly(0)
      : cleanBytes === null
        ? estimated(null, count(clean), cleanEnd - logStart)
        : estimateCleanRecords(clean, cleanSection, cleanBytes);
  const dirtyRecords =
    lastStable <= cleanEnd ? exactly(0) : estimateDirtyRecords(dirty, { from: cleanEnd, to: lastStable });
  return { records: addEstimates(cleanRecords, dirtyRecords), windows: [...clean, ...dirty], cleanBytes: null };
}

class WindowReader {
  readonly #log: ReplicaLog;
  readonly #budget: ProbeBudget;
  #read = 0;

  constructor(log: ReplicaLog, budget: ProbeBudget) {
    this.#log = log;
    this.#budget = budget;
  }

  windowsLeft(): number {
    return Math.max(0, WINDOWS_MAX - this.#read);
  }

  /** Reads all of `[from, to)`; null where windows or budget ended before. */
  async walk(from: number, to: number): Promise<RetainedWindow[] | null> {
    const windows: RetainedWindow[] = [];
    for (let at = from; at < to; ) {
      const window = await this.#next(at, to);
      if (window === null || window.to <= at) return null;
      windows.push(window);
      at = window.to;
    }
    return windows;
  }

  /** One window at a random offset of each of `count` equal strata; fewer where the budget ends. */
  async sample(from: number, to: number, count: number, random: () => number): Promise<RetainedWindow[]> {
    const windows: RetainedWindow[] = [];
    const span = to - from;
    if (span <= 0) return windows;
    for (const stratum of spreadOrder(count)) {
      const at = from + Math.floor(((stratum + random()) * span) / count);
      const window = await this.#next(Math.min(at, to - 1), to);
      if (window === null) break;
      windows.push({ ...window, from: Math.max(window.from, from) });
    }
    return disjoinWindows(windows);
  }

  async #next(offset: number, end: number): Promise<RetainedWindow | null> {
    if (this.windowsLeft() === 0 || !this.#budget.allows(WINDOW_BYTES)) return null;
    this.#read += 1;
    return readRetainedWindow(this.#log, offset, WINDOW_BYTES, end);
  }
}

/** Strata in an order that stays spread out wherever the budget ends: every eighth one, then the next eighth. */
function spreadOrder(count: number): number[] {
  const order: number[] = [];
  const stride = 8;
  for (const first of [0, 4, 2, 6, 1, 5, 3, 7]) for (let i = first; i < count; i += stride) order.push(i);
  return order;
}

/** Where reading went on to: a batch across `end` was read with the windows before it. */
const endOf = (windows: readonly RetainedWindow[] | null, end: number): number =>
  Math.max(end, windows?.[windows.length - 1]?.to ?? end);
const count = (windows: readonly RetainedWindow[]): number => windows.reduce((sum, window) => sum + window.records, 0);
const bytesOf = (windows: readonly RetainedWindow[]): number => windows.reduce((sum, window) => sum + window.bytes, 0);
