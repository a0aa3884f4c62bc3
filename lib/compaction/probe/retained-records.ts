import type { ReplicaLog } from "#lib/brokers/replica-log-port.ts";
import { addEstimates, estimated } from "#lib/compaction/estimate.ts";
import { type Estimate, exactly } from "#lib/compaction/measurement.ts";
import { WINDOW_BYTES } from "#lib/compaction/probe/log-explorer.ts";
import type { ProbeBudget } from "#lib/compaction/probe/probe-budget.ts";
import { estimateCleanRecords, estimateDirtyRecords } from "#lib/compaction/probe/retained-estimators.ts";
import { disjoinWindows, type RetainedWindow, readRetainedWindow } from "#lib/compaction/probe/retained-windows.ts";

const WINDOWS_MAX = 40;
/** A section below this many windows is read whole: cheaper than sampling it, and exact. */
const WALK_SHARE = 0.95;
const DIRTY_WINDOWS_MIN = 4;
const SAMPLE_MIN = 8;

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
  /** Windows that were read already and hold no transaction: a read_committed reader gets the same from them. */
  known: readonly RetainedWindow[];
  /** A window loses a part of a batch at its end. */
  largestBatchBytes: number;
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
  const reader = new WindowReader(log, budget, sections);
  const { largestBatchBytes } = sections;
  const windowYield = WALK_SHARE * (WINDOW_BYTES - (largestBatchBytes < WINDOW_BYTES ? largestBatchBytes / 2 : 0));
  if (cleanBytes === null || cleanBytes.high > (WINDOWS_MAX - DIRTY_WINDOWS_MIN) * windowYield) {
    return sampleBoth(reader, sections, [], random);
  }
  const clean = await reader.walk(logStart, cleanEnd);
  if (!clean.isComplete) return sampleBoth(reader, sections, clean.windows, random);

  const section = { from: endOf(clean.windows, cleanEnd), to: lastStable };
  const canWalk = dirtyBytes !== null && dirtyBytes <= reader.windowsLeft() * windowYield;
  const walked = canWalk ? await reader.walk(section.from, lastStable) : { windows: [], isComplete: false };
  const dirty = walked.isComplete
    ? walked.windows
    : disjoinWindows([
        ...walked.windows,
        ...(await reader.sample(section.from, lastStable, reader.windowsLeft(), random)),
      ]);
  const dirtyRecords = walked.isComplete ? exactly(count(dirty)) : estimateDirtyRecords(dirty, section);
  return {
    records: addEstimates(exactly(count(clean.windows)), dirtyRecords),
    windows: [...clean.windows, ...dirty],
    cleanBytes: bytesOf(clean.windows),
  };
}

/** @param read windows of the clean section that were read already */
async function sampleBoth(
  reader: WindowReader,
  { logStart, cleanEnd, lastStable, cleanBytes, dirtyBytes }: RetainedSections,
  read: readonly RetainedWindow[],
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
  const sampled = await reader.sample(logStart, cleanEnd, reader.windowsLeft(), random);
  const clean = disjoinWindows([...read, ...sampled]);
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
  readonly #logStart: number;
  readonly #known: readonly RetainedWindow[];
  #read = 0;

  constructor(log: ReplicaLog, budget: ProbeBudget, { logStart, known }: RetainedSections) {
    this.#logStart = logStart;
    this.#known = [...known].sort((a, b) => a.from - b.from || b.to - a.to);
    this.#log = log;
    this.#budget = budget;
  }

  windowsLeft(): number {
    return Math.max(0, WINDOWS_MAX - this.#read);
  }

  /** Reads all of `[from, to)` that is not known yet, or as much as windows and budget allow. */
  async walk(from: number, to: number): Promise<{ windows: RetainedWindow[]; isComplete: boolean }> {
    const windows: RetainedWindow[] = [];
    let at = from;
    for (const known of [...this.#knownWithin(from, to), null]) {
      const end = known?.from ?? to;
      while (at < end) {
        const window = await this.#next(at, end);
        if (window === null || window.to <= at) return { windows, isComplete: false };
        windows.push(window);
        at = window.to;
      }
      if (known === null) break;
      windows.push(known);
      at = known.to;
    }
    return { windows, isComplete: true };
  }

  /** Known windows within a section, none overlapping another. */
  #knownWithin(from: number, to: number): RetainedWindow[] {
    const windows: RetainedWindow[] = [];
    let at = from;
    for (const window of this.#known) {
      if (window.from < at || window.to > to) continue;
      windows.push(window);
      at = window.to;
    }
    return windows;
  }

  /** One window at a random offset of each of `count` equal strata; fewer where the budget ends. */
  async sample(from: number, to: number, count: number, random: () => number): Promise<RetainedWindow[]> {
    const windows: RetainedWindow[] = [];
    const span = to - from;
    if (span <= 0 || count <= 0) return windows;
    for (const stratum of spreadOrder(count)) {
      const at = from + Math.floor(((stratum + random()) * span) / count);
      const window = await this.#next(Math.min(at, to - 1), to);
      if (window === null) break;
      windows.push({ ...window, from: Math.max(window.from, from) });
    }
    // Known windows lie where something was looked for, not at random: they only help where there are few others.
    const isFew = windows.length < SAMPLE_MIN;
    return disjoinWindows(isFew ? [...windows, ...this.#knownWithin(from, to)] : windows);
  }

  async #next(offset: number, end: number): Promise<RetainedWindow | null> {
    if (this.windowsLeft() === 0 || !this.#budget.allows(WINDOW_BYTES)) return null;
    this.#read += 1;
    return readRetainedWindow(this.#log, offset, WINDOW_BYTES, { logStart: this.#logStart, end });
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
const endOf = (windows: readonly RetainedWindow[], end: number): number =>
  Math.max(end, windows[windows.length - 1]?.to ?? end);
const count = (windows: readonly RetainedWindow[]): number => windows.reduce((sum, window) => sum + window.records, 0);
const bytesOf = (windows: readonly RetainedWindow[]): number => windows.reduce((sum, window) => sum + window.bytes, 0);
