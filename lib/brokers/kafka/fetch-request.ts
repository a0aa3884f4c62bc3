/**
 * Fetch v13: the first version that asks by topic id, so that a topic which was deleted and made again is never read in
 * the old one's place, and one that a follower answers (KIP-392).
 *
 * https://github.com/apache/kafka/blob/4.0.0/clients/src/main/resources/common/message/FetchRequest.json
 * https://github.com/apache/kafka/blob/4.0.0/clients/src/main/resources/common/message/FetchResponse.json
 */
import { Writer } from "@platformatic/kafka";
import { WireReader } from "#lib/brokers/kafka/wire-reader.ts";
import type { IsolationLevel } from "#lib/brokers/replica-log-port.ts";

export const FETCH_API_KEY = 1;
export const FETCH_API_VERSION = 13;

/** Only a tiered log makes the broker wait: with no least number of bytes every other answer is given at once. */
const MAX_WAIT_MS = 500;

export interface FetchFields {
  /** Hyphenated UUID. */
  topicId: string;
  partition: number;
  offset: number;
  maxBytes: number;
  isolation: IsolationLevel;
}

/** A transaction that was aborted, by the offset of its first record. */
export interface AbortedTransaction {
  producerId: number;
  firstOffset: number;
}

/** The answer for one partition up to its record set, which is located, not copied. */
export interface FetchedPartition {
  topicId: string;
  partition: number;
  errorCode: number;
  highWatermark: number;
  lastStableOffset: number;
  logStartOffset: number;
  /** Null in read_uncommitted answers. */
  abortedTransactions: AbortedTransaction[] | null;
  /** Broker id that the leader wants asked instead; -1 for none. */
  preferredReadReplica: number;
  recordSetStart: number;
  /** As declared; the bytes may end before it where an answer's head was read alone. */
  recordSetBytes: number;
}

export interface FetchResponse {
  throttleTimeMs: number;
  errorCode: number;
  /** Null in an answer without topics: that is how a broker throttles. */
  partition: FetchedPartition | null;
}

/** Asks for one partition alone, outside of fetch sessions: only then is the end of an answer evidence. */
export function writeFetchRequest(fields: FetchFields): Writer {
  return Writer.create()
    .appendInt32(-1)
    .appendInt32(MAX_WAIT_MS)
    .appendInt32(0)
    .appendInt32(fields.maxBytes)
    .appendInt8(fields.isolation === "read_committed" ? 1 : 0)
    .appendInt32(0)
    .appendInt32(-1)
    .appendArray([fields], (topics, topic) => {
      topics.appendUUID(topic.topicId).appendArray([topic], (partitions, partition) => {
        partitions
          .appendInt32(partition.partition)
          .appendInt32(-1)
          .appendInt64(BigInt(partition.offset))
          .appendInt32(-1)
          .appendInt64(-1n)
          .appendInt32(partition.maxBytes);
      });
    })
    .appendArray([], () => {})
    .appendString("")
    .appendTaggedFields();
}

/** The request as it goes over a socket of its own: length, header v2, body. */
export function writeFetchFrame(fields: FetchFields, clientId: string, correlationId: number): Buffer {
  return Writer.create()
    .appendInt16(FETCH_API_KEY)
    .appendInt16(FETCH_API_VERSION)
    .appendInt32(correlationId)
    .appendString(clientId, false)
    .appendTaggedFields()
    .appendFrom(writeFetchRequest(fields))
    .prependLength().buffer;
}

/**
 * @param bytes an answer's body, after the response header; may end anywhere within the record set
 * @throws BrokerError `protocol` where it ends before the record set
 */
export function parseFetchResponse(bytes: Buffer): FetchResponse {
  const reader = new WireReader(bytes);
  const throttleTimeMs = reader.readInt32();
  const errorCode = reader.readInt16();
  reader.skip(4);
  if (reader.readCompactLength() < 1) return { throttleTimeMs, errorCode, partition: null };
  const topicId = reader.readUuid();
  if (reader.readCompactLength() < 1) return { throttleTimeMs, errorCode, partition: null };
  return { throttleTimeMs, errorCode, partition: readPartition(reader, topicId) };
}

function readPartition(reader: WireReader, topicId: string): FetchedPartition {
  const partition = reader.readInt32();
  const errorCode = reader.readInt16();
  const highWatermark = reader.readOffset();
  const lastStableOffset = reader.readOffset();
  const logStartOffset = reader.readOffset();
  const abortedTransactions = readAbortedTransactions(reader);
  const preferredReadReplica = reader.readInt32();
  const recordSetBytes = Math.max(0, reader.readCompactLength());
  return {
    topicId,
    partition,
    errorCode,
    highWatermark,
    lastStableOffset,
    logStartOffset,
    abortedTransactions,
    preferredReadReplica,
    recordSetStart: reader.position,
    recordSetBytes,
  };
}

function readAbortedTransactions(reader: WireReader): AbortedTransaction[] | null {
  const count = reader.readCompactLength();
  if (count < 0) return null;
  const transactions: AbortedTransaction[] = [];
  for (let i = 0; i < count; i++) {
    const producerId = reader.readInt64();
    transactions.push({ producerId, firstOffset: reader.readOffset() });
    reader.skipTaggedFields();
  }
  return transactions;
}
