/** Ground truth of compacted topics from the brokers' own disks, and from an independent read_committed consumer. */
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runPython } from "./producer.ts";

const LOG_TRUTH = fileURLToPath(new URL("./kafka_log_truth.py", import.meta.url));
const READ_COMMITTED_COUNTS = fileURLToPath(new URL("./read_committed_counts.py", import.meta.url));

/** One partition as `kafka_log_truth.py` prints it; its docstring says what each figure means. */
export interface LogTruth {
  /** `topic-partition`, the name of the folder. */
  partition: string;
  log_start_offset: number;
  log_end_offset: number;
  retained_records: number;
  distinct_keys: number;
  live_keys: number;
  tombstones: number;
  null_key_records: number;
  superseded_records: number;
  bytes: number;
  segments: number;
  first_dirty_offset: number;
  active_segment_base: number;
  last_stable_offset: number;
  first_uncleanable_offset: number;
  clean_bytes: number;
  cleanable_bytes: number;
  active_bytes: number;
  dirty_ratio: number;
  last_gap_offset: number | null;
  first_repeat_offset: number | null;
}

/** What a read_committed reader gets up to the last stable offset. */
export type ReadCommittedCounts = Pick<
  LogTruth,
  | "partition"
  | "log_end_offset"
  | "last_stable_offset"
  | "retained_records"
  | "distinct_keys"
  | "live_keys"
  | "tombstones"
  | "null_key_records"
  | "superseded_records"
>;

const parseLines = <T>(output: string): T[] =>
  output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);

/** @param topics all where empty */
export const readTruth = async (dataDir: string, topics: readonly string[] = []): Promise<LogTruth[]> =>
  parseLines(await runPython(LOG_TRUTH, [dataDir, ...topics]));

export const countReadCommitted = async (
  servers: string,
  topic: string,
  partitions: readonly number[],
): Promise<ReadCommittedCounts[]> =>
  parseLines(await runPython(READ_COMMITTED_COUNTS, [servers, topic, ...partitions.map(String)]));

const CHECKPOINT = "cleaner-offset-checkpoint";

/** Where the cleaner of one broker stands: its checkpoint file, and whether segments are being replaced right now. */
async function observeCleaner(dataDir: string): Promise<string> {
  const file = path.join(dataDir, CHECKPOINT);
  const [text, at] = await Promise.all([
    readFile(file, "utf8").catch(() => ""),
    stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  ]);
  const folders = (await readdir(dataDir, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const files = await Promise.all(folders.map(({ name }) => readdir(path.join(dataDir, name)).catch(() => [])));
  const replacing = files.flat().some((name) => name.endsWith(".cleaned") || name.endsWith(".swap"));
  return `${at} ${replacing} ${text}`;
}

/** Resolves when the checkpoint files have not been written, and no segment replaced, for `stillMs`. */
async function waitUntilStill(dataDirs: readonly string[], stillMs: number, deadline: number): Promise<void> {
  const observe = async () => (await Promise.all(dataDirs.map(observeCleaner))).join("\n");
  let seen = await observe();
  let since = Date.now();
  while (Date.now() - since < stillMs || seen.includes(" true ")) {
    if (Date.now() > deadline) throw new Error("the cleaner did not come to rest");
    await sleep(200);
    const now = await observe();
    if (now !== seen) since = Date.now();
    seen = now;
  }
}

export interface RestOptions {
  /** Partitions (`topic-partition`) that the cleaner has to take up once their ratio is above this number. */
  minCleanableRatio?: ReadonlyMap<string, number>;
  /** How long the checkpoint has to stand still. Default 3,000. */
  stillMs?: number;
  /** Default 240,000. */
  timeoutMs?: number;
}

/**
 * Resolves when the cleaners of these brokers have nothing left to do: the checkpoint files stand still, and no
 * partition of `minCleanableRatio` is above its ratio. Nothing may be written meanwhile.
 *
 * @returns the truth, per data directory
 */
export async function waitForCleaner(
  dataDirs: readonly string[],
  topics: readonly string[],
  options: RestOptions = {},
): Promise<LogTruth[][]> {
  const deadline = Date.now() + (options.timeoutMs ?? 240_000);
  for (;;) {
    await waitUntilStill(dataDirs, options.stillMs ?? 3000, deadline);
    const truths = await Promise.all(dataDirs.map((dataDir) => readTruth(dataDir, topics)));
    const left = truths
      .flat()
      .filter(({ partition, dirty_ratio }) => dirty_ratio > (options.minCleanableRatio?.get(partition) ?? 1));
    if (left.length === 0) return truths;
    if (Date.now() > deadline) {
      const names = left.map(({ partition, dirty_ratio }) => `${partition} (ratio ${dirty_ratio.toFixed(3)})`);
      throw new Error(`the cleaner leaves partitions above their ratio: ${names.join(", ")}`);
    }
  }
}
