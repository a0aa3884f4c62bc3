import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerClusters, storePoll } from "#lib/clusters/commands.ts";
import type { PartitionMeasurement } from "#lib/compaction/measurement.ts";
import { acquireLease, type Lease } from "#lib/jobs/lease.ts";
import { storeProbe, storeProbeFailure } from "#lib/measurements/commands.ts";
import { readDueTopics } from "#lib/measurements/queries.ts";
import { readKeySample, storeKeySample, storeMeasurements, thinHistory } from "#lib/measurements/store.ts";
import { matchInstallationSecret } from "#lib/platform/installation-secret.ts";
import { createSealedBox } from "#lib/platform/sealed-box.ts";
import { findTopicByName, getFleetView, getTopicView } from "#lib/topics/queries.ts";
import { makePartitionMeasurement, makeTopicMeasurement } from "../../support/measurements.ts";
import { makeSnapshot, type SnapshotTopic, topicIdOf } from "../../support/poll-snapshots.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const START = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const box = createSealedBox(new Uint8Array(32));
let database: TestDatabase;
let lease: Lease;

const TOPICS: SnapshotTopic[] = ["history", "figures", "sample", "quiet", "busy", "new"].map((name, index) => ({
  name,
  topicId: topicIdOf(index),
  partitions: name === "figures" ? 2 : 1,
}));
const poll = (at: number, logEnds: Record<string, number> = {}) => {
  const topics = TOPICS.map((topic) => ({ ...topic, logEnd: logEnds[topic.name] ?? 1000 }));
  return storePoll(database.db, "prod", lease, makeSnapshot(at, topics));
};
const topicRefOf = async (name: string): Promise<bigint> => (await findTopicByName(database.db, "prod", name))!.id;

beforeAll(async () => {
  database = await createTestDatabase();
  await registerClusters(database.db, [{ id: "prod", system: "kafka", pollIntervalMs: 15_000 }]);
  lease = (await acquireLease(database.db, "watch:prod", "worker", 600_000))!;
  await poll(START);
});
afterAll(() => database.drop());

async function store(name: string, partitions: PartitionMeasurement[]): Promise<void> {
  const written = partitions.reduce((sum, one) => sum + one.logEndOffset, 0);
  const mode = partitions[0]!.mode;
  const topic = makeTopicMeasurement(partitions);
  await storeMeasurements(database.db, { topicRef: await topicRefOf(name), mode, partitions, topic, written });
}

describe("measurements", () => {
  it("make history only where something changed; else the newest is confirmed", async () => {
    const at = (measuredAt: number, logEndOffset: number) => [
      makePartitionMeasurement({ topic: "history", measuredAt, logEndOffset, offsetSpan: logEndOffset }),
    ];
    await store("history", at(START, 1000));
    await store("history", at(START + 60_000, 1000));
    await store("history", at(START + 120_000, 2000));
    const view = await getTopicView("prod", "history", database.db, START + 130_000);
    expect(view?.history.map(({ at: when, written }) => [when, written])).toEqual([
      [START, 1000],
      [START + 120_000, 2000],
    ]);
    await store("history", at(START + 180_000, 2000));
    const confirmed = await getTopicView("prod", "history", database.db, START + 190_000);
    expect(confirmed?.history.at(-1)).toMatchObject({ at: START + 180_000, written: 2000 });
    expect(confirmed?.partitions[0]?.probe?.measuredAt).toBe(START + 180_000);
    const rows = await database.query(
      "SELECT newest, payload IS NULL AS bare FROM measurement WHERE topic_ref = $1 AND partition = 0 ORDER BY measured_at",
      [String(await topicRefOf("history"))],
    );
    expect(rows).toEqual([
      { newest: false, bare: true },
      { newest: true, bare: false },
    ]);
  });

  it("show a scan's exact counts beside the probe, each with its own time, and the newest of each figure on the fleet", async () => {
    const exact = (value: number) => ({ value, low: value, high: value, exact: true });
    const partition = (number: number, ratio: number) =>
      makePartitionMeasurement({
        topic: "figures",
        partition: number,
        dirtyRatio: exact(ratio),
        measuredAt: START + 5000,
      });
    const scanned = { ...partition(0, 0.1), mode: "scan" as const, distinctKeys: exact(250), measuredAt: START };
    await store("figures", [scanned]);
    await store("figures", [partition(0, 0.1), partition(1, 0.7)]);
    const row = (await getFleetView(database.db, START + 6000)).rows.find(({ topic }) => topic === "figures");
    expect(row?.worst).toMatchObject({ partition: 1, dirtyRatio: { value: 0.7 } });
    expect(row?.kept).toMatchObject({ method: "probe", measuredAt: START + 5000, estimate: { value: 800 } });
    expect(row?.dirtyRatio).toMatchObject({ method: "probe" });
    expect(row?.written?.estimate).toMatchObject({ value: null, high: 2000 });
    const view = await getTopicView("prod", "figures", database.db, START + 6000);
    expect(view?.partitions[0]).toMatchObject({
      probe: { mode: "probe" },
      scan: { mode: "scan", distinctKeys: exact(250) },
    });
    expect(view?.scan).toMatchObject({ mode: "scan", measuredAt: START });
  });

  it("are thinned out with age: the newest always stays", async () => {
    const topicRef = await topicRefOf("history");
    for (let minute = 0; minute < 60; minute++) {
      const partitions = [
        makePartitionMeasurement({
          topic: "history",
          measuredAt: START - 40 * DAY_MS + minute * 60_000,
          logEndOffset: 5000 + minute,
        }),
      ];
      await store("history", partitions);
    }
    await thinHistory(database.db, START);
    const [line] = await database.query(
      "SELECT count(*)::int AS n, bool_or(newest) AS kept FROM measurement WHERE topic_ref = $1 AND partition = -1",
      [String(topicRef)],
    );
    const [partitions] = await database.query(
      "SELECT count(*)::int AS n FROM measurement WHERE topic_ref = $1 AND partition = 0 AND measured_at < $2",
      [String(topicRef), new Date(START - DAY_MS)],
    );
    expect(line?.kept).toBe(true);
    expect(line?.n).toBeLessThan(10);
    expect(partitions?.n).toBe(1);
  });
});

describe("samples of keys", () => {
  it("are stored sealed, and read back by the same secret alone", async () => {
    const topicRef = await topicRefOf("sample");
    const bytes = new TextEncoder().encode("KFDS and hashes of keys");
    await storeKeySample(database.db, box, { topicRef, partition: -1, bytes, formatVersion: 1, madeAt: START });
    expect(await readKeySample(database.db, box, topicRef)).toEqual({ bytes, formatVersion: 1, madeAt: START });
    const [row] = await database.query("SELECT sealed FROM key_sample WHERE topic_ref = $1", [String(topicRef)]);
    expect((row!.sealed as Buffer).includes("KFDS")).toBe(false);
    const other = createSealedBox(new Uint8Array(32).fill(1));
    await expect(readKeySample(database.db, other, topicRef)).rejects.toThrow("KEYFOLD_SECRET_FILE");
  });

  it("tell a start with another secret from one with the right one", async () => {
    expect((await matchInstallationSecret(database.db, box)).ok).toBe(true);
    expect((await matchInstallationSecret(database.db, box)).ok).toBe(true);
    const other = await matchInstallationSecret(database.db, createSealedBox(new Uint8Array(32).fill(1)));
    expect(other).toMatchObject({ ok: false, error: expect.stringContaining("Put the right file back") });
  });
});

describe("the schedule of probes", () => {
  const dueNames = async (now: number) => (await readDueTopics(database.db, "prod", now)).map((due) => due.topic);
  const probe = async (name: string, probedAt: number) => {
    const due = (await readDueTopics(database.db, "prod", probedAt)).find(({ topic }) => topic === name)!;
    const partitions = due.partitions.map(({ partition }) =>
      makePartitionMeasurement({ topic: name, partition, measuredAt: probedAt }),
    );
    const probed = { partitions, failed: [], topic: makeTopicMeasurement(partitions), written: 1000 };
    await storeProbe(database.db, lease, { clusterId: "prod", due, probedAt, probed });
  };

  it("takes what was never probed at once, then what changed most, and leaves alone what did not change", async () => {
    expect(new Set(await dueNames(START))).toEqual(new Set(TOPICS.map(({ name }) => name)));
    for (const { name } of TOPICS) if (name !== "new") await probe(name, START);
    expect(await dueNames(START + 1000)).toEqual(["new"]);
    await poll(START + 40_000, { busy: 90_000, quiet: 1001 });
    expect(await dueNames(START + 29_000)).toEqual(["new"]);
    expect(await dueNames(START + 41_000)).toEqual(["new", "busy", "quiet"]);
  });

  it("lets nothing that changes wait for more than five minutes behind what changes more", async () => {
    await probe("new", START + 41_000);
    await probe("busy", START + 41_000);
    await poll(START + 320_000, { busy: 900_000, quiet: 1001 });
    expect(await dueNames(START + 320_000)).toEqual(["quiet", "busy"]);
  });

  it("looks again within the hour at what did not change", async () => {
    expect(await dueNames(START + 2 * 3_600_000)).toContain("history");
  });

  it("keeps what was measured when a probe fails, says why, and tries again later", async () => {
    const due = (await readDueTopics(database.db, "prod", START + 320_000)).find(({ topic }) => topic === "busy")!;
    const failure = { clusterId: "prod", due, probedAt: START + 320_000, error: "Read on the topic is missing." };
    await storeProbeFailure(database.db, lease, failure);
    expect(await dueNames(START + 350_000)).not.toContain("busy");
    expect(await dueNames(START + 381_000)).toContain("busy");
    const row = (await getFleetView(database.db, START + 381_000)).rows.find(({ topic }) => topic === "busy");
    expect(row).toMatchObject({
      worst: { topic: "busy" },
      note: expect.stringContaining("Read on the topic is missing."),
    });
  });

  it("refuses what a worker measured that lost the cluster meanwhile", async () => {
    const due = (await readDueTopics(database.db, "prod", START + 381_000))[0]!;
    const stale = { ...lease, epoch: lease.epoch + 1 };
    const failure = { clusterId: "prod", due, probedAt: START + 381_000, error: "late" };
    await expect(storeProbeFailure(database.db, stale, failure)).rejects.toThrow("went to another worker");
  });
});
