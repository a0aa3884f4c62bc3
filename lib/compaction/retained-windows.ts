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

/** Reads one window read_committed. Batches at or after `end` are left out. */
export async function readRetainedWindow(
  log: ReplicaLog,
  offset: number,
  ask: number,
  end: number,
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
        if (!batch.isControl && !batch.isAborted) window.records += batch.recordCount;
        return false;
      },
      record() {},
    },
  );
  window.from = Math.min(offset, firstBase ?? offset);
  // A hole reaches up to what follows it; a batch that begins before `end` belongs to the window whole.
  if (passedEnd || firstBase === null) window.to = Math.max(window.to, Math.min(end, answer.nextOffset));
  return window;
}

/** Windows by offset, overlapping ones made one (the later keeps only what the earlier does not hold, by share). */
export function mergeWindows(windows: readonly RetainedWindow[]): RetainedWindow[] {
  const merged: RetainedWindow[] = [];
  for (const window of [...windows].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = merged[merged.length - 1];
    if (last === undefined || window.from >= last.to) {
      merged.push({ ...window });
    } else if (window.to > last.to) {
      const share = (window.to - last.to) / (window.to - window.from);
      last.records += window.records * share;
      last.bytes += window.bytes * share;
      last.to = window.to;
    }
  }
  return merged;
}
