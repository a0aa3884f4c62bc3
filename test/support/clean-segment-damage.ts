/** Makes the cleaner of one broker fail on one partition: it quarantines the partition and goes on with the others. */
import { open, readdir } from "node:fs/promises";
import path from "node:path";

/** Of a batch of format v2, https://kafka.apache.org/44/implementation/message-format/#record-batch */
const BATCH_HEADER_BYTES = 61;
const LENGTH_AT = 8;
const BYTES_BEFORE_LENGTH_COUNTS = 12;
const OVERWRITTEN_BYTES = 40;

/**
 * Overwrites the first records of a batch in the middle of the partition's oldest segment. Batches keep their places and
 * lengths, so that the broker and its readers notice nothing; the cleaner, which reads all records again, fails there.
 *
 * @returns base offset of the batch
 */
export async function damageOldestSegment(dataDir: string, topicPartition: string): Promise<number> {
  const folder = path.join(dataDir, topicPartition);
  const [oldest] = (await readdir(folder)).filter((name) => name.endsWith(".log")).sort();
  if (oldest === undefined) throw new Error(`${topicPartition} has no segment`);
  const file = await open(path.join(folder, oldest), "r+");
  try {
    const { size } = await file.stat();
    const header = Buffer.alloc(BYTES_BEFORE_LENGTH_COUNTS);
    for (let at = 0; at < size; ) {
      await file.read(header, 0, header.length, at);
      const next = at + BYTES_BEFORE_LENGTH_COUNTS + header.readInt32BE(LENGTH_AT);
      if (next > size / 2) {
        await file.write(Buffer.alloc(OVERWRITTEN_BYTES, 0xff), 0, OVERWRITTEN_BYTES, at + BATCH_HEADER_BYTES);
        await file.sync();
        return Number(header.readBigInt64BE(0));
      }
      at = next;
    }
    throw new Error(`${oldest} of ${topicPartition} is empty`);
  } finally {
    await file.close();
  }
}
