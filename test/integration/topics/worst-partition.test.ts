import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listItems } from "#components/fleet/fleet-items.ts";
import { judgeView } from "#components/topics/topic-readings.ts";
import { registerClusters, storePoll } from "#lib/clusters/commands.ts";
import { exactly, type PartitionMeasurement } from "#lib/compaction/measurement.ts";
import { acquireLease } from "#lib/jobs/lease.ts";
import { storeMeasurements } from "#lib/measurements/store.ts";
import { findTopicByName, getFleetView, getTopicView } from "#lib/topics/queries.ts";
import { makePartitionMeasurement, makeTopicMeasurement } from "../../support/measurements.ts";
import { makeSnapshot, topicIdOf } from "../../support/poll-snapshots.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const START = 1_800_000_000_000;
const TOPIC = "customers";
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await registerClusters(database.db, [{ id: "prod", system: "kafka", pollIntervalMs: 15_000 }]);
  const lease = (await acquireLease(database.db, "watch:prod", "worker", 600_000))!;
  const topic = { name: TOPIC, topicId: topicIdOf(1), partitions: 4 };
  await storePoll(database.db, "prod", lease, makeSnapshot(START, [topic]));
});
afterAll(() => database.drop());

async function store(partitions: PartitionMeasurement[]): Promise<void> {
  const { id: topicRef } = (await findTopicByName(database.db, "prod", TOPIC))!;
  const topic = makeTopicMeasurement(partitions);
  await storeMeasurements(database.db, { topicRef, mode: topic.mode, partitions, topic, written: 4000 });
}

/** What both pages say; fails where they don't say the same. */
async function tell() {
  const [item] = listItems(await getFleetView(database.db, START));
  const view = await getTopicView("prod", TOPIC, database.db, START);
  const { id, partition, sentence } = judgeView(view!);
  expect(item?.standing).toMatchObject({ id, partition, sentence });
  return { id, partition };
}

const ratio = (value: number) => ({ dirtyRatio: exactly(value) });
const compacting = (partition: number) => makePartitionMeasurement({ partition, ...ratio(0.2) });
const due = (partition: number) => makePartitionMeasurement({ partition, ...ratio(0.7) });
const neverRolled = (partition: number) =>
  makePartitionMeasurement({
    partition,
    ...ratio(0),
    activeSegmentBase: { low: 0, high: 0 },
    removableShare: exactly(0.9),
  });
function held(partition: number): PartitionMeasurement {
  const measurement = makePartitionMeasurement({ partition, ...ratio(0.01) });
  return { ...measurement, shape: { ...measurement.shape!, lastStableOffset: 610 } };
}

describe("of a topic's partitions", () => {
  it("both pages tell the one that is due before those that compact", async () => {
    await store([compacting(0), compacting(1), due(2), compacting(3)]);
    expect(await tell()).toEqual({ id: "due", partition: 2 });
  });

  it("both tell one that never rolled before the one with the highest ratio", async () => {
    await store([due(2), neverRolled(3)]);
    expect(await tell()).toEqual({ id: "never-rolled", partition: 3 });
  });

  it("both tell one that a transaction holds before all of these, although its ratio is near 0", async () => {
    await store([held(1)]);
    expect(await tell()).toEqual({ id: "held", partition: 1 });
  });

  it("both still tell it after a scan that says nothing of where things lie", async () => {
    await store([{ ...compacting(1), mode: "scan", shape: null, measuredAt: START + 1000 }]);
    expect(await tell()).toEqual({ id: "held", partition: 1 });
  });

  it("both tell the next one as soon as the transaction has ended", async () => {
    await store([{ ...compacting(1), measuredAt: START + 2000 }]);
    expect(await tell()).toEqual({ id: "never-rolled", partition: 3 });
  });
});
