import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { getReadiness } from "#lib/jobs/queries.ts";
import { cancelScan, requestScan } from "#lib/scans/commands.ts";
import { getScanView } from "#lib/scans/queries.ts";
import { closeScanSender } from "#lib/scans/queue.ts";
import type { ScanView } from "#lib/scans/scan-view.ts";
import { getFleetView, getTopicView } from "#lib/topics/queries.ts";
import { type KafkaCluster, startKafka } from "../../support/kafka-cluster.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { produce } from "../../support/producer.ts";
import { createTopic, deleteTopic } from "../../support/topic-admin.ts";
import { makeWorkerFolder, removeWorkerFolder, WorkerProcess, waitFor } from "../../support/worker-process.ts";

const SCAN_BYTES_PER_SECOND = 200_000;
const COMPACTED = { "cleanup.policy": "compact", "segment.bytes": "1048576", "min.cleanable.dirty.ratio": "0.9" };
let kafka: KafkaCluster;
let database: TestDatabase;
let folder: string;
let workers: WorkerProcess[] = [];

beforeAll(async () => {
  [kafka, database] = await Promise.all([startKafka({ version: "4.4" }), createTestDatabase()]);
  folder = makeWorkerFolder();
  await createTopic(kafka, { topic: "customers", partitions: 1, configs: COMPACTED });
  // Never cleaned, so that a scan of it lasts half a minute at that rate.
  await createTopic(kafka, {
    topic: "large",
    partitions: 1,
    configs: { ...COMPACTED, "min.compaction.lag.ms": "86400000" },
  });
  const write = (topic: string, records: number) =>
    produce({
      servers: kafka.servers,
      topic,
      partition: 0,
      seed: 1,
      phases: [{ records, keys: { kind: "zipf", count: 500 }, value_bytes: [200, 200], compressible: false }],
    });
  await write("customers", 2_000);
  await write("large", 30_000);
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.end("SIGTERM")));
  workers = [];
});

afterAll(async () => {
  await closeScanSender(database.db);
  await database.drop();
  await kafka.stop();
  removeWorkerFolder(folder);
});

function startWorker(): WorkerProcess {
  const budgets = { scanBytesPerSecond: SCAN_BYTES_PER_SECOND };
  const clusters = [
    { id: "prod", system: "kafka", servers: kafka.servers.split(","), budgets },
    { id: "away", system: "kafka", servers: ["127.0.0.1:1"] },
  ];
  const worker = new WorkerProcess({ folder, databaseUrl: database.url, config: { clusters } });
  workers.push(worker);
  return worker;
}

const viewOf = (topic: string) => getTopicView("prod", topic, database.db);
const isProbed = (topic: string) => async () => ((await viewOf(topic))?.probe ?? null) !== null;

async function orderScan(topic: string): Promise<string> {
  const scan = await requestScan({ clusterId: "prod", topic, requestedBy: "test" }, database.db);
  if (!scan.ok) throw new Error(`the scan was refused: ${scan.error.reason}`);
  return scan.value.id;
}

const waitForScan = (
  topic: string,
  scanId: string,
  what: string,
  is: (scan: ScanView) => boolean,
  timeoutMs?: number,
) =>
  waitFor(
    `scan ${what}`,
    async () => {
      const scan = await getScanView({ clusterId: "prod", topic, scanId }, database.db);
      return scan && is(scan) ? scan : null;
    },
    timeoutMs,
  );

describe("a worker", () => {
  it("polls and probes what it can reach, and is not held up by a cluster that is away", async () => {
    startWorker();
    await waitFor("both topics are probed", async () => (await isProbed("customers")()) && (await isProbed("large")()));
    const view = await viewOf("customers");
    expect(view?.partitions[0]?.offsets).toEqual({ logStart: 0, logEnd: 2_000, lastStable: 2_000 });
    expect(view?.probe?.retainedRecords?.value).toBe(2_000);
    expect(view?.settings["min.cleanable.dirty.ratio"]).toEqual({ value: "0.9", source: "topic" });
    const away = await waitFor("the other one is tried", async () => {
      const clusters = (await getFleetView(database.db)).clusters;
      return clusters.find(({ id, error }) => id === "away" && error !== null) ?? null;
    });
    expect(away).toMatchObject({ state: "never", lastPolledAt: null, software: null });
    const ready = await waitFor("readiness", async () => {
      const readiness = await getReadiness(() => database.db);
      return readiness.ready ? readiness : null;
    });
    expect(ready.clusters.map(({ id, ready: isReady }) => [id, isReady])).toEqual([
      ["away", true],
      ["prod", true],
    ]);
  });

  it("stores a scan's exact counts, and the sample sealed", async () => {
    startWorker();
    await waitFor("it is probed", isProbed("customers"));
    const scanId = await orderScan("customers");
    const scan = await waitForScan("customers", scanId, "ends", ({ endedAt }) => endedAt !== null);
    expect(scan).toMatchObject({
      state: "succeeded",
      progress: 1,
      recordsScanned: 2_000,
      partitionsDone: 1,
      error: null,
    });
    const view = await viewOf("customers");
    expect(view?.scan?.retainedRecords).toEqual({ value: 2_000, low: 2_000, high: 2_000, exact: true });
    expect(view?.scan?.distinctKeys).toMatchObject({ exact: true });
    expect(view?.partitions[0]?.scan?.distinctKeys).toEqual(view?.scan?.distinctKeys);
    const samples = await database.query(
      "SELECT 1 FROM key_sample JOIN topic ON topic.id = topic_ref WHERE name = 'customers'",
    );
    expect(samples).toHaveLength(1);
  });

  it("cancels a running scan within two seconds", async () => {
    startWorker();
    await waitFor("it is probed", isProbed("large"));
    const scanId = await orderScan("large");
    await waitForScan("large", scanId, "reads", ({ bytesRead }) => bytesRead > 0);
    const orderedAt = Date.now();
    expect((await cancelScan(scanId, database.db)).ok).toBe(true);
    const scan = await waitForScan("large", scanId, "is cancelled", ({ state }) => state === "cancelled");
    expect(scan.endedAt! - orderedAt).toBeLessThan(2_000);
    expect((await viewOf("large"))?.scan).toBeNull();
  });

  it("takes over a scan whose worker was killed, within 30 seconds, and resumes it from its checkpoint", async () => {
    const both = [startWorker(), startWorker()];
    await waitFor("both beat", async () => {
      const rows = await database.query("SELECT pid FROM worker WHERE pid = ANY($1)", [both.map(({ pid }) => pid)]);
      return rows.length === 2;
    });
    await waitFor("it is probed", isProbed("large"));
    const scanId = await orderScan("large");
    await waitFor("a checkpoint is stored", async () => {
      const [row] = await database.query("SELECT checkpoint_at FROM scan_request WHERE id = $1", [scanId]);
      return row?.checkpoint_at !== null;
    });
    const rowOf = async () =>
      (await database.query("SELECT worker_id, epoch, state FROM scan_request WHERE id = $1", [scanId]))[0];
    const before = await rowOf();
    expect(before?.state).toBe("running");
    const holder = both.find(({ pid }) => String(before?.worker_id).includes(`:${pid}:`))!;
    await holder.end("SIGKILL");
    const killedAt = Date.now();
    const after = await waitFor("another worker has it", async () => {
      const row = await rowOf();
      return row?.worker_id !== before?.worker_id ? row : null;
    });
    expect(Date.now() - killedAt).toBeLessThan(30_000);
    expect(after?.epoch).toBe((before?.epoch as number) + 1);
    await waitForScan("large", scanId, "succeeds", ({ state }) => state === "succeeded", 120_000);
    const view = await viewOf("large");
    expect(view?.scan?.warnings.map(({ code }) => code)).toContain("resumed");
    expect(view?.scan?.distinctKeys?.exact).toBe(false);
  });

  it("ends on SIGTERM within five seconds, in mid-scan too, and another one goes on with the scan", async () => {
    const first = startWorker();
    await waitFor("it is probed", isProbed("large"));
    const scanId = await orderScan("large");
    await waitForScan("large", scanId, "reads", ({ bytesRead }) => bytesRead > 0);
    const orderedAt = Date.now();
    expect(await first.end("SIGTERM")).toBe(0);
    expect(Date.now() - orderedAt).toBeLessThan(5_000);
    const left = await getScanView({ clusterId: "prod", topic: "large", scanId }, database.db);
    expect(left?.state).toBe("running");
    startWorker();
    await waitFor("another worker has it", async () => {
      const [row] = await database.query("SELECT epoch FROM scan_request WHERE id = $1", [scanId]);
      return row?.epoch === 2;
    });
    await cancelScan(scanId, database.db);
    await waitForScan("large", scanId, "is cancelled", ({ state }) => state === "cancelled");
  });

  it("polls each cluster from one worker alone; the other takes over when that one is killed", async () => {
    const [one, two] = [startWorker(), startWorker()];
    const holder = async () => {
      const [row] = await database.query("SELECT holder FROM lease WHERE name = 'watch:prod' AND expires_at > now()");
      return (row?.holder as string | undefined) ?? null;
    };
    const leader = await waitFor("one of them holds the lease", async () => {
      const held = await holder();
      return held !== null && [one, two].some(({ pid }) => held.includes(`:${pid}:`)) ? held : null;
    });
    const [killed, other] = leader.includes(`:${one.pid}:`) ? [one, two] : [two, one];
    await killed.end("SIGKILL");
    const killedAt = Date.now();
    await waitFor("the other one holds it", async () => (await holder())?.includes(`:${other.pid}:`) ?? false);
    expect(Date.now() - killedAt).toBeLessThan(30_000);
    await waitFor(
      "it polls",
      async () =>
        ((await getFleetView(database.db)).clusters.find(({ id }) => id === "prod")?.lastPolledAt ?? 0) > killedAt,
    );
  });

  it("keeps the last data with their age while the broker is stopped, and goes on when it is back", async () => {
    startWorker();
    const clusterView = async () => (await getFleetView(database.db)).clusters.find(({ id }) => id === "prod")!;
    await waitFor("it is polled", async () => (await clusterView()).state === "live");
    const before = (await viewOf("customers"))!;
    await kafka.brokers[0]!.stop();
    const away = await waitFor("that is noticed", async () =>
      (await clusterView()).error === null ? null : clusterView(),
    );
    expect(away).toMatchObject({ state: "stale" });
    expect(away.lastAttemptAt!).toBeGreaterThan(away.lastPolledAt!);
    const during = (await viewOf("customers"))!;
    expect(during.partitions).toEqual(before.partitions);
    expect(during.probe).toEqual(before.probe);
    await kafka.brokers[0]!.start();
    await waitFor("it is polled again", async () => (await clusterView()).state === "live");
  });

  it("tells a scan of a topic that was deleted meanwhile, and shows the topic as gone", async () => {
    startWorker();
    await createTopic(kafka, { topic: "short-lived", configs: COMPACTED });
    await waitFor("it is seen", async () => (await viewOf("short-lived")) !== null);
    await deleteTopic(kafka, "short-lived");
    const scanId = await orderScan("short-lived");
    const scan = await waitForScan("short-lived", scanId, "ends", ({ endedAt }) => endedAt !== null);
    expect(scan).toMatchObject({ state: "failed", error: expect.stringContaining("short-lived") });
    await waitFor("it is gone", async () => ((await viewOf("short-lived"))?.goneAt ?? null) !== null);
  });

  it("refuses to start with another installation's secret, and says what to do", async () => {
    await database.query("UPDATE installation SET secret_check = 'another'");
    const worker = startWorker();
    expect(await worker.exited()).toBe(1);
    expect(worker.output).toContain("KEYFOLD_SECRET_FILE is not the secret that this database was filled with");
    await database.query("DELETE FROM installation");
  });

  it("never logs a key, a value or a secret", async () => {
    const worker = startWorker();
    await waitFor("it works", async () => worker.output.includes("watching a cluster"));
    const { password } = new URL(database.url);
    expect(worker.output).not.toContain(password);
    for (const line of worker.output.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("message");
  });
});
