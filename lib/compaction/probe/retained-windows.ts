import type { ReplicaLog } from "#lib/brokers/replica-log-port.ts";

/** Committed records of one window, as a read_committed reader gets them. */
export interface RetainedWindow {
  /** First offset that the window speaks for. */
  from: number;
  to: number;
  records: number;
  /** Bytes of all its batches: those of transaction markers and aborted records are on the disk too. */
  bytes: number;
}

/**
 * Reads one window read_committed. Batches at or after `end` are left out, and records before the log start: that may
 * have been moved into a batch.
 */
export async function readRetainedWindow(
  log: ReplicaLog,
  offset: number,
  ask: number,
  { logStart, end }: { logStart: number; end: number },
): Promise<RetainedWindow> {
  const window = { from: offset, to: offset, records: 0, bytes: 0 };
  let firstBase: number | null = null;
  let passedEnd = false;
  const answer = await log.fetch(
    { offset, maxBytes: ask, isolation: "read_committed" },
    {
      batch(batch) {
        if (batch.baseOffset >= end) {
          passedEnd = true;
          return false;
        }
        firstBase ??= batch.baseOffset;
        window.bytes += batch.sizeInBytes;
        window.to = batch.lastOffset + 1;
        if (batch.isControl || batch.isAborted) return false;
        if (batch.baseOffset < logStart) return true;
        window.records += batch.recordCount;
        return false;
      },
      record(recordOffset) {
        if (recordOffset >= logStart) window.records += 1;
      },
    },
  );
  window.from = Math.min(offset, firstBase ?? offset);
  // A hole reaches up to what follows it; a batch that begins before `end` belongs to the window whole.
  if (passedEnd || firstBase === null) window.to = Math.max(window.to, Math.min(end, answer.nextOffset));
  return window;
}

/** Windows by offset, none overlapping another: a later one keeps what the earlier does not hold, by share. */
export function disjoinWindows(windows: readonly RetainedWindow[]): RetainedWindow[] {
  const disjoint: RetainedWindow[] = [];
  let end = 0;
  for (const window of [...windows].sort((a, b) => a.from - b.from || a.to - b.to)) {
    if (window.to <= end) continue;
    const from = Math.max(window.from, end);
    const share = (window.to - from) / (window.to - window.from);
    disjoint.push({ from, to: window.to, records: window.records * share, bytes: window.bytes * share });
    end = window.to;
  }
  return disjoint;
}
