import type { KeptColumn } from "#lib/compaction/measurement.ts";
import type { RetainedWindow } from "#lib/compaction/probe/retained-windows.ts";

/** Columns of the strip's clean section: about one for 6 pixels of a row. */
const COLUMNS = 56;

/** Of the offsets from `from` to `to`, the share that still hold a record, column by column; null where nobody looked. */
export function keptColumns(windows: readonly RetainedWindow[], from: number, to: number): KeptColumn[] {
  const span = to - from;
  if (span <= 0) return [];
  const count = Math.min(COLUMNS, span);
  return Array.from({ length: count }, (_, index) => {
    const column = {
      from: from + Math.floor((index * span) / count),
      to: from + Math.floor(((index + 1) * span) / count),
    };
    return { ...column, share: keptShare(windows, column) };
  });
}

function keptShare(windows: readonly RetainedWindow[], column: { from: number; to: number }): number | null {
  let records = 0;
  let seen = 0;
  for (const window of windows) {
    const overlap = Math.min(window.to, column.to) - Math.max(window.from, column.from);
    if (overlap <= 0) continue;
    records += (window.records * overlap) / (window.to - window.from);
    seen += overlap;
  }
  return seen === 0 ? null : Math.min(1, records / seen);
}
