import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { KafkaReplicaLog, type KafkaReplicaLogOptions } from "#lib/brokers/kafka/replica-log.ts";
import type { FetchRequest } from "#lib/brokers/replica-log-port.ts";
import { buildBatch, buildRecord } from "./record-batch-builder.ts";
import { CollectingVisitor, findRecordSet } from "./record-sets.ts";
import { fetchReply, listOffsetsReply, ScriptedBroker, TOPIC_ID, throttledReply } from "./scripted-broker.ts";

const TARGET = { topic: "orders", partition: 0, topicId: TOPIC_ID, brokerId: 3, isLeader: true };
const REQUEST: FetchRequest = { offset: 1000, maxBytes: 65_535, isolation: "read_uncommitted" };
const GOOD = findRecordSet("v2 lz4");
const FETCH = 1;

let broker: ScriptedBroker;
let logs: KafkaReplicaLog[];

beforeEach(async () => {
  broker = await ScriptedBroker.start();
  logs = [];
});

afterEach(async () => {
  await Promise.all(logs.map((log) => log.close()));
  await broker.stop();
});

function openLog(options: Partial<KafkaReplicaLogOptions> = {}): KafkaReplicaLog {
  const log = new KafkaReplicaLog({
    target: TARGET,
    connect: () => broker.connect(),
    clientId: "keyfold-probe",
    ...options,
  });
  logs.push(log);
  return log;
}

const failureOf = (promise: Promise<unknown>): Promise<BrokerError> =>
  promise.then(
    () => Promise.reject(new Error("nothing was thrown")),
    (error) => (error instanceof BrokerError ? error : Promise.reject(error)),
  );

describe("a request", () => {
  it("asks for one partition by topic id, outside of sessions, without a rack, for the same bytes twice", async () => {
    broker.script(fetchReply({ records: GOOD.bytes }));
    await openLog().fetch({ ...REQUEST, isolation: "read_committed" }, new CollectingVisitor());
    const { apiKey, apiVersion, body } = broker.requests[0]!;
    expect([apiKey, apiVersion]).toEqual([FETCH, 13]);
    expect(body.toString("hex")).toBe(
      [
        "ffffffff" /* replica */,
        "000001f4" /* at most so long */,
        "00000000" /* at least so much */,
        "0000ffff",
        "01" /* read_committed */,
        "00000000ffffffff" /* no session */,
        "02",
        TOPIC_ID.replaceAll("-", ""),
        "02",
        "00000000ffffffff",
        "00000000000003e8" /* offset */,
        "ffffffffffffffffffffffff",
        "0000ffff",
        "0000" /* tags of partition and topic */,
        "01" /* forgotten topics */,
        "01" /* rack */,
        "00",
      ].join(""),
    );
  });
});

describe("an answer", () => {
  it("is visited and summed up", async () => {
    const tail = GOOD.bytes.subarray(0, 100);
    broker.script(fetchReply({ records: Buffer.concat([GOOD.bytes, tail]) }));
    const seen = new CollectingVisitor();
    const answer = await openLog().fetch(REQUEST, seen);
    expect(seen.records).toEqual(GOOD.records);
    expect(answer).toEqual({
      recordSetBytes: GOOD.bytes.length + 100,
      batchCount: 1,
      endsInPartialBatch: true,
      firstBaseOffset: 1000,
      lastBaseOffset: 1000,
      nextOffset: 1040,
      highWatermark: 2000,
      lastStableOffset: 1990,
      logStartOffset: 7,
      wasThrottled: false,
    });
  });

  it("without records says so, and does not claim the end of the log", async () => {
    broker.script(fetchReply({ highWatermark: 5000 }));
    const answer = await openLog().fetch(REQUEST, new CollectingVisitor());
    expect(answer).toMatchObject({
      recordSetBytes: 0,
      batchCount: 0,
      firstBaseOffset: null,
      nextOffset: 1000,
      highWatermark: 5000,
    });
  });

  it("has its aborted transactions applied in read_committed alone", async () => {
    const records = findRecordSet("v2 transactional").bytes;
    broker.script(fetchReply({ records, aborted: [{ producerId: 77, firstOffset: 900 }] }));
    const log = openLog();
    for (const [isolation, isAborted] of [
      ["read_committed", true],
      ["read_uncommitted", false],
    ] as const) {
      const seen = new CollectingVisitor();
      await log.fetch({ ...REQUEST, isolation }, seen);
      expect(seen.batches).toMatchObject([{ isTransactional: true, isAborted }]);
    }
  });

  it("that is longer than a socket's chunk arrives whole", async () => {
    const records = Buffer.concat(
      Array.from({ length: 40 }, (_, i) =>
        buildBatch({ baseOffset: 1000 + i, body: buildRecord({ value: Buffer.alloc(100_000, i) }) }),
      ),
    );
    broker.script(fetchReply({ records }));
    const seen = new CollectingVisitor();
    const log = openLog();
    await log.fetch(REQUEST, seen);
    expect(seen.records.map(([offset]) => offset)).toEqual(Array.from({ length: 40 }, (_, i) => 1000 + i));
    expect(log.traffic()).toEqual({ fetches: 1, fetchedBytes: 9 + fetchReply({ records }).length });
  });

  it.each([
    ["whose first batch is cut off", { records: GOOD.bytes.subarray(0, 300) }, "corrupt-batch"],
    [
      "whose batches end before the offset",
      { records: findRecordSet("segment written by kcat, none").bytes },
      "corrupt-batch",
    ],
    ["that is shorter than declared", { records: GOOD.bytes, declaredBytes: 5_000_000 }, "protocol"],
    ["about another partition", { records: GOOD.bytes, partition: 1 }, "protocol"],
    ["about another topic", { records: GOOD.bytes, topicId: "11111111-2222-3333-4444-555555555555" }, "protocol"],
    ["with a high watermark above 2^53 - 1", { highWatermark: 2n ** 60n }, "protocol"],
    ["that sends this reader to another replica", { preferredReadReplica: 9 }, "protocol"],
  ])("%s is refused", async (_, spec, code) => {
    broker.script(fetchReply(spec));
    const error = await failureOf(openLog().fetch(REQUEST, new CollectingVisitor()));
    expect(error.code).toBe(code);
  });

  it.each([[0], [3], [9], [20], [60]])("that ends after %d bytes is refused as unreadable", async (length) => {
    broker.script(fetchReply({ records: GOOD.bytes }).subarray(0, length));
    const error = await failureOf(openLog().fetch(REQUEST, new CollectingVisitor()));
    expect(error.code).toBe("protocol");
  });
});

describe("error codes", () => {
  it.each([
    [1, "offset-out-of-range", false],
    [2, "corrupt-batch", false],
    [6, "leader-moved", true],
    [9, "leader-moved", true],
    [29, "authorization-failed", false],
    [56, "leader-moved", true],
    [74, "leader-moved", true],
    [78, "leader-moved", true],
    [103, "topic-recreated", false],
    [-1, "protocol", false],
  ])("%d is %s", async (partitionErrorCode, code, retry) => {
    broker.script(fetchReply({ partitionErrorCode, highWatermark: -1 }));
    const error = await failureOf(openLog().fetch(REQUEST, new CollectingVisitor()));
    expect(error).toMatchObject({ code, retry });
    expect(error.message).toContain('offset 1000 of partition 0 of topic "orders" on broker 3');
  });

  it("a missing right is named with its topic", async () => {
    broker.script(fetchReply({ partitionErrorCode: 29 }));
    const error = await failureOf(openLog().fetch(REQUEST, new CollectingVisitor()));
    expect(error.message).toContain('Allow Read on topic "orders"');
    broker.script(listOffsetsReply(-1, 29));
    expect((await failureOf(openLog().offsets())).message).toContain('Allow Describe on topic "orders"');
  });
});

describe("throttling", () => {
  it("is waited out, and the same offset is asked for again", async () => {
    broker.script(throttledReply(60), fetchReply({ records: GOOD.bytes }));
    const log = openLog();
    const startedAt = performance.now();
    const answer = await log.fetch(REQUEST, new CollectingVisitor());
    expect(performance.now() - startedAt).toBeGreaterThan(55);
    expect(answer).toMatchObject({ wasThrottled: true, batchCount: 1 });
    expect(log.traffic().fetches).toBe(2);
    expect(broker.requests[1]!.body).toEqual(broker.requests[0]!.body);
  });

  it("of one offset twice is given up with the client id and the remedy", async () => {
    broker.script(throttledReply(20));
    const error = await failureOf(openLog().fetch(REQUEST, new CollectingVisitor()));
    expect(error).toMatchObject({ code: "throttled-too-long", retry: true });
    expect(error.message).toContain("keyfold-probe");
    expect(error.message).toContain("consumer_byte_rate");
    expect(broker.requests).toHaveLength(2);
  });

  it("for an absurd time is not waited for", async () => {
    broker.script(throttledReply(2 ** 31 - 1));
    expect((await failureOf(openLog().fetch(REQUEST, new CollectingVisitor()))).code).toBe("throttled-too-long");
  });

  it("stops being waited for when the log is closed", async () => {
    broker.script(throttledReply(60_000));
    const log = openLog();
    const failure = failureOf(log.fetch(REQUEST, new CollectingVisitor()));
    await expect.poll(() => broker.requests.length).toBe(1);
    // The answer may still be on its way here; both before and after it closing ends the call.
    await log.close();
    expect((await failure).code).toBe("cancelled");
  });

  it("of a peek is waited out over a new connection", async () => {
    broker.script(throttledReply(30), fetchReply({ records: GOOD.bytes }));
    const answer = await openLog().peek(1000, 50_000_000);
    expect(answer).toMatchObject({ wasThrottled: true, readBatchCount: 1 });
    expect(broker.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });
});

describe("connections", () => {
  it("that are lost are opened again once", async () => {
    broker.script("hang-up", fetchReply({ records: GOOD.bytes }));
    const log = openLog();
    expect(await log.fetch(REQUEST, new CollectingVisitor())).toMatchObject({ batchCount: 1 });
    expect(log.traffic().fetches).toBe(2);
  });

  it("that are lost twice are given up", async () => {
    broker.script("hang-up");
    const error = await failureOf(openLog().fetch(REQUEST, new CollectingVisitor()));
    expect(error).toMatchObject({ code: "unreachable", retry: true });
    expect(error.message).toContain("Broker 3");
    expect(broker.requests).toHaveLength(2);
  });

  it("give up on a broker that does not answer, and the next call uses another one", async () => {
    broker.script("silence", fetchReply({ records: GOOD.bytes }));
    const log = openLog({ timeoutMs: 80 });
    expect(await failureOf(log.fetch(REQUEST, new CollectingVisitor()))).toMatchObject({
      code: "timeout",
      retry: true,
    });
    await log.fetch(REQUEST, new CollectingVisitor());
    expect(broker.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it("hand on why one can't be opened, and try again at the next call", async () => {
    let refusals = 1;
    broker.script(fetchReply({ records: GOOD.bytes }));
    const log = openLog({
      connect: () =>
        refusals-- > 0 ? Promise.reject(new BrokerError("authentication-failed", "no")) : broker.connect(),
    });
    expect((await failureOf(log.fetch(REQUEST, new CollectingVisitor()))).code).toBe("authentication-failed");
    expect(await log.fetch(REQUEST, new CollectingVisitor())).toMatchObject({ batchCount: 1 });
  });

  it("are all closed with the log, and a closed log refuses", async () => {
    broker.script("silence");
    const log = openLog();
    const failures = [failureOf(log.fetch(REQUEST, new CollectingVisitor())), failureOf(log.peek(1000, 1000))];
    await expect.poll(() => broker.requests.length).toBe(2);
    await log.close();
    expect((await Promise.all(failures)).map(({ code }) => code)).toEqual(["cancelled", "cancelled"]);
    await expect.poll(() => broker.openConnections).toBe(0);
    expect((await failureOf(log.offsets())).code).toBe("cancelled");
  });
});

describe("a peek", () => {
  it("reads the head of a large answer alone, and closes its connection", async () => {
    const batch = (i: number) =>
      buildBatch({ baseOffset: 1000 + i * 10, lastOffsetDelta: 9, body: buildRecord({ value: Buffer.alloc(10_000) }) });
    const records = Buffer.concat(Array.from({ length: 2000 }, (_, i) => batch(i)));
    broker.script(fetchReply({ records }));
    const log = openLog();
    const answer = await log.peek(1000, 50_000_000);
    expect(answer).toMatchObject({ recordSetBytes: records.length, firstBaseOffset: 1000, highWatermark: 2000 });
    expect(answer.readBatchCount).toBeGreaterThanOrEqual(5);
    expect(answer.readBytes).toBe(answer.readBatchCount * batch(0).length);
    expect(answer.readNextOffset).toBe(1000 + answer.readBatchCount * 10);
    expect(log.traffic().fetchedBytes).toBeLessThan(1024 * 1024);
    expect(broker.requests[0]).toMatchObject({ apiKey: FETCH, apiVersion: 13, clientId: "keyfold-probe" });
    await expect.poll(() => broker.openConnections).toBe(0);
  });

  it("tells the first offset of a batch that is larger than the head", async () => {
    const records = buildBatch({ baseOffset: 1000, body: buildRecord({ value: Buffer.alloc(900_000) }) });
    broker.script(fetchReply({ records }));
    expect(await openLog().peek(1000, 50_000_000)).toEqual({
      recordSetBytes: records.length,
      firstBaseOffset: 1000,
      highWatermark: 2000,
      wasThrottled: false,
      readBatchCount: 0,
      readBytes: 0,
      readNextOffset: 1000,
    });
  });

  it("at the end of the log finds nothing", async () => {
    broker.script(fetchReply({ highWatermark: 1000 }));
    expect(await openLog().peek(1000, 50_000_000)).toMatchObject({ recordSetBytes: 0, firstBaseOffset: null });
  });

  it("times out, and meets errors, as a fetch does", async () => {
    broker.script("silence", "hang-up", fetchReply({ partitionErrorCode: 6 }));
    const log = openLog({ timeoutMs: 80 });
    expect((await failureOf(log.peek(1000, 1000))).code).toBe("timeout");
    expect((await failureOf(log.peek(1000, 1000))).code).toBe("unreachable");
    expect((await failureOf(log.peek(1000, 1000))).code).toBe("leader-moved");
  });
});

describe("offsets", () => {
  it("of a leader come from three requests, the end last", async () => {
    broker.script(listOffsetsReply(5), listOffsetsReply(90), listOffsetsReply(100));
    expect(await openLog().offsets()).toEqual({ logStart: 5, lastStable: 90, logEnd: 100 });
    expect(broker.requests.map(({ body }) => [body.readInt32BE(0), body.readInt8(4)])).toEqual([
      [-1, 0],
      [-1, 1],
      [-1, 0],
    ]);
  });

  it("of a follower are asked for as a debugging consumer, and its high watermark by a fetch", async () => {
    broker.script(listOffsetsReply(5), listOffsetsReply(2100), fetchReply({}));
    const log = openLog({ target: { ...TARGET, isLeader: false } });
    expect(await log.offsets()).toEqual({ logStart: 5, lastStable: 1990, logEnd: 2000 });
    expect(broker.requests.map(({ apiKey, body }) => [apiKey, body.readInt32BE(0)])).toEqual([
      [2, -2],
      [2, -2],
      [FETCH, -1],
    ]);
  });

  it("for a time are null where no record is that young", async () => {
    broker.script(listOffsetsReply(-1), listOffsetsReply(12));
    const log = openLog();
    expect(await log.offsetForTimestamp(5)).toBeNull();
    expect(await log.offsetForTimestamp(5)).toBe(12);
  });
});
