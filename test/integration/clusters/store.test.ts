import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addTraffic, registerClusters, storePoll, storePollFailure } from "#lib/clusters/commands.ts";
import { acquireLease, type Lease } from "#lib/jobs/lease.ts";
import { storeKeySample, storeMeasurements } from "#lib/measurements/store.ts";
import { createSealedBox } from "#lib/platform/sealed-box.ts";
import { findTopicByName, getFleetView, getTopicView } from "#lib/topics/queries.ts";
import { makePartitionMeasurement, makeTopicMeasurement } from "../../support/measurements.ts";
import { makeSnapshot, type SnapshotTopic, topicIdOf } from "../../support/poll-snapshots.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const START = 1_800_000_000_000;
const box = createSealedBox(new Uint8Array(32));
let database: TestDatabase;
let lease: Lease;

beforeAll(async () => {
  database = await createTestDatabase();
  await registerClusters(database.db, [{ id: "prod", system: "kafka", pollIntervalMs: 15_000 }]);
  lease = (await acquireLease(database.db, "watch:prod", "worker", 600_000))!;
});
afterAll(() => database.drop());

const poll = (at: number, topics: SnapshotTopic[]) => storePoll(database.db, "prod", lease, makeSnapshot(at, topics));

async function measure(name: string, at: number): Promise<void> {
  const topic = await findTopicByName(database.db, "prod", name);
  const partition = makePartitionMeasurement({ topic: name, measuredAt: at });
  const measured = { topicRef: topic!.id, mode: "probe" as const, partitions: [partition] };
  await storeMeasurements(database.db, { ...measured, topic: makeTopicMeasurement([partition]), written: 1000 });
  const sample = { topicRef: topic!.id, partition: -1, bytes: new Uint8Array(9), formatVersion: 1, madeAt: at };
  await storeKeySample(database.db, box, sample);
}

const countSamples = async (topicId: string): Promise<number> => {
  const rows = await database.query(
    "SELECT 1 FROM key_sample JOIN topic ON topic.id = topic_ref WHERE topic.topic_id = $1",
    [topicId],
  );
  return rows.length;
};

describe("what polls leave in the store", () => {
  it("shows the compacted topics alone, with what was polled and when", async () => {
    await poll(START, [
      { name: "customers", topicId: topicIdOf(1), partitions: 2, logEnd: 700 },
      { name: "clicks", topicId: topicIdOf(2), cleanupPolicy: "delete" },
    ]);
    const fleet = await getFleetView(database.db, START + 1000);
    expect(fleet.rows.map((row) => row.topic)).toEqual(["customers"]);
    expect(fleet.rows[0]).toMatchObject({
      cleanupPolicy: "compact",
      partitionCount: 2,
      dirtyRatioLimit: 0.5,
      worst: null,
      note: "Not measured yet.",
      written: { estimate: { value: null, low: 0, high: 1400, exact: false }, method: "offsets", measuredAt: START },
    });
    expect(fleet.clusters[0]).toMatchObject({
      id: "prod",
      state: "live",
      lastPolledAt: START,
      topicCount: 2,
      compactedTopicCount: 1,
      brokerClusterId: "broker-cluster-id",
    });
  });

  it("keeps the last data with their age when the cluster can't be reached, and says why", async () => {
    await poll(START, [{ name: "customers", topicId: topicIdOf(1), partitions: 2, logEnd: 700 }]);
    await storePollFailure(database.db, "prod", lease, { at: START + 15_000, error: "No broker of prod answers." });
    const view = await getTopicView("prod", "customers", database.db, START + 16_000);
    expect(view?.cluster).toMatchObject({
      state: "stale",
      lastPolledAt: START,
      lastAttemptAt: START + 15_000,
      error: "No broker of prod answers.",
    });
    expect(view?.partitions[0]).toMatchObject({
      offsets: { logStart: 0, logEnd: 700, lastStable: 700 },
      offsetsAt: START,
      replicas: [{ brokerId: 1, leader: true, bytes: 50_000, sizedAt: START }],
    });
    await poll(START + 30_000, [{ name: "customers", topicId: topicIdOf(1), partitions: 2, logEnd: 900 }]);
    const back = await getFleetView(database.db, START + 31_000);
    expect(back.clusters[0]).toMatchObject({ state: "live", error: null, lastPolledAt: START + 30_000 });
  });

  it("calls data stale that no worker has renewed, without any error", async () => {
    await poll(START, [{ name: "customers", topicId: topicIdOf(1), partitions: 2 }]);
    expect((await getFleetView(database.db, START + 60_000)).clusters[0]).toMatchObject({
      state: "stale",
      error: null,
    });
  });

  it("starts a new history for a topic that was made again under its name, and deletes the old one's sample", async () => {
    await poll(START, [{ name: "accounts", topicId: topicIdOf(10) }]);
    await measure("accounts", START);
    expect((await getTopicView("prod", "accounts", database.db, START))?.history).toHaveLength(1);
    expect(await countSamples(topicIdOf(10))).toBe(1);
    await poll(START + 15_000, [{ name: "accounts", topicId: topicIdOf(11) }]);
    const view = await getTopicView("prod", "accounts", database.db, START + 16_000);
    expect(view).toMatchObject({ topicId: topicIdOf(11), history: [], probe: null, goneAt: null });
    expect(await countSamples(topicIdOf(10))).toBe(0);
    const [old] = await database.query("SELECT gone_at FROM topic WHERE topic_id = $1", [topicIdOf(10)]);
    expect(old?.gone_at).toEqual(new Date(START + 15_000));
  });

  it("takes a topic for gone when two polls leave it out, shows its last data, and deletes its sample", async () => {
    await poll(START, [{ name: "orders", topicId: topicIdOf(20) }]);
    await measure("orders", START);
    await poll(START + 15_000, []);
    expect((await getTopicView("prod", "orders", database.db, START))?.goneAt).toBeNull();
    expect(await countSamples(topicIdOf(20))).toBe(1);
    await poll(START + 30_000, []);
    const gone = await getTopicView("prod", "orders", database.db, START + 31_000);
    expect(gone).toMatchObject({ goneAt: START + 15_000, probe: { topic: "orders" } });
    expect(gone?.history).toHaveLength(1);
    expect(await countSamples(topicIdOf(20))).toBe(0);
    expect((await getFleetView(database.db, START)).rows.map((row) => row.topic)).not.toContain("orders");
  });

  it("takes a topic for there again when one poll alone left it out", async () => {
    await poll(START, [{ name: "prices", topicId: topicIdOf(30) }]);
    await poll(START + 1, []);
    await poll(START + 2, [{ name: "prices", topicId: topicIdOf(30) }]);
    await poll(START + 3, []);
    expect((await getTopicView("prod", "prices", database.db, START))?.goneAt).toBeNull();
  });

  it("stores names with markup, control characters, right-to-left marks and 249 bytes as they are", async () => {
    const names = [
      "<img src=x onerror=alert(1)>",
      "line\nbreak\u0007",
      "\u202Egnp.exe",
      "..",
      "a/b\\c%2F?#",
      "x".repeat(249),
      "'; DROP TABLE topic;--",
    ];
    await poll(
      START,
      names.map((name, index) => ({ name, topicId: topicIdOf(100 + index) })),
    );
    for (const name of names) {
      expect((await getTopicView("prod", name, database.db, START))?.topic).toBe(name);
    }
    expect(await getTopicView("prod", "a\0b", database.db, START)).toBeNull();
  });

  it("refuses the poll of a worker that lost the cluster meanwhile, wholly", async () => {
    const before = await getFleetView(database.db, START);
    const stale = { ...lease, epoch: lease.epoch - 1 };
    const snapshot = makeSnapshot(START + 99_000, [{ name: "late", topicId: topicIdOf(40) }]);
    await expect(storePoll(database.db, "prod", stale, snapshot)).rejects.toThrow("went to another worker");
    expect(await getFleetView(database.db, START)).toEqual(before);
  });

  it("hides a cluster that left the configuration and keeps its data for its return", async () => {
    await registerClusters(database.db, [{ id: "other", system: "kafka", pollIntervalMs: 15_000 }]);
    const without = await getFleetView(database.db, START);
    expect(without.clusters).toEqual([expect.objectContaining({ id: "other", state: "never", lastPolledAt: null })]);
    expect(without.rows).toEqual([]);
    await registerClusters(database.db, [{ id: "prod", system: "kafka", pollIntervalMs: 15_000 }]);
    expect((await getFleetView(database.db, START)).clusters.map((cluster) => cluster.id)).toEqual(["prod"]);
  });

  it("adds up its own requests and bytes by day and client id", async () => {
    const traffic = { requests: 3, sentBytes: 10, receivedBytes: 2 ** 33 };
    await addTraffic(database.db, "prod", "keyfold-poll", traffic, START);
    await addTraffic(database.db, "prod", "keyfold-poll", traffic, START + 1000);
    await addTraffic(database.db, "prod", "keyfold-poll", traffic, START + 86_400_000);
    const rows = await database.query("SELECT requests, received_bytes FROM cluster_traffic ORDER BY day");
    expect(rows).toEqual([
      { requests: "6", received_bytes: String(2 ** 34) },
      { requests: "3", received_bytes: String(2 ** 33) },
    ]);
  });
});
