/** A log in memory whose batches, failures and changes a test scripts; keys and answers go through the real port. */
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { PartitionOffsets } from "#lib/brokers/broker-port.ts";
import type { FetchAnswer, FetchRequest, LogVisitor, RecordBatch, ReplicaLog } from "#lib/brokers/replica-log-port.ts";

export interface ScriptedRecord {
  offset: number;
  /** null: a record without a key. */
  key: string | null;
  isTombstone?: boolean;
  sizeInBytes?: number;
}

export type ScriptedBatch = Partial<RecordBatch> & {
  baseOffset: number;
  lastOffset: number;
  records: ScriptedRecord[];
};

export const RECORD_BYTES = 50;
const HEADER_BYTES = 61;

/** A batch of records at consecutive offsets. */
export function batchOf(baseOffset: number, keys: (string | null)[], header: Partial<RecordBatch> = {}): ScriptedBatch {
  const records = keys.map((key, i) => ({ offset: baseOffset + i, key }));
  return { baseOffset, lastOffset: baseOffset + keys.length - 1, records, ...header };
}

export class ScriptedPartition {
  batches: ScriptedBatch[] = [];
  logStart = 0;
  lastStable: number | null = null;
  brokerId = 1;
  /** Called before each answer, with how many there were; may change the log, or throw to make the answer fail. */
  beforeFetch: (answers: number, request: FetchRequest) => void | Promise<void> = () => {};
  /** Called between the batches of an answer; may throw. */
  duringFetch: (batch: ScriptedBatch) => void = () => {};
  opened = 0;
  answers = 0;
  /** A log end beyond the last batch: compaction left a gap there. */
  gapEnd = 0;

  get logEnd(): number {
    return Math.max(this.gapEnd, this.logStart, (this.batches.at(-1)?.lastOffset ?? -1) + 1);
  }

  offsets(): PartitionOffsets {
    return { logStart: this.logStart, logEnd: this.logEnd, lastStable: this.lastStable ?? this.logEnd };
  }

  open(partition = 0): ReplicaLog {
    this.opened++;
    const target = { topic: "t", partition, topicId: "id", brokerId: this.brokerId, isLeader: true };
    const traffic = { fetches: 0, fetchedBytes: 0 };
    return {
      target,
      offsets: async () => this.offsets(),
      peek: () => Promise.reject(new Error("a scan does not peek")),
      offsetForTimestamp: () => Promise.reject(new Error("a scan asks for no times")),
      traffic: () => ({ ...traffic }),
      close: async () => {},
      fetch: async (request, visitor) => {
        traffic.fetches++;
        await this.beforeFetch(this.answers, request);
        this.answers++;
        const answer = this.#answer(request, visitor);
        traffic.fetchedBytes += answer.recordSetBytes;
        return answer;
      },
    };
  }

  #answer(request: FetchRequest, visitor: LogVisitor): FetchAnswer {
    const offsets = this.offsets();
    if (request.offset < offsets.logStart || request.offset > offsets.logEnd) {
      throw new BrokerError("offset-out-of-range", `offset ${request.offset} is out of range`);
    }
    const limit = request.isolation === "read_committed" ? offsets.lastStable : offsets.logEnd;
    const given: ScriptedBatch[] = [];
    let bytes = 0;
    for (const batch of this.batches) {
      if (batch.lastOffset < request.offset || batch.baseOffset >= limit) continue;
      const size = headerOf(batch, request.isolation).sizeInBytes;
      if (given.length > 0 && bytes + size > request.maxBytes) break;
      given.push(batch);
      bytes += size;
    }
    for (const batch of given) {
      this.duringFetch(batch);
      this.#visit(batch, request, visitor);
    }
    return {
      recordSetBytes: bytes,
      batchCount: given.length,
      endsInPartialBatch: false,
      firstBaseOffset: given[0]?.baseOffset ?? null,
      lastBaseOffset: given.at(-1)?.baseOffset ?? null,
      nextOffset: (given.at(-1)?.lastOffset ?? request.offset - 1) + 1,
      highWatermark: offsets.logEnd,
      lastStableOffset: offsets.lastStable,
      logStartOffset: offsets.logStart,
      wasThrottled: false,
    };
  }

  #visit(batch: ScriptedBatch, request: FetchRequest, visitor: LogVisitor): void {
    if (!visitor.batch(headerOf(batch, request.isolation)) || batch.isControl) return;
    for (const record of batch.records) {
      const key = record.key === null ? null : Buffer.from(`..${record.key}..`);
      visitor.record(
        record.offset,
        1_000 + record.offset,
        key ?? Buffer.alloc(0),
        key === null ? -1 : 2,
        key === null ? -1 : key.length - 2,
        record.isTombstone ?? false,
        record.sizeInBytes ?? RECORD_BYTES,
      );
    }
  }
}

function headerOf(batch: ScriptedBatch, isolation: string): RecordBatch {
  const { records, ...header } = batch;
  const bytes = records.reduce((sum, record) => sum + (record.sizeInBytes ?? RECORD_BYTES), HEADER_BYTES);
  const whole: RecordBatch = {
    recordCount: records.length,
    sizeInBytes: bytes,
    magic: 2,
    isCompressed: false,
    isTransactional: false,
    isControl: false,
    hasDeleteHorizon: false,
    baseTimestamp: 0,
    maxTimestamp: 0,
    producerId: -1,
    isAborted: false,
    ...header,
  };
  return isolation === "read_committed" ? whole : { ...whole, isAborted: false };
}
