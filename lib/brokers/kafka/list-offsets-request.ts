/**
 * ListOffsets v6 for one partition.
 * https://github.com/apache/kafka/blob/4.0.0/clients/src/main/resources/common/message/ListOffsetsRequest.json
 */
import { Writer } from "@platformatic/kafka";
import { WireReader } from "#lib/brokers/kafka/wire-reader.ts";
import type { IsolationLevel } from "#lib/brokers/replica-log-port.ts";

export const LIST_OFFSETS_API_KEY = 2;
export const LIST_OFFSETS_API_VERSION = 6;

/** Special timestamps of the request. */
export const EARLIEST = -2;
export const LATEST = -1;

/** The leader answers an ordinary consumer; a follower answers only who calls itself a debugging consumer. */
export const CONSUMER_REPLICA_ID = -1;
export const DEBUGGING_REPLICA_ID = -2;

export interface ListOffsetsFields {
  topic: string;
  partition: number;
  replicaId: typeof CONSUMER_REPLICA_ID | typeof DEBUGGING_REPLICA_ID;
  /** Milliseconds, or `EARLIEST` or `LATEST`. */
  timestamp: number;
  isolation: IsolationLevel;
}

export interface ListedOffset {
  errorCode: number;
  /** -1 where no record is that young. */
  offset: number;
}

export function writeListOffsetsRequest(fields: ListOffsetsFields): Writer {
  return Writer.create()
    .appendInt32(fields.replicaId)
    .appendInt8(fields.isolation === "read_committed" ? 1 : 0)
    .appendArray([fields], (topics, topic) => {
      topics.appendString(topic.topic).appendArray([topic], (partitions, partition) => {
        partitions.appendInt32(partition.partition).appendInt32(-1).appendInt64(BigInt(partition.timestamp));
      });
    })
    .appendTaggedFields();
}

/** @param bytes an answer's body, after the response header */
export function parseListOffsetsResponse(bytes: Buffer): ListedOffset | null {
  const reader = new WireReader(bytes);
  reader.skip(4);
  if (reader.readCompactLength() < 1) return null;
  reader.skip(Math.max(0, reader.readCompactLength()));
  if (reader.readCompactLength() < 1) return null;
  reader.skip(4);
  const errorCode = reader.readInt16();
  reader.skip(8);
  return { errorCode, offset: reader.readOffset() };
}
