/** The worker process: `node lib/jobs/worker.ts`. Several may run over one database. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { openBroker } from "#lib/brokers/open-broker.ts";
import { registerClusters } from "#lib/clusters/commands.ts";
import { watchCluster } from "#lib/clusters/jobs.ts";
import { DEFAULT_POLL_INTERVAL_MS } from "#lib/clusters/poll-pace.ts";
import { runTopicScan } from "#lib/compaction/scan/run-scan-thread.ts";
import { beatForever } from "#lib/jobs/heartbeat.ts";
import { thinForever } from "#lib/jobs/history-thinning.ts";
import { startScanWorker } from "#lib/jobs/scan-worker.ts";
import { waitMs } from "#lib/platform/clock.ts";
import type { ClusterConfig } from "#lib/platform/cluster-config.ts";
import { formatConfigProblem, loadConfig } from "#lib/platform/config.ts";
import { type Db, openDb, readDatabaseUrl } from "#lib/platform/db.ts";
import { environment } from "#lib/platform/environment.ts";
import { matchInstallationSecret } from "#lib/platform/installation-secret.ts";
import { createLog, describeError } from "#lib/platform/log.ts";
import { readSealedBox, type SealedBox } from "#lib/platform/sealed-box.ts";

const START_TRIES = 10;
const START_PAUSE_MS = 3_000;
/** What does not stop by itself by then is left to the process's end. */
const STOP_GRACE_MS = 4_000;

const log = createLog("worker");

/** Something that only a person can put right; the message says what. */
class StartRefusedError extends Error {
  override readonly name = "StartRefusedError";
}

function readClusters(configPath: string | null): ClusterConfig[] {
  if (configPath === null) {
    log.warn("no cluster is configured; set KEYFOLD_CONFIG to a configuration file");
    return [];
  }
  const config = loadConfig(configPath);
  if (!config.ok) throw new StartRefusedError(config.error.map(formatConfigProblem).join("\n"));
  for (const note of config.value.notes) log.warn(note);
  return config.value.clusters;
}

function openSealedBox(): SealedBox {
  const box = readSealedBox(environment().secretPath);
  if (!box.ok) throw new StartRefusedError(box.error);
  return box.value;
}

/** The database may start beside this process. */
async function prepareStore(db: Db, box: SealedBox, clusters: readonly ClusterConfig[], signal: AbortSignal) {
  for (let tries = 1; ; tries++) {
    try {
      const match = await matchInstallationSecret(db, box);
      if (!match.ok) throw new StartRefusedError(match.error);
      await registerClusters(
        db,
        clusters.map(({ id, system }) => ({ id, system, pollIntervalMs: DEFAULT_POLL_INTERVAL_MS })),
      );
      return;
    } catch (error) {
      if (error instanceof StartRefusedError || tries === START_TRIES || signal.aborted) throw error;
      log.warn("the database can't be used yet", { error: describeError(error) });
      await waitMs(START_PAUSE_MS, signal);
    }
  }
}

async function work(signal: AbortSignal): Promise<void> {
  const { configPath } = environment();
  const databaseUrl = readDatabaseUrl();
  const clusters = readClusters(configPath);
  const box = openSealedBox();
  const db = openDb(databaseUrl);
  await prepareStore(db, box, clusters, signal);
  const workerId = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const worker = { id: workerId, host: hostname(), pid: process.pid, startedAt: Date.now() };
  const shared = { db, box, log, now: Date.now, workerId };
  const scans = await startScanWorker({ ...shared, clusters, runTopicScan }, databaseUrl, signal);
  log.info("the worker has started", { worker: workerId, clusters: clusters.length });
  await Promise.all([
    beatForever({ db, log, worker }, signal),
    thinForever({ db, log, workerId }, signal),
    ...clusters.map((cluster) =>
      watchCluster(
        { ...shared, cluster, openBroker, random: Math.random, pollIntervalMs: DEFAULT_POLL_INTERVAL_MS },
        signal,
      ),
    ),
  ]);
  await scans.stop();
  await db.$disconnect();
}

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    log.info("the worker stops", { signal });
    stop.abort();
    setTimeout(() => process.exit(0), STOP_GRACE_MS).unref();
  });
}

try {
  await work(stop.signal);
  process.exit(0);
} catch (error) {
  log.error("the worker ends", { error: error instanceof StartRefusedError ? error.message : describeError(error) });
  process.exit(1);
}
