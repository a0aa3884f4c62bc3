import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "@platformatic/kafka";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { PartitionOffsets } from "#lib/brokers/broker-port.ts";
import { describeReplica, mapFetchErrorCode } from "#lib/brokers/kafka/fetch-error.ts";
import {
  FETCH_API_KEY,
  FETCH_API_VERSION,
  type FetchedPartition,
  type FetchFields,
  parseFetchResponse,
  writeFetchFrame,
  writeFetchRequest,
} from "#lib/brokers/kafka/fetch-request.ts";
import { fetchHead } from "#lib/brokers/kafka/header-peek.ts";
import {
  CONSUMER_REPLICA_ID,
  DEBUGGING_REPLICA_ID,
  EARLIEST,
  LATEST,
  LIST_OFFSETS_API_KEY,
  LIST_OFFSETS_API_VERSION,
  parseListOffsetsResponse,
  writeListOffsetsRequest,
} from "#lib/brokers/kafka/list-offsets-request.ts";
import { findNextOffset } from "#lib/brokers/kafka/next-offset.ts";
import { RecordBatchWalker } from "#lib/brokers/kafka/record-batch-walker.ts";
import { ANSWER_HEADER_BYTES, ReplicaSession } from "#lib/brokers/kafka/replica-session.ts";
import { findTopicFate } from "#lib/brokers/kafka/topic-fate.ts";
import type {
  FetchAnswer,
  FetchRequest,
  IsolationLevel,
  LogTraffic,
  LogVisitor,
  PeekAnswer,
  ReplicaLog,
  ReplicaLogTarget,
} from "#lib/brokers/replica-log-port.ts";

export interface KafkaReplicaLogOptions {
  target: ReplicaLogTarget;
  /** Opens an authenticated connection to the target's broker; rejects with a `BrokerError`. */
  connect: () => Promise<Connection>;
  /** Stands in the requests of peeks, which go over connections of their own. */
  clientId: string;
  /** For one request; 30 s where absent. Waiting out a throttle is not counted. */
  timeoutMs?: number;
  /** Most bytes that one batch may expand to; 256 MiB where absent. */
  expansionLimitBytes?: number;
}

/** Throttled answers of one offset before it is given up: a batch above the quota's window never comes. */
const MOST_THROTTLES = 2;
/** A broker's window is seconds long; who says more than this is not waited for. */
const LONGEST_THROTTLE_MS = 120_000;

const HEADERS_ONLY: LogVisitor = { batch: () => false, record: () => {} };

interface FoundPartition {
  partition: FetchedPartition;
  /** The body of the answer, in which the record set is located. */
  body: Buffer;
  wasThrottled: boolean;
}

/** Reads one replica over Kafka's protocol. Calls may overlap; a lost connection is opened again once per call. */
export class KafkaReplicaLog implements ReplicaLog {
  readonly target: ReplicaLogTarget;
  readonly #session: ReplicaSession;
  readonly #walker: RecordBatchWalker;
  readonly #clientId: string;
  readonly #timeoutMs: number;
  #fetches = 0;
  #fetchedBytes = 0;
  #ahead: { request: FetchRequest; found: Promise<FoundPartition> } | null = null;

  constructor({ target, connect, clientId, timeoutMs = 30_000, expansionLimitBytes }: KafkaReplicaLogOptions) {
    this.target = target;
    this.#clientId = clientId;
    this.#timeoutMs = timeoutMs;
    this.#session = new ReplicaSession({ connect, brokerId: target.brokerId, timeoutMs });
    this.#walker = new RecordBatchWalker({ where: describeReplica(target), expansionLimitBytes });
  }

  /** At a follower the three are what that replica knows, which may be behind its leader. */
  async offsets(): Promise<PartitionOffsets> {
    // One after the other, the end last: so logStart <= lastStable <= logEnd holds while the log is written.
    const logStart = await this.#listOffset(EARLIEST, "read_uncommitted");
    if (this.target.isLeader) {
      const lastStable = await this.#listOffset(LATEST, "read_committed");
      return { logStart, lastStable, logEnd: await this.#listOffset(LATEST, "read_uncommitted") };
    }
    // A follower lists its log end for "latest", whatever the isolation; the other two stand in a Fetch answer.
    const offset = await this.#listOffset(LATEST, "read_uncommitted");
    const { partition } = await this.#untilServed(offset, () =>
      this.#fetchBody({ ...this.target, offset, maxBytes: 1, isolation: "read_uncommitted" }),
    );
    return { logStart, lastStable: partition.lastStableOffset, logEnd: partition.highWatermark };
  }

  async offsetForTimestamp(timestampMs: number): Promise<number | null> {
    const offset = await this.#listOffset(Math.max(0, Math.ceil(timestampMs)), "read_uncommitted");
    return offset < 0 ? null : offset;
  }

  async fetch(request: FetchRequest, visitor: LogVisitor): Promise<FetchAnswer> {
    const { offset, isolation } = request;
    const { partition, body, wasThrottled } = await this.#fetchOrTakeAhead(request);
    const { recordSetStart, recordSetBytes, highWatermark, lastStableOffset, logStartOffset } = partition;
    if (recordSetStart + recordSetBytes > body.length)
      throw this.#unreadable("is shorter than the records that it declares");
    this.#readAhead(request, body.subarray(recordSetStart, recordSetStart + recordSetBytes));
    const aborted = isolation === "read_committed" ? partition.abortedTransactions : null;
    const read = this.#walker.walk(body, recordSetStart, recordSetStart + recordSetBytes, visitor, aborted);
    this.#checkProgress(read, offset);
    return {
      recordSetBytes,
      batchCount: read.batchCount,
      endsInPartialBatch: read.endsInPartialBatch,
      firstBaseOffset: read.firstBaseOffset,
      lastBaseOffset: read.lastBaseOffset,
      nextOffset: read.nextOffset ?? offset,
      highWatermark,
      lastStableOffset,
      logStartOffset,
      wasThrottled,
    };
  }

  #fetchOrTakeAhead(request: FetchRequest): Promise<FoundPartition> {
    const ahead = this.#ahead;
    this.#ahead = null;
    const isSame =
      ahead !== null &&
      ahead.request.offset === request.offset &&
      ahead.request.maxBytes === request.maxBytes &&
      ahead.request.isolation === request.isolation;
    return isSame ? ahead.found : this.#find(request);
  }

  #find(request: FetchRequest): Promise<FoundPartition> {
    return this.#untilServed(request.offset, () => this.#fetchBody({ ...this.target, ...request }));
  }

  /** The broker reads the next answer while this one is walked. */
  #readAhead(request: FetchRequest, recordSet: Buffer): void {
    if (request.readAheadTo === undefined) return;
    const offset = findNextOffset(recordSet);
    if (offset === null || offset <= request.offset || offset >= request.readAheadTo) return;
    const next = { ...request, offset };
    const found = this.#find(next);
    found.catch(() => {}); // whoever takes it is told
    this.#ahead = { request: next, found };
  }

  async peek(offset: number, maxBytes: number): Promise<PeekAnswer> {
    const fields: FetchFields = { ...this.target, offset, maxBytes, isolation: "read_uncommitted" };
    const { partition, body, wasThrottled } = await this.#untilServed(offset, () => this.#fetchHead(fields));
    const { recordSetStart, recordSetBytes, highWatermark } = partition;
    const end = Math.min(body.length, recordSetStart + recordSetBytes);
    const read = this.#walker.walk(body, recordSetStart, end, HEADERS_ONLY, null);
    const hasOffset = end - recordSetStart >= 8;
    return {
      recordSetBytes,
      firstBaseOffset: read.firstBaseOffset ?? (hasOffset ? Number(body.readBigInt64BE(recordSetStart)) : null),
      highWatermark,
      wasThrottled,
      readBatchCount: read.batchCount,
      readBytes: read.wholeBytes,
      readNextOffset: read.nextOffset ?? offset,
    };
  }

  traffic(): LogTraffic {
    return { fetches: this.#fetches, fetchedBytes: this.#fetchedBytes };
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  /** Asks until an answer holds the partition: a broker throttles by answers without one. */
  async #untilServed(offset: number, ask: () => Promise<Buffer>): Promise<FoundPartition> {
    for (let throttles = 0; ; ) {
      const body = await ask();
      const { throttleTimeMs, errorCode, partition } = parseFetchResponse(body);
      if (errorCode !== 0) throw await this.#explain(errorCode, offset);
      if (partition !== null) {
        await this.#checkPartition(partition, offset);
        return { partition, body, wasThrottled: throttles > 0 || throttleTimeMs > 0 };
      }
      if (throttleTimeMs <= 0) throw this.#unreadable("does not hold the partition that was asked for");
      throttles++;
      if (throttles === MOST_THROTTLES || throttleTimeMs > LONGEST_THROTTLE_MS) throw this.#throttledTooLong(offset);
      await this.#wait(throttleTimeMs);
    }
  }

  async #checkPartition(partition: FetchedPartition, offset: number): Promise<void> {
    if (partition.errorCode !== 0) throw await this.#explain(partition.errorCode, offset);
    if (partition.partition !== this.target.partition || partition.topicId !== this.target.topicId.toLowerCase()) {
      throw this.#unreadable("is about another partition");
    }
    const { preferredReadReplica } = partition;
    if (preferredReadReplica >= 0 && preferredReadReplica !== this.target.brokerId && partition.recordSetBytes === 0) {
      throw new BrokerError(
        "protocol",
        `Broker ${this.target.brokerId} sends readers of ${describeReplica(this.target)} to broker ${preferredReadReplica} (replica.selector.class). Allow clients without a rack to read here.`,
      );
    }
  }

  /** A deleted topic and one that was made again give the same code; the name tells them apart. */
  async #explain(errorCode: number, offset: number): Promise<BrokerError> {
    const error = mapFetchErrorCode(errorCode, this.target, "Read", offset);
    if (error.code !== "topic-not-found") return error;
    const fate = await findTopicFate(this.#session, this.target).catch(() => "unknown" as const);
    if (fate !== "recreated") return error;
    return new BrokerError(
      "topic-recreated",
      `Topic "${this.target.topic}" was deleted and made again while it was read. Measure the new one.`,
      { cause: error },
    );
  }

  #checkProgress(
    read: { batchCount: number; endsInPartialBatch: boolean; nextOffset: number | null },
    offset: number,
  ): void {
    const where = describeReplica(this.target);
    if (read.batchCount === 0 && read.endsInPartialBatch) {
      // The first batch of an answer is always sent whole (KIP-74).
      throw new BrokerError(
        "corrupt-batch",
        `The batch for offset ${offset} of ${where} is longer than what was sent of it.`,
      );
    }
    if (read.nextOffset !== null && read.nextOffset <= offset) {
      throw new BrokerError("corrupt-batch", `The batches sent for offset ${offset} of ${where} end before it.`);
    }
  }

  async #fetchBody(fields: FetchFields): Promise<Buffer> {
    const body = await this.#session.askInBulk(
      FETCH_API_KEY,
      FETCH_API_VERSION,
      () => writeFetchRequest(fields),
      (correlationId) => writeFetchFrame(fields, this.#clientId, correlationId),
      () => this.#fetches++,
    );
    this.#fetchedBytes += body.length + ANSWER_HEADER_BYTES;
    return body;
  }

  async #fetchHead(fields: FetchFields): Promise<Buffer> {
    const connection = await this.#session.connect();
    this.#fetches++;
    return fetchHead({
      connection,
      clientId: this.#clientId,
      fields,
      timeoutMs: this.#timeoutMs,
      signal: this.#session.signal,
      onBytes: (length) => {
        this.#fetchedBytes += length;
      },
    });
  }

  async #listOffset(timestamp: number, isolation: IsolationLevel): Promise<number> {
    const { topic, partition, isLeader } = this.target;
    const replicaId = isLeader ? CONSUMER_REPLICA_ID : DEBUGGING_REPLICA_ID;
    const body = await this.#session.ask(LIST_OFFSETS_API_KEY, LIST_OFFSETS_API_VERSION, () =>
      writeListOffsetsRequest({ topic, partition, replicaId, timestamp, isolation }),
    );
    const listed = parseListOffsetsResponse(body);
    if (listed === null) throw this.#unreadable("does not hold the partition that was asked for");
    if (listed.errorCode !== 0) throw mapFetchErrorCode(listed.errorCode, this.target, "Describe", null);
    return listed.offset;
  }

  async #wait(durationMs: number): Promise<void> {
    try {
      await sleep(durationMs, undefined, { signal: this.#session.signal });
    } catch {
      throw new BrokerError("cancelled", "The replica's log was closed while a throttle was waited out.");
    }
  }

  #throttledTooLong(offset: number): BrokerError {
    return new BrokerError(
      "throttled-too-long",
      `Broker ${this.target.brokerId} throttles client id "${this.#clientId}" and does not serve offset ${offset} of ${describeReplica(this.target)}: a batch there may be larger than ten times the quota. Raise consumer_byte_rate of this client id.`,
    );
  }

  #unreadable(what: string): BrokerError {
    return new BrokerError(
      "protocol",
      `The answer about ${describeReplica(this.target)} ${what}. Is it a Kafka broker?`,
    );
  }
}
