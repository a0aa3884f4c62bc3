import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerClusters, storePoll } from "#lib/clusters/commands.ts";
import type { ReplicaMeasurement } from "#lib/compaction/measurement.ts";
import { acquireLease } from "#lib/jobs/lease.ts";
import { storeMeasurements } from "#lib/measurements/store.ts";
import { findTopicByName, getFleetView, getTopicView } from "#lib/topics/queries.ts";
import { makePartitionMeasurement, makeTopicMeasurement } from "../../support/measurements.ts";
import { makeSnapshot, topicIdOf } from "../../support/poll-snapshots.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const START = 1_800_000_000_000;
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await registerClusters(database.db, [{ id: "prod", system: "kafka", pollIntervalMs: 15_000 }]);
  const lease = (await acquireLease(database.db, "watch:prod", "worker", 600_000))!;
  const topics = ["one", "two"].map((name, index) => ({ name, topicId: topicIdOf(index) }));
  await storePoll(database.db, "prod", lease, makeSnapshot(START, topics));
});
afterAll(() => database.drop());

async function probe(topic: string, behind: readonly number[]): Promise<void> {
  const replicas = [1, 2, 3].map((brokerId): ReplicaMeasurement => {
    const isBehind = behind.includes(brokerId);
    const at = isBehind ? 0 : 600;
    const cleanPoint = { low: at, high: at };
    const bytes = isBehind ? 500_000 : 50_000;
    return { brokerId, leader: brokerId === 1, bytes, cleanPoint, state: isBehind ? "behind" : "ok" };
  });
  const partitions = [makePartitionMeasurement({ topic, replicas, measuredAt: START })];
  const { id: topicRef } = (await findTopicByName(database.db, "prod", topic))!;
  await storeMeasurements(database.db, {
    ...{ topicRef, mode: "probe", partitions, written: 1000 },
    topic: makeTopicMeasurement(partitions),
  });
}

async function statesOf(topic: string) {
  const view = await getTopicView("prod", topic, database.db, START);
  const row = (await getFleetView(database.db, START)).rows.find((one) => one.topic === topic);
  const states = view?.partitions[0]?.probe?.replicas?.map(({ state }) => state);
  expect(row?.worst?.replicas?.map(({ state }) => state)).toEqual(states);
  return states;
}

describe("a replica that was cleaned less far", () => {
  it("is quarantined where its broker cleans other partitions", async () => {
    await probe("one", [3]);
    await probe("two", []);
    expect(await statesOf("one")).toEqual(["ok", "ok", "quarantined"]);
    expect(await statesOf("two")).toEqual(["ok", "ok", "ok"]);
  });

  it("has a broker whose cleaner is off where all of its partitions are behind", async () => {
    await probe("one", [2]);
    await probe("two", [2]);
    expect(await statesOf("one")).toEqual(["ok", "cleaner-off", "ok"]);
    expect(await statesOf("two")).toEqual(["ok", "cleaner-off", "ok"]);
  });
});
