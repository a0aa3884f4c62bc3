/** What the control plane asks of real brokers: three of Kafka 4.4, one of them stopped at the end, and one of 3.9. */
import { Admin, ClientQuotaEntityTypes, ClientQuotaKeys, Consumer } from "@platformatic/kafka";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Broker } from "#lib/brokers/broker-port.ts";
import { partitionKey } from "#lib/brokers/broker-port.ts";
import { openBroker } from "#lib/brokers/open-broker.ts";
import type { ClusterConfig } from "#lib/platform/cluster-config.ts";
import { clusterConfig } from "../../support/cluster-config.ts";
import { type KafkaCluster, startKafka } from "../../support/kafka-cluster.ts";
import { sharedKafka } from "../../support/shared-kafka.ts";
import { createTopic, deleteTopic } from "../../support/topic-admin.ts";

let kafka: KafkaCluster;
let config: ClusterConfig;
let broker: Broker;
let admin: Admin;

beforeAll(async () => {
  kafka = await startKafka({
    version: "4.4",
    brokers: 3,
    heapMegabytes: 256,
    broker: { "offsets.topic.replication.factor": "3", "group.consumer.session.timeout.ms": "45000" },
  });
  config = clusterConfig(kafka.servers);
  await createTopic(kafka, {
    topic: "orders",
    assignments: [
      [1, 2],
      [2, 3],
      [3, 1],
    ],
    configs: { "cleanup.policy": "compact", "min.compaction.lag.ms": "5" },
  });
  broker = await openBroker(config, { clientId: "keyfold-poll" });
  // Brokers hear of a new topic one after another.
  await vi.waitFor(async () => expect((await broker.describeReplicaSizes(["orders"])).replicas).toHaveLength(6), {
    timeout: 30_000,
    interval: 100,
  });
  admin = new Admin({ clientId: "test", bootstrapBrokers: kafka.servers.split(",") });
});

afterAll(async () => {
  await broker?.close();
  await admin?.close();
  await kafka?.stop();
});

describe("with all brokers up", () => {
  test("the cluster is recognised as Apache Kafka with its release as a lower bound", async () => {
    const cluster = await broker.describeCluster();
    expect(cluster.kind).toMatchObject({ name: "apache-kafka", version: "4.4" });
    expect(cluster.brokers.map(({ brokerId }) => brokerId).sort()).toEqual([1, 2, 3]);
    expect(cluster.clusterId).toMatch(/^[\w-]{22}$/);
    expect(cluster.controllerId).toBeGreaterThan(0);
  });

  test("topics come with ids, leaders and replicas; names that are not there are left out, and none is made", async () => {
    const topics = await broker.describeTopics(["orders", "not-there", "no topic's name"]);
    expect(topics.map(({ name }) => name)).toEqual(["orders"]);
    expect(topics[0]!.topicId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(topics[0]!.partitions.map(({ leader, replicas }) => [leader, replicas])).toEqual([
      [1, [1, 2]],
      [2, [2, 3]],
      [3, [3, 1]],
    ]);
    expect((await broker.describeTopics()).map(({ name }) => name)).not.toContain("not-there");
  });

  test("a topic made again under its name has another id", async () => {
    await createTopic(kafka, { topic: "reborn" });
    const [before] = await broker.describeTopics(["reborn"]);
    await deleteTopic(kafka, "reborn");
    await expect.poll(() => broker.describeTopics(["reborn"]), { timeout: 30_000 }).toEqual([]);
    await createTopic(kafka, { topic: "reborn" });
    const [after] = await broker.describeTopics(["reborn"]);
    expect(after!.topicId).not.toBe(before!.topicId);
  });

  test("configurations are effective ones with their source, and a missing topic fails alone", async () => {
    const configs = await broker.describeTopicConfigs(
      ["orders", "not-there"],
      ["cleanup.policy", "min.compaction.lag.ms", "segment.bytes"],
    );
    expect(configs.get("orders")).toEqual({
      ok: true,
      value: {
        "cleanup.policy": { value: "compact", source: "topic" },
        "min.compaction.lag.ms": { value: "5", source: "topic" },
        "segment.bytes": { value: "1073741824", source: "default" },
      },
    });
    expect(configs.get("not-there")).toMatchObject({ ok: false, error: { code: "topic-not-found" } });
  });

  test("each broker tells its own settings, and one that there is not fails alone", async () => {
    const configs = await broker.describeBrokerConfigs([1, 2, 9], ["log.cleaner.backoff.ms"]);
    const backoff = { value: "1000", source: "broker-static" };
    expect(configs.get(1)).toEqual({ ok: true, value: { "log.cleaner.backoff.ms": backoff } });
    expect(configs.get(2)).toEqual({ ok: true, value: { "log.cleaner.backoff.ms": backoff } });
    expect(configs.get(9)).toMatchObject({ ok: false, error: { code: "unreachable" } });
  });

  test("sizes are told of every replica, for named topics or all, with the directories' room", async () => {
    const { replicas, directories, failures } = await broker.describeReplicaSizes(["orders"]);
    expect(replicas.map(({ partition, brokerId }) => `${partition}@${brokerId}`).sort()).toEqual(
      ["0@1", "0@2", "1@2", "1@3", "2@1", "2@3"].sort(),
    );
    expect(directories.map(({ brokerId }) => brokerId).sort()).toEqual([1, 2, 3]);
    for (const { totalBytes, usableBytes } of directories) expect(totalBytes).toBeGreaterThan(usableBytes!);
    expect(failures).toEqual([]);
    const all = await broker.describeReplicaSizes();
    expect(all.replicas.filter(({ topic }) => topic === "orders")).toHaveLength(6);
    expect((await broker.describeReplicaSizes(["not-there"])).replicas).toEqual([]);
  });

  test("offsets are asked at each leader, and a partition that is not there fails alone", async () => {
    const offsets = await broker.listOffsets([
      { topic: "orders", partition: 0 },
      { topic: "orders", partition: 2 },
      { topic: "orders", partition: 7 },
    ]);
    const empty = { ok: true, value: { logStart: 0, logEnd: 0, lastStable: 0 } };
    expect(offsets.get(partitionKey("orders", 0))).toEqual(empty);
    expect(offsets.get(partitionKey("orders", 2))).toEqual(empty);
    expect(offsets.get(partitionKey("orders", 7))).toMatchObject({ ok: false, error: { code: "topic-not-found" } });
  });

  test("offsets of hundreds of partitions cost one request for each kind and leader", async () => {
    await createTopic(kafka, { topic: "wide", partitions: 300 });
    const partitions = Array.from({ length: 300 }, (_, partition) => ({ topic: "wide", partition }));
    const allAnswer = async () => [...(await broker.listOffsets(partitions)).values()].every(({ ok }) => ok);
    await expect.poll(allAnswer, { timeout: 30_000 }).toBe(true);
    const before = broker.traffic().requests;
    expect(await allAnswer()).toBe(true);
    expect(broker.traffic().requests - before).toBe(1 + 3 * 3);
    await deleteTopic(kafka, "wide");
  });

  test("groups of both protocols are listed with type and state", async () => {
    await admin.alterConsumerGroupOffsets({
      groupId: "sleeper",
      topics: [{ name: "orders", partitionOffsets: [{ partition: 1, offset: 0n }] }],
    });
    const consumer = new Consumer({
      clientId: "test",
      bootstrapBrokers: kafka.servers.split(","),
      groupId: "new-protocol",
      groupProtocol: "consumer",
    });
    const stream = await consumer.consume({ topics: ["orders"], mode: "earliest" });
    try {
      const typeAndState = async () =>
        Object.fromEntries((await broker.listGroups()).map(({ group, type, state }) => [group, `${type} ${state}`]));
      await expect
        .poll(typeAndState, { timeout: 30_000 })
        .toEqual({ sleeper: "classic Empty", "new-protocol": "consumer Stable" });
    } finally {
      await stream.close();
      await consumer.close(true);
    }
  });

  test("committed offsets come per partition; an unknown group has none", async () => {
    expect(await broker.listGroupOffsets("sleeper")).toEqual([{ topic: "orders", partition: 1, offset: 0 }]);
    expect(await broker.listGroupOffsets("never-seen")).toEqual([]);
  });

  test("a quota on the client id is found, the default one otherwise, and none means unlimited", async () => {
    expect(await broker.describeConsumerByteRate("keyfold-scan")).toBe("unlimited");
    const limit = (entityName: string | null, value: number) =>
      admin.alterClientQuotas({
        entries: [
          {
            entities: [{ entityType: ClientQuotaEntityTypes.CLIENT_ID, entityName: entityName as string }],
            ops: [{ key: ClientQuotaKeys.CONSUMER_BYTE_RATE, value, remove: false }],
          },
        ],
      } as never);
    await limit(null, 5_000_000);
    await limit("keyfold-scan", 200_000);
    await expect.poll(() => broker.describeConsumerByteRate("keyfold-scan")).toBe(200_000);
    expect(await broker.describeConsumerByteRate("keyfold-probe")).toBe(5_000_000);
  });

  test("requests and bytes are counted, closed connections included", async () => {
    const counted = await openBroker(config, { clientId: "keyfold-poll" });
    await counted.describeTopics();
    const open = counted.traffic();
    expect(open.requests).toBeGreaterThanOrEqual(3);
    expect(open.sentBytes).toBeGreaterThan(50);
    expect(open.receivedBytes).toBeGreaterThan(500);
    await counted.close();
    expect(counted.traffic()).toEqual(open);
    await expect(counted.describeTopics()).rejects.toMatchObject({ code: "cancelled" });
  });

  test("another cluster behind the configured address is refused, naming both ids", async () => {
    const { clusterId } = await broker.describeCluster();
    const opening = openBroker(config, { clientId: "keyfold-poll", expectedClusterId: "AAAAAAAAAAAAAAAAAAAAAA" });
    await expect(opening).rejects.toMatchObject({
      code: "cluster-id-changed",
      message: expect.stringMatching(new RegExp(`${clusterId}.*AAAAAAAAAAAAAAAAAAAAAA`)),
    });
    const same = await openBroker(config, { clientId: "keyfold-poll", expectedClusterId: clusterId });
    await same.close();
  });

  test("a server that is down costs nothing where another one is named", async () => {
    const spare = await openBroker(clusterConfig(`127.0.0.1:1,${kafka.servers}`), { clientId: "keyfold-poll" });
    expect((await spare.describeCluster()).brokers).toHaveLength(3);
    await spare.close();
  });
});

test("an address where nothing listens is named, with the remedy", async () => {
  await expect(openBroker(clusterConfig("127.0.0.1:1"), { clientId: "keyfold-poll" })).rejects.toMatchObject({
    code: "unreachable",
    retry: true,
    message:
      "127.0.0.1:1 can't be reached (ECONNREFUSED). Nothing listens there. Check the address, and whether the broker runs.",
  });
});

describe("with one broker of three stopped", () => {
  beforeAll(async () => {
    await kafka.brokers[2]!.stop();
    await vi.waitFor(async () => expect((await broker.describeCluster()).brokers).toHaveLength(2), {
      timeout: 60_000,
      interval: 250,
    });
  });

  test("its replicas' sizes are missing and it is named; the others are told", async () => {
    const { replicas, failures } = await broker.describeReplicaSizes(["orders"]);
    expect(replicas.map(({ brokerId }) => brokerId).sort()).toEqual([1, 1, 2, 2]);
    expect(failures).toMatchObject([{ brokerId: 3, error: { code: "unreachable" } }]);
    await broker.describeTopics();
    const all = await broker.describeReplicaSizes();
    expect(all.failures.map(({ brokerId }) => brokerId)).toEqual([3]);
  });

  test("partitions that it led are led by others, and all are told", async () => {
    const offsets = await broker.listOffsets([0, 1, 2].map((partition) => ({ topic: "orders", partition })));
    expect([...offsets.values()].map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  test("its configuration fails alone", async () => {
    const configs = await broker.describeBrokerConfigs([1, 3], ["log.cleaner.threads"]);
    expect(configs.get(1)?.ok).toBe(true);
    expect(configs.get(3)).toMatchObject({ ok: false, error: { code: "unreachable" } });
  });

  test("groups and their offsets are still told, by the coordinators that took over", async () => {
    await expect
      .poll(() => broker.listGroups(), { timeout: 30_000 })
      .toContainEqual(expect.objectContaining({ group: "sleeper" }));
    expect(await broker.listGroupOffsets("sleeper")).toEqual([{ topic: "orders", partition: 1, offset: 0 }]);
  });

  test("a broker that hangs costs its own part only", async () => {
    kafka.brokers[1]!.pause();
    try {
      const { replicas, failures } = await broker.describeReplicaSizes(["orders"]);
      expect(replicas.map(({ brokerId }) => brokerId)).toEqual([1, 1]);
      expect(failures.map(({ brokerId, error }) => `${brokerId} ${error.code}`).sort()).toEqual([
        "2 timeout",
        "3 unreachable",
      ]);
    } finally {
      kafka.brokers[1]!.resume();
    }
  }, 90_000);
});

test("Kafka 3.9 is recognised as such, and all of it can be asked", async () => {
  const old = await sharedKafka("3.9");
  await createTopic(old, { topic: "control-plane-39" });
  const oldBroker = await openBroker(clusterConfig(old.servers), { clientId: "keyfold-poll" });
  try {
    expect((await oldBroker.describeCluster()).kind).toMatchObject({ name: "apache-kafka", version: "3.9" });
    expect(await oldBroker.describeTopics(["control-plane-39"])).toHaveLength(1);
    const countReplicas = async () => (await oldBroker.describeReplicaSizes(["control-plane-39"])).replicas.length;
    await expect.poll(countReplicas, { timeout: 30_000 }).toBe(1);
    const offsets = await oldBroker.listOffsets([{ topic: "control-plane-39", partition: 0 }]);
    expect([...offsets.values()][0]?.ok).toBe(true);
    await oldBroker.listGroups();
    expect(await oldBroker.describeConsumerByteRate("keyfold-scan")).toBe("unlimited");
  } finally {
    await oldBroker.close();
  }
});
