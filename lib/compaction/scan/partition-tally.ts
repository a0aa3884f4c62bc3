/** Counts what a scan of one partition meets: a visitor of its batches and records, pure but for the tables it fills. */
import type { LogVisitor, RecordBatch } from "#lib/brokers/replica-log-port.ts";
import { BatchEvidence, type BatchEvidenceState } from "#lib/compaction/batch-evidence.ts";
import type { DistinctSample, SampledRecord } from "#lib/compaction/keys/distinct-sample.ts";
import type { KeyHasher } from "#lib/compaction/keys/key-hash.ts";
import { KeyTable } from "#lib/compaction/keys/key-table.ts";
import { mayHaveSecondSpelling } from "#lib/compaction/keys/second-hash.ts";
import { makeWaitingRecords, RECORD_FLAGS, type WaitingRecords } from "#lib/compaction/keys/waiting-records.ts";

/** Counters of a partition; plain data, so that a checkpoint can hold them. */
export interface TallyState {
  logStart: number;
  /** Last stable offset when the scan began: it ends there. */
  end: number;
  /** Log end when the scan began. */
  logEnd: number;
  /** The next offset to fetch. */
  position: number;
  retainedRecords: number;
  tombstones: number;
  nullKeyRecords: number;
  /** Bytes of records with a key. */
  keyedBytes: number;
  /** Bytes of all batches below `end`. */
  batchBytes: number;
  abortedRecords: number;
  heldRecords: number;
  heldBytes: number;
  evidence: BatchEvidenceState;
}

/** Where the key figures go. `table` is null in a scan that was resumed: the sample alone was stored. */
export interface KeySinks {
  hasher: KeyHasher;
  table: KeyTable | null;
  sample: DistinctSample;
}

/** Aborted records stay until they are cleaned; their keys are remembered up to so many slots, for evidence only. */
const ABORTED_KEY_SLOTS = 1 << 17;

/** So many are noted at once: their slots (64 bytes each) fit the first cache level. */
const WAITING_RECORDS = 256;

export class PartitionTally implements LogVisitor {
  readonly partition: number;
  readonly counts: TallyState;
  readonly evidence: BatchEvidence;
  readonly #sinks: KeySinks;
  readonly #now: number;
  readonly #record: SampledRecord;
  #abortedKeys: KeyTable | null = null;
  #lastRecordOffset: number;
  #lastBatchOffset: number;
  #isAborted = false;
  #isPastHorizon = false;
  readonly #waiting = makeWaitingRecords(WAITING_RECORDS);

  /** @param now milliseconds since the epoch, against which delete horizons are held */
  constructor(
    partition: number,
    range: { logStart: number; end: number; logEnd: number },
    sinks: KeySinks,
    now: number,
    resumed: TallyState | null = null,
  ) {
    this.partition = partition;
    this.#sinks = sinks;
    this.#now = now;
    this.counts = resumed ?? emptyTally(range);
    this.evidence = new BatchEvidence(this.counts.logStart, this.counts.end);
    if (resumed !== null) this.evidence.restore(resumed.evidence);
    this.#lastRecordOffset = this.counts.position - 1;
    this.#lastBatchOffset = this.counts.position - 1;
    this.#record = { partition, offset: 0, timestamp: 0, isTombstone: false, isExpired: false, sizeInBytes: 0 };
  }

  /**
   * Everything read so far lies below the new log start: it is gone, and counting begins again there.
   */
  restartAt(logStart: number): void {
    this.#waiting.count = 0;
    Object.assign(
      this.counts,
      emptyTally({ logStart, end: Math.max(logStart, this.counts.end), logEnd: this.counts.logEnd }),
    );
    this.evidence.restore({ low: logStart, high: this.counts.end, expected: logStart });
    this.evidence.isHighOpen = true;
    this.#sinks.table?.forget(this.partition);
    this.#sinks.sample.forget(this.partition);
    this.#abortedKeys = null;
    this.#lastRecordOffset = logStart - 1;
    this.#lastBatchOffset = logStart - 1;
  }

  /** A batch that was visited before an answer failed comes again with the next one: it is counted once. */
  batch(batch: RecordBatch): boolean {
    const { counts } = this;
    this.evidence.endBatch();
    if (batch.isAborted !== this.#isAborted) this.#flush();
    if (batch.baseOffset >= counts.end) return false;
    this.#isAborted = batch.isAborted;
    this.#isPastHorizon = batch.hasDeleteHorizon && batch.baseTimestamp <= this.#now;
    if (batch.lastOffset > this.#lastBatchOffset) {
      this.#lastBatchOffset = batch.lastOffset;
      counts.batchBytes += batch.sizeInBytes;
      this.evidence.addBatch(batch);
    }
    return !batch.isControl && batch.recordCount > 0;
  }

  record(
    offset: number,
    timestamp: number,
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    isTombstone: boolean,
    sizeInBytes: number,
  ): void {
    const { counts, evidence } = this;
    if (offset <= this.#lastRecordOffset || offset >= counts.end) return;
    this.#lastRecordOffset = offset;
    evidence.addOffset(offset);
    if (keyStart < 0) {
      if (evidence.isHighOpen) {
        this.#flush();
        evidence.limit(offset);
      }
      if (this.#isAborted) counts.abortedRecords++;
      else {
        counts.retainedRecords++;
        counts.nullKeyRecords++;
      }
      return;
    }
    const { hasher, table, sample } = this.#sinks;
    hasher.hash(bytes, keyStart, keyEnd);
    if (this.#isAborted) {
      counts.abortedRecords++;
      if (evidence.isHighOpen) this.#noteAborted(offset);
      return;
    }
    counts.retainedRecords++;
    counts.keyedBytes += sizeInBytes;
    if (isTombstone) counts.tombstones++;
    const isExpired = isTombstone && this.#isPastHorizon;
    const isSampled = hasher.hi >>> 0 < sample.threshold;
    let flags = (isTombstone ? RECORD_FLAGS.tombstone : 0) | (isExpired ? RECORD_FLAGS.expired : 0);
    if (isSampled) {
      if (keyEnd > keyStart && mayHaveSecondSpelling(bytes[keyStart])) {
        const record = this.#record;
        record.offset = offset;
        record.timestamp = timestamp;
        record.isTombstone = isTombstone;
        record.isExpired = isExpired;
        record.sizeInBytes = sizeInBytes;
        sample.note(hasher, record, bytes, keyStart, keyEnd);
      } else flags |= RECORD_FLAGS.sampled;
    }
    if (table !== null || (flags & RECORD_FLAGS.sampled) !== 0) this.#wait(offset, timestamp, sizeInBytes, flags);
  }

  /** After a whole answer: the position that it reached. */
  advanceTo(position: number): void {
    this.#flush();
    this.evidence.endBatch();
    if (position > this.counts.position) this.counts.position = position;
    this.counts.evidence = this.evidence.state();
  }

  /** An answer failed half way: what is missing from its last batch is no hole. */
  abandonAnswer(): void {
    this.evidence.abandonBatch();
  }

  #wait(offset: number, timestamp: number, sizeInBytes: number, flags: number): void {
    const waiting = this.#waiting;
    const at = waiting.count++;
    waiting.hi[at] = this.#sinks.hasher.hi;
    waiting.lo[at] = this.#sinks.hasher.lo;
    waiting.size[at] = sizeInBytes;
    waiting.offset[at] = offset;
    waiting.timestamp[at] = timestamp;
    waiting.flags[at] = flags;
    if (waiting.count === WAITING_RECORDS) this.#flush();
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting.count === 0) return;
    const { evidence } = this;
    const { table, sample } = this.#sinks;
    const firstSeen = table === null ? -1 : table.noteAll(waiting, this.partition);
    if (evidence.isHighOpen) {
      const firstAborted = this.#findAborted(waiting);
      if (firstSeen >= 0) evidence.limit(waiting.offset[firstSeen]!);
      if (firstAborted >= 0) evidence.limit(waiting.offset[firstAborted]!);
    }
    sample.noteAll(waiting, this.partition);
    waiting.count = 0;
  }

  /** Index of the first waiting record whose key an aborted transaction wrote too; -1 where there is none. */
  #findAborted({ count, hi, lo }: WaitingRecords): number {
    const keys = this.#abortedKeys;
    if (keys === null) return -1;
    for (let i = 0; i < count; i++) if (keys.has(hi[i]!, lo[i]!, 0)) return i;
    return -1;
  }

  #noteAborted(offset: number): void {
    const { hasher, table } = this.#sinks;
    this.#abortedKeys ??= new KeyTable(ABORTED_KEY_SLOTS);
    const wasAborted = this.#abortedKeys.note(hasher.hi, hasher.lo, 0, 0, false, false);
    if (wasAborted || table?.has(hasher.hi, hasher.lo, this.partition)) this.evidence.limit(offset);
  }
}

function emptyTally(range: { logStart: number; end: number; logEnd: number }): TallyState {
  return {
    ...range,
    position: range.logStart,
    retainedRecords: 0,
    tombstones: 0,
    nullKeyRecords: 0,
    keyedBytes: 0,
    batchBytes: 0,
    abortedRecords: 0,
    heldRecords: 0,
    heldBytes: 0,
    evidence: { low: range.logStart, high: range.end, expected: range.logStart },
  };
}
