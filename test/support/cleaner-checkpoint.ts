/** How far the cleaner of one broker says that it came: the file that it goes on from after a restart. */
import { readFile } from "node:fs/promises";
import path from "node:path";

/**
 * Format: version, number of entries, then `topic partition offset` a line,
 * https://github.com/apache/kafka/blob/4.4.0/storage/src/main/java/org/apache/kafka/storage/internals/checkpoint/OffsetCheckpointFile.java
 *
 * @returns first dirty offsets by `topic-partition`; a partition that was never cleaned may be missing
 */
export async function readCleanerCheckpoint(dataDir: string): Promise<Map<string, number>> {
  const text = await readFile(path.join(dataDir, "cleaner-offset-checkpoint"), "utf8").catch(() => "0\n0\n");
  const [, , ...lines] = text.trimEnd().split("\n");
  return new Map(
    lines.map((line) => {
      const [topic, partition, offset] = line.split(" ");
      return [`${topic}-${partition}`, Number(offset)];
    }),
  );
}
