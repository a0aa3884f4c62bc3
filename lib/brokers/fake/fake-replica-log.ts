import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { PartitionOffsets } from "#lib/brokers/broker-port.ts";
import { batchBytes, type FakeBatch, type FakeLog, type FakeSegment } from "#lib/brokers/fake/fake-log.ts";
import type {
  FetchAnswer,
  FetchRequest,
  LogTraffic,
  LogVisitor,
  PeekAnswer,
  RecordBatch,
  ReplicaLog,
  ReplicaLogTarget,
} from "#lib/brokers/replica-log-port.ts";

const PEEK_READ_BYTES = 64 * 1024;

export interface FakeBrokerLimits {
  /** `fetch.max.bytes`, or what a quota leaves: an answer is cut there. */
  answerBytesMax?: number;
}

/** Reads a `FakeLog` by Kafka's rules for an answer: one segment, the first batch whole, cut at the limit. */
export class FakeReplicaLog implements ReplicaLog {
  readonly target: ReplicaLogTarget;
  readonly #log: FakeLog;
  readonly #answerBytesMax: number;
  #fetches = 0;
  #fetchedBytes = 0;

  constructor(log: FakeLog, target: ReplicaLogTarget, limits: FakeBrokerLimits = {}) {
    this.#log = log;
    this.target = target;
    this.#answerBytesMax = limits.answerBytesMax ?? 55 * 1024 * 1024;
  }

  async offsets(): Promise<PartitionOffsets> {
    const { logStart, logEnd, lastStable } = this.#log;
    return { logStart, logEnd, lastStable };
  }

  async offsetForTimestamp(timestampMs: number): Promise<number | null> {
    for (const segment of this.#log.segments) {
      const batch = segment.batches.find(({ timestamp, records }) => timestamp >= timestampMs && records.length > 0);
      if (batch !== undefined) return batch.records[0]!.offset;
    }
    return null;
  }

  async fetch(request: FetchRequest, visitor: LogVisitor): Promise<FetchAnswer> {
    const { logEnd, lastStable } = this.#log;
    const isCommitted = request.isolation === "read_committed";
    const slice = this.#slice(request.offset, request.maxBytes, isCommitted ? lastStable : logEnd);
    for (const batch of slice.batches) visit(batch, visitor, isCommitted);
    this.#fetches += 1;
    this.#fetchedBytes += slice.recordSetBytes + 100;
    const last = slice.batches[slice.batches.length - 1];
    return {
      recordSetBytes: slice.recordSetBytes,
      batchCount: slice.batches.length,
      endsInPartialBatch: slice.endsInPartialBatch,
      firstBaseOffset: slice.batches[0]?.baseOffset ?? null,
      lastBaseOffset: last?.baseOffset ?? null,
      nextOffset: last === undefined ? request.offset : last.lastOffset + 1,
      highWatermark: logEnd,
      lastStableOffset: lastStable,
      logStartOffset: this.#log.logStart,
      wasThrottled: false,
    };
  }

  async peek(offset: number, maxBytes: number): Promise<PeekAnswer> {
    const slice = this.#slice(offset, maxBytes, this.#log.logEnd);
    this.#fetches += 1;
    const readBytes = Math.min(slice.recordSetBytes, PEEK_READ_BYTES);
    this.#fetchedBytes += readBytes;
    const read: FakeBatch[] = [];
    let whole = 0;
    for (const batch of slice.batches) {
      whole += batchBytes(batch);
      if (whole > readBytes) break;
      read.push(batch);
    }
    return {
      recordSetBytes: slice.recordSetBytes,
      firstBaseOffset: slice.batches[0]?.baseOffset ?? null,
      highWatermark: this.#log.logEnd,
      wasThrottled: false,
      readBatchCount: read.length,
      readBytes,
      readNextOffset: read.length === 0 ? offset : read[read.length - 1]!.lastOffset + 1,
    };
  }

  traffic(): LogTraffic {
    return { fetches: this.#fetches, fetchedBytes: this.#fetchedBytes };
  }

  async close(): Promise<void> {}

  #slice(offset: number, maxBytes: number, end: number) {
    if (offset < this.#log.logStart || offset > this.#log.logEnd) {
      throw new BrokerError("offset-out-of-range", `Offset ${offset} is outside the log.`);
    }
    const limit = Math.min(maxBytes, this.#answerBytesMax);
    const empty = { batches: [] as FakeBatch[], recordSetBytes: 0, endsInPartialBatch: false };
    const segment = this.#segmentFor(offset, end);
    if (segment === undefined) return empty;
    const batches: FakeBatch[] = [];
    let bytes = 0;
    for (const batch of segment.batches) {
      if (batch.lastOffset < offset) continue;
      if (batch.baseOffset >= end) break;
      const size = batchBytes(batch);
      if (batches.length > 0 && bytes + size > limit)
        return { batches, recordSetBytes: limit, endsInPartialBatch: bytes < limit };
      batches.push(batch);
      bytes += size;
      if (bytes >= limit) break;
    }
    return { batches, recordSetBytes: bytes, endsInPartialBatch: false };
  }

  #segmentFor(offset: number, end: number): FakeSegment | undefined {
    return this.#log.segments.find((segment) =>
      segment.batches.some((batch) => batch.lastOffset >= offset && batch.baseOffset < end),
    );
  }
}

function visit(batch: FakeBatch, visitor: LogVisitor, isCommitted: boolean): void {
  const header: RecordBatch = {
    baseOffset: batch.baseOffset,
    lastOffset: batch.lastOffset,
    recordCount: batch.isControl ? 1 : batch.records.length,
    sizeInBytes: batchBytes(batch),
    magic: 2,
    isCompressed: false,
    isTransactional: batch.isTransactional,
    isControl: batch.isControl,
    hasDeleteHorizon: batch.hasDeleteHorizon,
    baseTimestamp: batch.timestamp,
    maxTimestamp: batch.timestamp,
    producerId: batch.isTransactional ? 1 : -1,
    isAborted: isCommitted && batch.isAborted,
  };
  if (!visitor.batch(header) || batch.isControl) return;
  for (const record of batch.records) {
    const bytes = new TextEncoder().encode(record.key ?? "");
    const start = record.key === null ? -1 : 0;
    visitor.record(record.offset, batch.timestamp, bytes, start, bytes.length, record.isTombstone, record.sizeInBytes);
  }
}
