/** Reading replicas of real brokers, held against what librdkafka reads of the same partitions. */
import { fileURLToPath } from "node:url";
import { Admin, ClientQuotaEntityTypes, ClientQuotaKeys } from "@platformatic/kafka";
import { Kafka } from "kafkajs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { BrokerError } from "#lib/brokers/broker-error.ts";
import type { Broker } from "#lib/brokers/broker-port.ts";
import { openBroker } from "#lib/brokers/open-broker.ts";
import type { IsolationLevel, LogVisitor, RecordBatch, ReplicaLog } from "#lib/brokers/replica-log-port.ts";
import { clusterConfig } from "../../support/cluster-config.ts";
import { type KafkaCluster, startKafka } from "../../support/kafka-cluster.ts";
import { produce, runPython } from "../../support/producer.ts";
import { createTopic, deleteTopic } from "../../support/topic-admin.ts";

const READER = fileURLToPath(new URL("../../support/read_records.py", import.meta.url));
const CODECS = ["none", "gzip", "snappy", "lz4", "zstd"] as const;
const MIB = 1024 * 1024;
const NOBODY: LogVisitor = { batch: () => false, record: () => {} };

type SeenRecord = [offset: number, timestamp: number, keyHex: string | null, isTombstone: boolean];

/** Three brokers; topics have the replicas 1 (leader) and 2. */
let kafka: KafkaCluster;
let broker: Broker;

beforeAll(async () => {
  kafka = await startKafka({
    version: "4.4",
    brokers: 3,
    heapMegabytes: 256,
    broker: { "offsets.topic.replication.factor": "1", "transaction.state.log.replication.factor": "1" },
  });
  broker = await openBroker(clusterConfig(kafka.servers), { clientId: "keyfold-probe" });
});

afterAll(async () => {
  await broker?.close();
  await kafka?.stop();
});

const makeTopic = (topic: string, configs: Record<string, string> = {}): Promise<void> =>
  createTopic(kafka, { topic, assignments: [[1, 2]], configs });

async function openLog(topic: string, { brokerId = 1, of = broker } = {}): Promise<ReplicaLog> {
  const [description] = await of.describeTopics([topic]);
  return of.openReplicaLog({ topic, partition: 0, topicId: description!.topicId, brokerId, isLeader: brokerId === 1 });
}

async function readWithLibrdkafka(topic: string, isolation: IsolationLevel): Promise<SeenRecord[]> {
  const lines = await runPython(READER, [kafka.servers, topic, "0", isolation]);
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

interface WholeRead {
  /** What a reader of this isolation gets: neither control nor aborted records. */
  records: SeenRecord[];
  batches: RecordBatch[];
  abortedOffsets: number[];
  sizeInBytes: number;
  answers: number;
}

/** From the log start to its end in answers of `maxBytes`. */
async function readWhole(log: ReplicaLog, isolation: IsolationLevel, maxBytes: number): Promise<WholeRead> {
  const read: WholeRead = { records: [], batches: [], abortedOffsets: [], sizeInBytes: 0, answers: 0 };
  const { logStart, logEnd, lastStable } = await log.offsets();
  let isAborted = false;
  const visitor: LogVisitor = {
    batch(batch) {
      read.batches.push({ ...batch });
      isAborted = batch.isAborted;
      return true;
    },
    record(offset, timestamp, bytes, keyStart, keyEnd, isTombstone, sizeInBytes) {
      const key = keyStart < 0 ? null : Buffer.from(bytes.subarray(keyStart, keyEnd)).toString("hex");
      read.sizeInBytes += sizeInBytes;
      if (isAborted) read.abortedOffsets.push(offset);
      else read.records.push([offset, timestamp, key, isTombstone]);
    },
  };
  const end = isolation === "read_committed" ? lastStable : logEnd;
  for (let offset = logStart; offset < end; ) {
    const answer = await log.fetch({ offset, maxBytes, isolation }, visitor);
    expect(answer.nextOffset).toBeGreaterThan(offset);
    expect(answer).toMatchObject({ logStartOffset: logStart, highWatermark: logEnd, lastStableOffset: lastStable });
    offset = answer.nextOffset;
    read.answers++;
  }
  return read;
}

const failureOf = (promise: Promise<unknown>): Promise<BrokerError> =>
  promise.then(
    () => Promise.reject(new Error("nothing was thrown")),
    (error) => error,
  );

describe("records", () => {
  test.each(CODECS)(
    "%s: offsets, timestamps, keys, null keys and tombstones are those that librdkafka reads",
    async (codec) => {
      const topic = `codec-${codec}`;
      await makeTopic(topic);
      await produce({
        servers: kafka.servers,
        topic,
        partition: 0,
        seed: 7,
        phases: [
          {
            records: 12_000,
            keys: { kind: "zipf", count: 900 },
            compression: codec,
            compressible: true,
            batch_records: 400,
            tombstone_share: 0.2,
            null_key_share: 0.05,
          },
        ],
      });
      const log = await openLog(topic);
      const read = await readWhole(log, "read_uncommitted", 65_535);
      await log.close();
      expect(read.records).toEqual(await readWithLibrdkafka(topic, "read_uncommitted"));
      expect(read.records).toHaveLength(12_000);
      expect(read.batches.every(({ isCompressed }) => isCompressed === (codec !== "none"))).toBe(true);
      const batchBytes = read.batches.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0);
      const headerBytes = codec === "none" ? 61 * read.batches.length : 0;
      expect(read.sizeInBytes + headerBytes).toBeCloseTo(batchBytes, 3);
    },
  );

  test("a whole batch larger than what was asked for is sent and visited", async () => {
    const log = await openLog("codec-none");
    const answer = await log.fetch({ offset: 0, maxBytes: 1, isolation: "read_uncommitted" }, NOBODY);
    expect(answer).toMatchObject({ batchCount: 1, firstBaseOffset: 0, endsInPartialBatch: false });
    const middle = await log.fetch(
      { offset: answer.nextOffset - 1, maxBytes: 1, isolation: "read_uncommitted" },
      NOBODY,
    );
    expect(middle).toMatchObject({ firstBaseOffset: 0, nextOffset: answer.nextOffset });
    await log.close();
  });

  test("an offset beyond the end is told, and the end itself is an empty answer", async () => {
    const log = await openLog("codec-none");
    expect(await log.fetch({ offset: 12_000, maxBytes: MIB, isolation: "read_uncommitted" }, NOBODY)).toMatchObject({
      recordSetBytes: 0,
      nextOffset: 12_000,
      highWatermark: 12_000,
    });
    const error = await failureOf(log.fetch({ offset: 12_001, maxBytes: MIB, isolation: "read_uncommitted" }, NOBODY));
    expect(error.code).toBe("offset-out-of-range");
    await log.close();
  });

  test("offsets are found by time", async () => {
    const topic = "by-time";
    await makeTopic(topic);
    const timestamps = { start_ms: 1_700_000_000_000, step_ms: 10 };
    const phase = { records: 1000, keys: { kind: "uniform", count: 50 } as const, timestamps };
    await produce({ servers: kafka.servers, topic, partition: 0, seed: 1, phases: [phase] });
    for (const brokerId of [1, 2]) {
      const log = await openLog(topic, { brokerId });
      await vi.waitFor(async () => expect((await log.offsets()).logEnd).toBe(1000), { timeout: 15_000 });
      expect(await log.offsetForTimestamp(1_700_000_001_005)).toBe(101);
      expect(await log.offsetForTimestamp(1_800_000_000_000)).toBeNull();
      await log.close();
    }
  });
});

describe("transactions", () => {
  const topic = "transactions";
  const abortedOffsets: number[] = [];

  beforeAll(async () => {
    await makeTopic(topic);
    const client = new Kafka({ clientId: "test", brokers: kafka.servers.split(","), logLevel: 0 });
    const [first, second] = ["tx-a", "tx-b"].map((transactionalId) =>
      client.producer({ transactionalId, idempotent: true, maxInFlightRequests: 1 }),
    );
    await Promise.all([first!.connect(), second!.connect()]);
    const messages = Array.from({ length: 50 }, (_, i) => ({ key: `k-${i}`, value: i % 9 ? `v-${i}` : null }));
    // Two producers whose transactions overlap; those of the first one abort in turns, the second one's all commit.
    for (let round = 0; round < 8; round++) {
      const [a, b] = [await first!.transaction(), await second!.transaction()];
      const written: number[] = [];
      for (const transaction of [a, b, a]) {
        const [sent] = await transaction.send({ topic, messages });
        if (transaction === a) written.push(...messages.map((_, i) => Number(sent!.baseOffset) + i));
      }
      if (round % 2) abortedOffsets.push(...written);
      await (round % 2 ? a.abort() : a.commit());
      await b.commit();
    }
    await Promise.all([first!.disconnect(), second!.disconnect()]);
  });

  test.each([1, 2])(
    "aborted ones are marked, and the rest is what a read_committed reader gets (broker %d)",
    async (brokerId) => {
      const log = await openLog(topic, { brokerId });
      await vi.waitFor(async () => expect((await log.offsets()).lastStable).toBe(8 * 152), { timeout: 15_000 });
      const read = await readWhole(log, "read_committed", MIB);
      await log.close();
      expect(read.abortedOffsets).toEqual(abortedOffsets);
      expect(read.records).toEqual(await readWithLibrdkafka(topic, "read_committed"));
      expect(read.batches.filter(({ isControl }) => isControl)).toHaveLength(16);
    },
  );

  test("windows that start in mid-transaction mark the same records, wherever they start", async () => {
    const log = await openLog(topic);
    const expected = new Set(abortedOffsets);
    for (let offset = 0; offset < 8 * 152; offset += 17) {
      let isAborted = false;
      const wrong: number[] = [];
      const visitor: LogVisitor = {
        batch: (batch) => {
          isAborted = batch.isAborted;
          return true;
        },
        record: (each) => {
          if (isAborted !== expected.has(each)) wrong.push(each);
        },
      };
      await log.fetch({ offset, maxBytes: 2_000, isolation: "read_committed" }, visitor);
      expect({ offset, wrong }).toEqual({ offset, wrong: [] });
    }
    await log.close();
  });

  test("in read_uncommitted nothing is marked, and all is visited", async () => {
    const log = await openLog(topic);
    const read = await readWhole(log, "read_uncommitted", MIB);
    await log.close();
    expect(read.abortedOffsets).toEqual([]);
    expect(read.records).toHaveLength(8 * 150);
  });

  test("an open one holds the last stable offset back, which offsets and answers tell", async () => {
    await makeTopic("open-transaction");
    const base = { servers: kafka.servers, topic: "open-transaction", partition: 0, seed: 3 };
    const phase = { records: 100, keys: { kind: "uniform", count: 50 } as const };
    await produce({ ...base, phases: [phase, { ...phase, transaction: { records: 100, leave_open: true } }] });
    const log = await openLog("open-transaction");
    expect(await log.offsets()).toEqual({ logStart: 0, lastStable: 100, logEnd: 200 });
    const answer = await log.fetch({ offset: 100, maxBytes: MIB, isolation: "read_committed" }, NOBODY);
    expect(answer).toMatchObject({ recordSetBytes: 0, nextOffset: 100, highWatermark: 200, lastStableOffset: 100 });
    await log.close();
  });
});

describe("replicas", () => {
  test("a follower is read like the leader, and knows its own offsets", async () => {
    const [leader, follower] = [await openLog("codec-lz4"), await openLog("codec-lz4", { brokerId: 2 })];
    await vi.waitFor(async () => expect(await follower.offsets()).toEqual(await leader.offsets()), { timeout: 15_000 });
    const [fromLeader, fromFollower] = [
      await readWhole(leader, "read_uncommitted", MIB),
      await readWhole(follower, "read_uncommitted", MIB),
    ];
    expect(fromFollower).toEqual(fromLeader);
    await Promise.all([leader.close(), follower.close()]);
  });

  test("a broker without the replica says that it holds none", async () => {
    const log = await openLog("codec-lz4", { brokerId: 3 });
    expect((await failureOf(log.offsets())).code).toBe("leader-moved");
    const error = await failureOf(log.fetch({ offset: 0, maxBytes: MIB, isolation: "read_uncommitted" }, NOBODY));
    expect(error).toMatchObject({ code: "leader-moved", retry: true });
    await log.close();
  });

  test("a deleted topic and one that was made again under its name are told apart", async () => {
    await makeTopic("short-lived");
    const log = await openLog("short-lived");
    const request = { offset: 0, maxBytes: MIB, isolation: "read_uncommitted" } as const;
    await log.fetch(request, NOBODY);
    await deleteTopic(kafka, "short-lived");
    await vi.waitFor(async () => expect((await failureOf(log.fetch(request, NOBODY))).code).toBe("topic-not-found"), {
      timeout: 15_000,
    });
    await makeTopic("short-lived");
    await vi.waitFor(async () => expect((await failureOf(log.fetch(request, NOBODY))).code).toBe("topic-recreated"), {
      timeout: 15_000,
    });
    await log.close();
  });
});

describe("peeks", () => {
  test("tell the bytes to the end of the segment from a small part of them", async () => {
    await makeTopic("segments", { "segment.bytes": String(4 * MIB) });
    const phase = {
      records: 60_000,
      keys: { kind: "uniform", count: 500 } as const,
      value_bytes: [150, 200] as [number, number],
    };
    await produce({ servers: kafka.servers, topic: "segments", partition: 0, seed: 1, phases: [phase] });
    const log = await openLog("segments");
    const peeked = await log.peek(0, 50 * MIB);
    const { fetchedBytes } = log.traffic();
    const fetched = await log.fetch({ offset: 0, maxBytes: 50 * MIB, isolation: "read_uncommitted" }, NOBODY);
    expect(peeked.recordSetBytes).toBe(fetched.recordSetBytes);
    expect(peeked.recordSetBytes).toBeGreaterThan(3.8 * MIB);
    expect(peeked).toMatchObject({ firstBaseOffset: 0, highWatermark: 60_000, wasThrottled: false });
    expect(peeked.readBatchCount).toBeGreaterThan(1);
    expect(peeked.readNextOffset).toBe(peeked.readBatchCount * 100);
    expect(fetchedBytes).toBeLessThan(MIB);
    expect(log.traffic().fetches).toBe(2);
    await log.close();
  });
});

describe("quotas", () => {
  async function limit(clientId: string, bytesPerSecond: number): Promise<void> {
    const admin = new Admin({ clientId: "test", bootstrapBrokers: kafka.servers.split(",") });
    await admin.alterClientQuotas({
      entries: [
        {
          entities: [{ entityType: ClientQuotaEntityTypes.CLIENT_ID, entityName: clientId }],
          ops: [{ key: ClientQuotaKeys.CONSUMER_BYTE_RATE, value: bytesPerSecond, remove: false }],
        },
      ],
    });
    await admin.close();
    const limited = await openBroker(clusterConfig(kafka.servers), { clientId });
    await vi.waitFor(async () => expect(await limited.describeConsumerByteRate(clientId)).toBe(bytesPerSecond), {
      timeout: 15_000,
    });
    await limited.close();
  }

  test("a throttled reader waits and gets every record once", async () => {
    await limit("slow-reader", 400_000);
    const limited = await openBroker(clusterConfig(kafka.servers), { clientId: "slow-reader" });
    const log = await openLog("segments", { of: limited });
    let records = 0;
    let throttled = 0;
    const counter: LogVisitor = { batch: () => true, record: () => void records++ };
    for (let offset = 0; offset < 40_000; ) {
      const answer = await log.fetch({ offset, maxBytes: 600_000, isolation: "read_uncommitted" }, counter);
      expect(answer.nextOffset).toBeGreaterThan(offset);
      if (answer.wasThrottled) throttled++;
      offset = answer.nextOffset;
      if (throttled === 2) {
        expect(records).toBe(offset);
        break;
      }
    }
    expect(throttled).toBe(2);
    await log.close();
    await limited.close();
  });

  test("a batch that a quota never lets through is given up with the reason", async () => {
    await makeTopic("large-batch");
    const phase = {
      records: 1,
      keys: { kind: "uniform", count: 1 } as const,
      value_bytes: [800_000, 800_001] as [number, number],
    };
    await produce({ servers: kafka.servers, topic: "large-batch", partition: 0, seed: 1, phases: [phase] });
    await limit("starved-reader", 20_000);
    const limited = await openBroker(clusterConfig(kafka.servers), { clientId: "starved-reader" });
    const log = await openLog("large-batch", { of: limited });
    const error = await failureOf(log.fetch({ offset: 0, maxBytes: MIB, isolation: "read_uncommitted" }, NOBODY));
    expect(error).toMatchObject({ code: "throttled-too-long" });
    expect(error.message).toContain("starved-reader");
    await log.close();
    await limited.close();
  });
});

// The last one: it stops a broker.
test("a broker that restarts is reached again, and one that stays away is unreachable", async () => {
  const log = await openLog("codec-zstd", { brokerId: 2 });
  const request = { offset: 0, maxBytes: MIB, isolation: "read_uncommitted" } as const;
  await log.fetch(request, NOBODY);
  await kafka.brokers[1]!.stop();
  expect(await failureOf(log.fetch(request, NOBODY))).toMatchObject({ code: "unreachable", retry: true });
  await kafka.brokers[1]!.start();
  await vi.waitFor(async () => expect((await log.fetch(request, NOBODY)).batchCount).toBeGreaterThan(0), {
    timeout: 30_000,
    interval: 200,
  });
  await log.close();
});
