import { estimated } from "#lib/compaction/estimate.ts";
import { type Estimate, exactly, type OffsetInterval } from "#lib/compaction/measurement.ts";
import type { LastScan } from "#lib/compaction/probe/probe-input.ts";

export interface RemovableInput {
  totalBytes: number;
  cleanBytes: Estimate;
  /** Bytes from the clean point to the log end. */
  dirtyBytes: Estimate;
  retainedRecords: Estimate | null;
  /** Offsets from the clean point to the last stable offset: at most so many clean records are superseded. */
  dirtyOffsets: number;
  /** Of the records in the windows of the clean section, the share that are tombstones; null where none was looked at. */
  tombstoneShare: number | null;
  logStartOffset: number;
  cleanPoint: OffsetInterval;
  lastScan: LastScan | undefined;
}

/** Records differ in size, and windows are few: what is counted by records bounds bytes at this multiple. */
const SIZE_FACTOR = 2;
const UNSEEN_SHARE = 0.05;

/**
 * Bounds for the share of the bytes that compaction to the log end would free.
 *
 * Every dirty record supersedes at most one clean record, so that no more clean bytes can go than those of as many
 * records as are dirty, and tombstones; of the dirty ones all but one can. A probe can't see which keys repeat.
 *
 * With a scan, and a cleaner that has not moved since: what was removable then still is; what was written since can go
 * itself, and can supersede as much again.
 */
export function boundRemovableShare(input: RemovableInput): Estimate {
  const { totalBytes, cleanBytes, dirtyBytes, retainedRecords, dirtyOffsets, tombstoneShare } = input;
  if (totalBytes === 0) return exactly(0);
  const cleanRecords = Math.max(1, (retainedRecords?.low ?? 0) - dirtyOffsets);
  const superseded = dirtyOffsets / cleanRecords;
  const cleanShare = Math.min(1, SIZE_FACTOR * (superseded + (tombstoneShare ?? 1)) + UNSEEN_SHARE);
  const high = Math.min(1, (dirtyBytes.high + cleanBytes.high * cleanShare) / totalBytes);
  const scanned = growSinceScan(input);
  if (scanned === null) return estimated(null, 0, high);
  const low = Math.min(high, scanned.low);
  const narrow = Math.min(high, scanned.high);
  return estimated(narrow - low <= VALUE_WIDTH_MAX ? (low + narrow) / 2 : null, low, narrow);
}

/** Up to this width the middle of the interval stands for the share; a wider one is bounds only. */
const VALUE_WIDTH_MAX = 0.1;

function growSinceScan({ totalBytes, logStartOffset, cleanPoint, lastScan }: RemovableInput) {
  if (lastScan === undefined || lastScan.bytes > totalBytes || lastScan.logStartOffset !== logStartOffset) return null;
  const hasMoved = cleanPoint.low > lastScan.cleanPoint.high || cleanPoint.high < lastScan.cleanPoint.low;
  if (hasMoved) return null;
  const written = totalBytes - lastScan.bytes;
  const most = lastScan.removableBytes + written * (1 + SIZE_FACTOR);
  return { low: lastScan.removableBytes / totalBytes, high: Math.min(1, most / totalBytes) };
}
