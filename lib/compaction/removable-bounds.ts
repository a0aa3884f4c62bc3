import { clamp, estimated } from "#lib/compaction/estimate.ts";
import { type Estimate, exactly } from "#lib/compaction/measurement.ts";
import type { ScannedKeys } from "#lib/compaction/probe-input.ts";

export interface RemovableInput {
  totalBytes: number;
  cleanBytes: Estimate;
  /** Bytes from the clean point to the log end. */
  dirtyBytes: Estimate;
  retainedRecords: Estimate | null;
  /** Offsets from the clean point to the last stable offset: at most so many clean records are superseded. */
  dirtyOffsets: number;
  lastScan: ScannedKeys | undefined;
}

/**
 * Bounds for the share of the bytes that compaction to the log end would free.
 *
 * Every dirty record supersedes at most one clean record, so that no more clean bytes can go than those of as many
 * records as are dirty; of the dirty ones all but one can. A probe can't see which keys repeat: without a scan there is
 * no value. With one, keys grow at most as fast as the records written since, and what is not the newest of its key goes.
 */
export function boundRemovableShare(input: RemovableInput): Estimate {
  const { totalBytes, cleanBytes, dirtyBytes, retainedRecords, dirtyOffsets, lastScan } = input;
  if (totalBytes === 0) return exactly(0);
  const cleanRecords = Math.max(1, (retainedRecords?.low ?? 0) - dirtyOffsets);
  const cleanShare = Math.min(1, dirtyOffsets / cleanRecords);
  // Tombstones past their horizon are in the clean section too and cannot be told from outside it: all of it bounds them.
  const high = Math.min(1, (dirtyBytes.high + cleanBytes.high * (cleanShare > 0 ? 1 : 0)) / totalBytes);
  if (lastScan === undefined || retainedRecords?.value == null || retainedRecords.value === 0) {
    return estimated(null, 0, high);
  }
  const newest = Math.min(retainedRecords.value, lastScan.distinctKeys);
  const grown = Math.max(0, retainedRecords.high - lastScan.retainedRecords);
  const low = clamp(1 - (lastScan.distinctKeys + grown) / retainedRecords.value, 0, high);
  return estimated(clamp(1 - newest / retainedRecords.value, low, high), low, high);
}
