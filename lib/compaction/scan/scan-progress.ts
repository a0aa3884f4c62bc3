/** How far a scan of a topic is; pure. */
import type { TallyState } from "#lib/compaction/scan/partition-tally.ts";

export interface ScanProgress {
  partitionsDone: number;
  partitionCount: number;
  /** Offsets passed and to pass, over all partitions. Where a log is sparse they pass quickly. */
  offsetsRead: number;
  offsetsToRead: number;
  recordsScanned: number;
  bytesRead: number;
  /** 0 to 1, by bytes where sizes are known, else by offsets. */
  progress: number;
  /** At the present rate; null while that is not known. */
  remainingMs: number | null;
}

/** A partition that is to be read, as listed when the scan began. */
export interface PartitionExtent {
  offsets: number;
  /** null where sizes can't be read. */
  bytes: number | null;
}

/** Before that long, or that small a share, the rate says nothing. */
const RATE_AFTER_MS = 500;
const RATE_AFTER_SHARE = 0.002;

export class ProgressMeter {
  readonly #extents: ReadonlyMap<number, PartitionExtent>;
  readonly #startedAt: number;
  readonly #done = { partitions: 0, offsets: 0, records: 0, bytes: 0, extentBytes: 0 };
  #shareAtStart: number | null = null;

  /** @param startedAt milliseconds */
  constructor(extents: ReadonlyMap<number, PartitionExtent>, startedAt: number) {
    this.#extents = extents;
    this.#startedAt = startedAt;
  }

  finish(partition: number, records: number, bytes: number): void {
    const extent = this.#extents.get(partition);
    this.#done.partitions++;
    this.#done.offsets += extent?.offsets ?? 0;
    this.#done.extentBytes += extent?.bytes ?? 0;
    this.#done.records += records;
    this.#done.bytes += bytes;
  }

  /** @param current the partition being read; null between two */
  at(now: number, current: { partition: number; counts: TallyState } | null): ScanProgress {
    const done = this.#done;
    const extent = current === null ? null : (this.#extents.get(current.partition) ?? null);
    const counts = current?.counts ?? null;
    const passed = counts === null ? 0 : counts.position - counts.logStart;
    const offsetsToRead = total(this.#extents, (one) => one.offsets);
    const offsetsRead = Math.min(offsetsToRead, done.offsets + Math.min(passed, extent?.offsets ?? passed));
    const bytesRead = done.bytes + (counts?.batchBytes ?? 0);
    const bytesToRead = [...this.#extents.values()].some((one) => one.bytes === null)
      ? null
      : total(this.#extents, (one) => one.bytes ?? 0);
    const bytesPassed = done.extentBytes + Math.min(counts?.batchBytes ?? 0, extent?.bytes ?? 0);
    const share = bytesToRead ? bytesPassed / bytesToRead : offsetsToRead === 0 ? 1 : offsetsRead / offsetsToRead;
    const progress = Math.min(1, share);
    this.#shareAtStart ??= progress;
    return {
      partitionsDone: done.partitions,
      partitionCount: this.#extents.size,
      offsetsRead,
      offsetsToRead,
      recordsScanned: done.records + (counts?.retainedRecords ?? 0),
      bytesRead,
      progress,
      remainingMs: remaining(now - this.#startedAt, progress - this.#shareAtStart, 1 - progress),
    };
  }
}

const total = (extents: ReadonlyMap<number, PartitionExtent>, pick: (one: PartitionExtent) => number): number =>
  [...extents.values()].reduce((sum, one) => sum + pick(one), 0);

function remaining(elapsedMs: number, shareDone: number, shareLeft: number): number | null {
  if (elapsedMs < RATE_AFTER_MS || shareDone < RATE_AFTER_SHARE) return null;
  return Math.round((elapsedMs / shareDone) * shareLeft);
}
