/** Sizes of the batches on a broker's disk, read from the segment files' batch headers. */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

export interface BatchSizes {
  largestBatchBytes: number;
  /** Offsets that the widest batch covers. */
  widestBatchOffsets: number;
}

// Record batch header, format v2: base offset (8), length (4), then 11 bytes to the last offset delta (4) at 23.
// https://kafka.apache.org/44/implementation/message-format/
const LENGTH_AT = 8;
const LENGTH_STARTS_AFTER = 12;
const LAST_OFFSET_DELTA_AT = 23;

/** @param partition folder name, `topic-0` */
export async function readBatchSizes(dataDir: string, partition: string): Promise<BatchSizes> {
  const folder = path.join(dataDir, partition);
  const sizes = { largestBatchBytes: 0, widestBatchOffsets: 0 };
  for (const name of await readdir(folder)) {
    if (!/^\d{20}\.log$/.test(name)) continue;
    const data = await readFile(path.join(folder, name));
    for (let at = 0; at + LAST_OFFSET_DELTA_AT + 4 <= data.length; ) {
      const bytes = data.readInt32BE(at + LENGTH_AT) + LENGTH_STARTS_AFTER;
      if (bytes <= LENGTH_STARTS_AFTER) break;
      sizes.largestBatchBytes = Math.max(sizes.largestBatchBytes, bytes);
      sizes.widestBatchOffsets = Math.max(sizes.widestBatchOffsets, data.readInt32BE(at + LAST_OFFSET_DELTA_AT) + 1);
      at += bytes;
    }
  }
  return sizes;
}
