/**
 * Reading the log of one replica of one partition, as raw record batches. A visitor gets batch headers and keys; values
 * are never decoded.
 */
import type { PartitionOffsets, TopicPartition } from "#lib/brokers/broker-port.ts";

export interface ReplicaLogTarget extends TopicPartition {
  topicId: string;
  /** The broker whose replica is read. */
  brokerId: number;
  isLeader: boolean;
}

export type IsolationLevel = "read_uncommitted" | "read_committed";

/** A batch header. The object is reused: it is valid during the visitor's call only. */
export interface RecordBatch {
  baseOffset: number;
  /** Offset of the last record that the batch was written with; still so after cleaning took that record away. */
  lastOffset: number;
  /** Records that the batch still holds; 0 where the cleaner kept only the header. */
  recordCount: number;
  /** Bytes on the broker's disk, header included. */
  sizeInBytes: number;
  magic: 0 | 1 | 2;
  isCompressed: boolean;
  isTransactional: boolean;
  /** Transaction marker: never a record to anybody. */
  isControl: boolean;
  /** Attribute bit 6; `baseTimestamp` then is the delete horizon, in milliseconds (KIP-534). */
  hasDeleteHorizon: boolean;
  baseTimestamp: number;
  maxTimestamp: number;
  producerId: number;
  /** Belongs to an aborted transaction. Known only in read_committed answers; else false. */
  isAborted: boolean;
}

export interface LogVisitor {
  /** Return false to have the batch's records neither expanded nor visited. */
  batch(batch: RecordBatch): boolean;
  /**
   * One record of a batch that is no control batch.
   * @param timestamp milliseconds
   * @param bytes buffer that holds the key from `keyStart` to `keyEnd`; `keyStart` is -1 where the key is null. Valid
   *   during the call only.
   * @param sizeInBytes the record's share of its batch's bytes on disk: all bytes of the batch, header included, are
   *   shared out evenly where it is compressed; else the record's own length (the header belongs to the batch).
   */
  record(
    offset: number,
    timestamp: number,
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    isTombstone: boolean,
    sizeInBytes: number,
  ): void;
}

export interface FetchRequest {
  offset: number;
  /** Asked for, both per partition and in all. The first batch is sent whole even where it is larger. */
  maxBytes: number;
  isolation: IsolationLevel;
  /**
   * The caller goes on from where the answer ends, with the same bytes and isolation, up to this offset: the next answer
   * may be asked for while this one is walked.
   */
  readAheadTo?: number;
}

/** One answer with data or at the end of the log; throttled (empty) answers were waited for and asked again. */
export interface FetchAnswer {
  /** Bytes of the record set as declared by the broker, a partial last batch included. */
  recordSetBytes: number;
  /** Whole batches in it. */
  batchCount: number;
  endsInPartialBatch: boolean;
  /** Base offset of the first whole batch; null where there is none. */
  firstBaseOffset: number | null;
  /** Base offset of the last whole batch; null where there is none. */
  lastBaseOffset: number | null;
  /** Last offset of the last whole batch + 1; the offset asked for where there is none. */
  nextOffset: number;
  highWatermark: number;
  lastStableOffset: number;
  logStartOffset: number;
  /** The broker throttled this client id before it gave this answer: its limits may have changed. */
  wasThrottled: boolean;
}

/** The head of an answer whose rest was not read. */
export interface PeekAnswer {
  recordSetBytes: number;
  firstBaseOffset: number | null;
  highWatermark: number;
  wasThrottled: boolean;
  /** Whole batches within the bytes that were read, and the offset after them: a local density. */
  readBatchCount: number;
  readBytes: number;
  readNextOffset: number;
}

/** What reading this replica has cost since it was opened. */
export interface LogTraffic {
  /** Fetch requests sent, peeks and repeated requests included. */
  fetches: number;
  /** Bytes of their answers that arrived. */
  fetchedBytes: number;
}

/**
 * Rejects with a `BrokerError`: `topic-not-found`, `topic-recreated`, `leader-moved`, `offset-out-of-range`,
 * `corrupt-batch`, `unsupported-format` (message names format and offset), `throttled-too-long`, `unreachable`, ...
 * A visitor may have been called for batches before the one that failed.
 */
export interface ReplicaLog {
  readonly target: ReplicaLogTarget;
  offsets(): Promise<PartitionOffsets>;
  /** The first offset whose record has a timestamp of at least `timestampMs`; null where there is none (ListOffsets by time). */
  offsetForTimestamp(timestampMs: number): Promise<number | null>;
  fetch(request: FetchRequest, visitor: LogVisitor): Promise<FetchAnswer>;
  /**
   * Asks for up to `maxBytes` (tens of MiB), reads the declared length and about the first 64 KiB, and drops the
   * connection: the bytes from this offset to the end of its segment for 150 KiB on the wire. A quota charges it in full.
   */
  peek(offset: number, maxBytes: number): Promise<PeekAnswer>;
  traffic(): LogTraffic;
  close(): Promise<void>;
}
