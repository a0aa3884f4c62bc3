import { clamp, estimated } from "#lib/compaction/estimate.ts";
import { type Estimate, exactly } from "#lib/compaction/measurement.ts";
import type { ScannedKeys } from "#lib/compaction/probe/probe-input.ts";

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
  lastScan: ScannedKeys | undefined;
}

/** Records differ in size, and windows are few: what is counted by records bounds bytes at this multiple. */
const SIZE_FACTOR = 2;
const UNSEEN_SHARE = 0.05;

/**
 * Bounds for the share of the bytes that compaction to the log end would free.
 *
 * Every dirty record supersedes at most one clean record, so that no more clean bytes can go than those of as many
 * records as are dirty, and tombstones; of the dirty ones all but one can. A probe can't see which keys repeat: without a scan there is
 * no value. With one, keys grow at most as fast as the records written since, and what is not the newest of its key goes.
 */
export function boundRemovableShare(input: RemovableInput): Estimate {
  const { totalBytes, cleanBytes, dirtyBytes, retainedRecords, dirtyOffsets, tombstoneShare, lastScan } = input;
  if (totalBytes === 0) return exactly(0);
  const cleanRecords = Math.max(1, (retainedRecords?.low ?? 0) - dirtyOffsets);
  const superseded = dirtyOffsets / cleanRecords;
  const cleanShare = Math.min(1, SIZE_FACTOR * (superseded + (tombstoneShare ?? 1)) + UNSEEN_SHARE);
  const high = Math.min(1, (dirtyBytes.high + cleanBytes.high * cleanShare) / totalBytes);
  if (lastScan === undefined || retainedRecords?.value == null || retainedRecords.value === 0) {
    return estimated(null, 0, high);
  }
  const newest = Math.min(retainedRecords.value, lastScan.distinctKeys);
  const grown = Math.max(0, retainedRecords.high - lastScan.retainedRecords);
  const low = clamp(1 - (lastScan.distinctKeys + grown) / retainedRecords.value, 0, high);
  return estimated(clamp(1 - newest / retainedRecords.value, low, high), low, high);
}
