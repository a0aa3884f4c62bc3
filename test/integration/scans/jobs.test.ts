import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { registerClusters, storePoll } from "#lib/clusters/commands.ts";
import type { ScanOptions } from "#lib/compaction/scan/run-scan-thread.ts";
import type { TopicScan } from "#lib/compaction/scan/scan-topic.ts";
import { acquireLease } from "#lib/jobs/lease.ts";
import { createLog } from "#lib/platform/log.ts";
import { createSealedBox } from "#lib/platform/sealed-box.ts";
import { cancelScan, requestScan } from "#lib/scans/commands.ts";
import { runScanJob, type ScanContext, ScanHandedOverError } from "#lib/scans/jobs.ts";
import { getScanView } from "#lib/scans/queries.ts";
import { closeScanSender } from "#lib/scans/queue.ts";
import { getTopicView } from "#lib/topics/queries.ts";
import { clusterConfig } from "../../support/cluster-config.ts";
import { makePartitionMeasurement, makeTopicMeasurement } from "../../support/measurements.ts";
import { makeSnapshot, topicIdOf } from "../../support/poll-snapshots.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const NOW = 1_800_000_000_000;
const CLUSTER = clusterConfig("127.0.0.1:1", {
  id: "prod",
  budgets: { scanBytesPerSecond: 1000, scanBytesPerDay: null, requestsPerSecond: null },
});
const PROGRESS = {
  partitionsDone: 0,
  partitionCount: 1,
  offsetsRead: 1,
  offsetsToRead: 2,
  recordsScanned: 1,
  bytesRead: 600,
  progress: 0.5,
  remainingMs: null,
};
const running = new AbortController().signal;
let database: TestDatabase;
let lines: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  await registerClusters(database.db, [{ id: "prod", system: "kafka", pollIntervalMs: 15_000 }]);
  const lease = (await acquireLease(database.db, "watch:prod", "worker", 600_000))!;
  await storePoll(database.db, "prod", lease, makeSnapshot(NOW, [{ name: "customers", topicId: topicIdOf(1) }]));
});
beforeEach(async () => {
  lines = [];
  for (const table of ["scan_request", "cluster_traffic", "measurement", "key_sample"]) {
    await database.query(`DELETE FROM ${table}`);
  }
});
afterAll(async () => {
  await closeScanSender(database.db);
  await database.drop();
});

const contextWith = (runTopicScan: ScanContext["runTopicScan"], cluster = CLUSTER): ScanContext => ({
  db: database.db,
  box: createSealedBox(new Uint8Array(32)),
  log: createLog("test", (line) => lines.push(line)),
  now: () => NOW,
  workerId: "w",
  clusters: [cluster],
  runTopicScan,
});

async function order(): Promise<string> {
  const scan = await requestScan({ clusterId: "prod", topic: "customers", requestedBy: "test" }, database.db, NOW);
  if (!scan.ok) throw new Error(scan.error.reason);
  return scan.value.id;
}

const viewOf = async (scanId: string) =>
  (await getScanView({ clusterId: "prod", topic: "customers", scanId }, database.db))!;

function makeScan(): TopicScan {
  const partition = makePartitionMeasurement({ mode: "scan", fetches: 7, fetchedBytes: 900 });
  const sample = new TextEncoder().encode("KFDS");
  return { partitions: [partition], failed: [], topic: makeTopicMeasurement([partition]), sample };
}

/** Reports progress once, then goes on until it is stopped. */
const endless = (options: ScanOptions): Promise<TopicScan> =>
  new Promise((_, reject) => {
    options.onProgress?.(PROGRESS);
    options.signal!.addEventListener("abort", () => reject(new BrokerError("cancelled", "The scan was cancelled.")));
  });

describe("the job of a scan", () => {
  it("stores result, sample, cost and end", async () => {
    const id = await order();
    await runScanJob(
      contextWith(async () => makeScan()),
      id,
      running,
    );
    expect(await viewOf(id)).toMatchObject({ state: "succeeded", progress: 1, endedAt: NOW });
    expect((await getTopicView("prod", "customers", database.db))?.scan).toMatchObject({ mode: "scan" });
    expect(await database.query("SELECT format_version FROM key_sample")).toEqual([{ format_version: 1 }]);
    expect(await database.query("SELECT client_id, requests, received_bytes FROM cluster_traffic")).toEqual([
      { client_id: "keyfold-scan", requests: "7", received_bytes: "900" },
    ]);
  });

  it("reads with the cluster's budget, its recorded id, the installation's seed and the last checkpoint", async () => {
    const id = await order();
    const seen: ScanOptions[] = [];
    const checkpoint = new TextEncoder().encode("KFCP");
    const stop = new AbortController();
    const first = contextWith(async (options) => {
      options.onCheckpoint?.(checkpoint);
      for (let tries = 0; tries < 200; tries++) {
        const [row] = await database.query("SELECT 1 AS one FROM scan_request WHERE checkpoint_at IS NOT NULL");
        if (row) break;
      }
      stop.abort();
      throw new BrokerError("cancelled", "stopped");
    });
    await expect(runScanJob(first, id, stop.signal)).rejects.toBeInstanceOf(ScanHandedOverError);
    const second = contextWith(async (options) => {
      seen.push(options);
      return makeScan();
    });
    await runScanJob(second, id, running);
    expect(seen[0]).toMatchObject({
      topic: "customers",
      expectedClusterId: "broker-cluster-id",
      maxBytesPerSecond: 1000,
      resumeFrom: checkpoint,
      seed: createSealedBox(new Uint8Array(32)).keyHashSeed,
    });
  });

  it("is handed over, not failed, when its worker stops", async () => {
    const id = await order();
    const stop = new AbortController();
    const job = contextWith((options) => {
      const scan = endless(options);
      stop.abort();
      return scan;
    });
    await expect(runScanJob(job, id, stop.signal)).rejects.toBeInstanceOf(ScanHandedOverError);
    expect((await viewOf(id)).state).toBe("running");
  });

  it("stores nothing of a scan that is cancelled", async () => {
    const id = await order();
    const job = contextWith(async (options) => {
      await cancelScan(id, database.db, NOW);
      return endless(options);
    });
    await runScanJob(job, id, running);
    expect(await viewOf(id)).toMatchObject({ state: "cancelled", error: null });
    expect(await database.query("SELECT 1 FROM measurement")).toEqual([]);
    expect(await database.query("SELECT 1 FROM key_sample")).toEqual([]);
  });

  it("is cancelled although it ended in the same moment", async () => {
    const id = await order();
    const job = contextWith(async () => {
      await cancelScan(id, database.db, NOW);
      return makeScan();
    });
    await runScanJob(job, id, running);
    expect((await viewOf(id)).state).toBe("cancelled");
    expect(await database.query("SELECT 1 FROM key_sample")).toEqual([]);
  });

  it("fails with the broker's words, and with those of a bug", async () => {
    for (const error of [new BrokerError("topic-recreated", "Scan the new one."), new Error("bug")]) {
      const id = await order();
      await runScanJob(
        contextWith(() => Promise.reject(error)),
        id,
        running,
      );
      expect(await viewOf(id)).toMatchObject({ state: "failed", error: error.message });
    }
  });

  it("ends when the day's budget is used up, and the next one does not begin", async () => {
    const cluster = { ...CLUSTER, budgets: { ...CLUSTER.budgets, scanBytesPerDay: 500 } };
    const first = await order();
    await runScanJob(contextWith(endless, cluster), first, running);
    expect(await viewOf(first)).toMatchObject({
      state: "failed",
      error: expect.stringContaining("scanBytesPerDay: 500"),
    });
    const second = await order();
    const never = contextWith(() => Promise.reject(new Error("it began")), cluster);
    await runScanJob(never, second, running);
    expect(await viewOf(second)).toMatchObject({ state: "failed", error: expect.stringContaining("midnight UTC") });
  });

  it("gives up a scan that took down worker after worker", async () => {
    const id = await order();
    await database.query("UPDATE scan_request SET epoch = 10, state = 'running'");
    await runScanJob(
      contextWith(async () => makeScan()),
      id,
      running,
    );
    expect(await viewOf(id)).toMatchObject({ state: "failed", error: expect.stringContaining("10 times") });
  });

  it("fails where its cluster left the configuration", async () => {
    const id = await order();
    await runScanJob({ ...contextWith(async () => makeScan()), clusters: [] }, id, running);
    expect(await viewOf(id)).toMatchObject({ state: "failed", error: expect.stringContaining("configuration") });
  });
});
