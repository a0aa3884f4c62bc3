/** Runs one ordered scan in the hands of this worker: report, checkpoint, cancel, hand over, store. */
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { addTraffic } from "#lib/clusters/commands.ts";
import { findBrokerClusterId } from "#lib/clusters/queries.ts";
import type { runTopicScan } from "#lib/compaction/scan/run-scan-thread.ts";
import type { TopicScan } from "#lib/compaction/scan/scan-topic.ts";
import { storeScanned } from "#lib/measurements/commands.ts";
import { type Clock, waitMs } from "#lib/platform/clock.ts";
import type { ClusterConfig } from "#lib/platform/cluster-config.ts";
import type { Db } from "#lib/platform/db.ts";
import { describeError, type Log } from "#lib/platform/log.ts";
import type { SealedBox } from "#lib/platform/sealed-box.ts";
import {
  type ClaimedScan,
  claimScan,
  finishScan,
  readCheckpoint,
  reportScan,
  type ScanOrder,
  type ScanProgress,
  storeCheckpoint,
} from "#lib/scans/store.ts";

export interface ScanContext {
  db: Db;
  box: SealedBox;
  log: Log;
  now: Clock;
  workerId: string;
  clusters: readonly ClusterConfig[];
  runTopicScan: typeof runTopicScan;
}

/** A cancel is seen within this, and so is a take-over by another worker. */
const REPORT_EVERY_MS = 500;
/** Without a word from the database for so long another worker has the scan by now. */
const SILENCE_MAX_MS = 20_000;

/** A scan that takes its worker down must not take down one after the other for ever. */
const ATTEMPTS_MAX = 10;

/** Thrown when this worker stops or can't know whether the scan is still its own: the queue gives the scan to another one, which resumes it. */
export class ScanHandedOverError extends Error {
  override readonly name = "ScanHandedOverError";
}

/** @throws ScanHandedOverError when `shutdown` is aborted first, and errors of the database: the queue tries again then */
export async function runScanJob(context: ScanContext, scanId: string, shutdown: AbortSignal): Promise<void> {
  const { db, log, now, workerId, clusters } = context;
  const scan = await claimScan(db, scanId, workerId, now());
  if (!scan) return;
  log.info("a scan begins", { scan: scan.id, cluster: scan.clusterId, topic: scan.topic, epoch: scan.epoch });
  const cluster = clusters.find((one) => one.id === scan.clusterId);
  const error = await settleScan(context, scan, cluster, shutdown);
  if (error !== null) {
    log.warn("a scan failed", { scan: scan.id, cluster: scan.clusterId, topic: scan.topic, error });
    await endScan(context, scan, "fail", error);
  }
}

/** What it failed with, in words; null where it was settled. */
async function settleScan(
  context: ScanContext,
  scan: ClaimedScan,
  cluster: ClusterConfig | undefined,
  shutdown: AbortSignal,
): Promise<string | null> {
  if (!cluster) return "Its cluster is no longer in the configuration file.";
  if (scan.epoch > ATTEMPTS_MAX) {
    return `Its worker ended ${ATTEMPTS_MAX} times before the scan did. Look for the reason in the workers' log; memory, most likely.`;
  }
  return attemptScan(context, scan, cluster, shutdown);
}

async function attemptScan(
  context: ScanContext,
  scan: ClaimedScan,
  cluster: ClusterConfig,
  shutdown: AbortSignal,
): Promise<string | null> {
  const budget = await readDayBudget(context, cluster);
  if (budget.leftBytes <= 0) return budget.message;
  const stop = new AbortController();
  const reporting = new AbortController();
  const latest: { progress: ScanProgress | null } = { progress: null };
  let traffic: ScanTraffic | null = null;
  const watching = watchOrders(context, scan, { latest, stop, leftBytes: budget.leftBytes }, reporting.signal);
  try {
    const result = await runScan(context, scan, cluster, latest, AbortSignal.any([stop.signal, shutdown]));
    traffic = { requests: result.topic.fetches, receivedBytes: result.topic.fetchedBytes };
    const nothing = result.partitions.length === 0 ? result.failed[0] : undefined;
    if (nothing) return nothing.message;
    // The last of it, which came after the last report.
    if (latest.progress) await reportScan(context.db, scan, latest.progress, context.now());
    await storeResult(context, scan, result);
    return null;
  } catch (error) {
    if (stop.signal.reason === "budget") return budget.message;
    if (stop.signal.aborted) {
      if (stop.signal.reason === "cancel") await endScan(context, scan, "confirmCancellation", null);
      if (stop.signal.reason === "silence") throw new ScanHandedOverError("The database did not answer for too long.");
      return null;
    }
    if (shutdown.aborted) throw new ScanHandedOverError("This worker stops; another one resumes the scan.");
    if (!(error instanceof BrokerError))
      context.log.error("a scan broke", { scan: scan.id, error: describeError(error) });
    return describeError(error);
  } finally {
    reporting.abort();
    await watching;
    // Of a scan that ended early what it read of the log is known, and not how it was asked for.
    traffic ??= { requests: 0, receivedBytes: latest.progress?.bytesRead ?? 0 };
    await countTraffic(context, scan, traffic);
  }
}

async function runScan(
  { db, box, log, now, runTopicScan }: ScanContext,
  scan: ClaimedScan,
  cluster: ClusterConfig,
  latest: { progress: ScanProgress | null },
  signal: AbortSignal,
): Promise<TopicScan> {
  const [resumeFrom, expectedClusterId] = await Promise.all([
    readCheckpoint(db, box, scan.id),
    findBrokerClusterId(db, cluster.id),
  ]);
  return runTopicScan({
    cluster,
    expectedClusterId,
    topic: scan.topic,
    seed: box.keyHashSeed,
    maxBytesPerSecond: cluster.budgets.scanBytesPerSecond,
    signal,
    ...(resumeFrom ? { resumeFrom } : {}),
    onProgress: (progress) => {
      latest.progress = progress;
    },
    onCheckpoint: (bytes) => {
      storeCheckpoint(db, box, scan, bytes, now()).catch((error) =>
        log.warn("a scan's checkpoint could not be stored", { scan: scan.id, error: describeError(error) }),
      );
    },
  });
}

/** Stores progress again and again, and stops the scan where that is ordered or the database is silent for too long. */
async function watchOrders(
  { db, now, log }: ScanContext,
  scan: ClaimedScan,
  { latest, stop, leftBytes }: { latest: { progress: ScanProgress | null }; stop: AbortController; leftBytes: number },
  signal: AbortSignal,
): Promise<void> {
  const waiting: ScanProgress = {
    progress: 0,
    recordsScanned: 0,
    bytesRead: 0,
    partitionsDone: 0,
    partitionCount: scan.partitionCount,
    remainingMs: null,
  };
  let heardAt = performance.now();
  while (!signal.aborted && !stop.signal.aborted) {
    const order = await reportScan(db, scan, latest.progress ?? waiting, now()).catch((error): ScanOrder | null => {
      log.warn("a scan's progress could not be stored", { scan: scan.id, error: describeError(error) });
      return null;
    });
    if (order !== null) heardAt = performance.now();
    if (order === "cancel" || order === "stop") stop.abort(order);
    else if ((latest.progress?.bytesRead ?? 0) > leftBytes) stop.abort("budget");
    else if (performance.now() - heardAt > SILENCE_MAX_MS) stop.abort("silence");
    await waitMs(REPORT_EVERY_MS, AbortSignal.any([signal, stop.signal]));
  }
}

/** The result, the sample and the scan's end in one transaction; nothing where the scan is not ours any more. */
async function storeResult({ db, box, now, log }: ScanContext, scan: ClaimedScan, result: TopicScan): Promise<void> {
  const { topicRef, clusterId, topic } = scan;
  const isComplete = result.failed.length === 0;
  const written = isComplete ? result.partitions.reduce((sum, one) => sum + one.logEndOffset, 0) : null;
  const settled = await db.$transaction(
    async (tx) => {
      if (await finishScan(tx, scan, "confirmCancellation", null, now())) return "cancelled";
      if (!(await finishScan(tx, scan, "succeed", null, now()))) return "taken over";
      const { partitions, sample } = result;
      await storeScanned(tx, box, { topicRef, clusterId, partitions, topic: result.topic, written, sample });
      return "succeeded";
    },
    { timeout: 30_000, maxWait: 10_000 },
  );
  log.info("a scan ended", { scan: scan.id, cluster: clusterId, topic, outcome: settled });
}

async function endScan(
  { db, now }: ScanContext,
  scan: ClaimedScan,
  ending: "fail" | "confirmCancellation",
  error: string | null,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const isDone = await finishScan(tx, scan, ending, error, now());
    // A scan that fails while it is to be cancelled is cancelled.
    if (!isDone && ending === "fail") await finishScan(tx, scan, "confirmCancellation", null, now());
  });
}

interface ScanTraffic {
  requests: number;
  receivedBytes: number;
}

const CLIENT_ID = "keyfold-scan";

async function countTraffic({ db, now }: ScanContext, scan: ClaimedScan, traffic: ScanTraffic): Promise<void> {
  await addTraffic(db, scan.clusterId, CLIENT_ID, { ...traffic, sentBytes: 0 }, now()).catch(() => undefined);
}

/** What `budgets.scanBytesPerDay` leaves of this day (UTC), over all workers. */
async function readDayBudget(
  { db, now }: ScanContext,
  { id, budgets }: ClusterConfig,
): Promise<{ leftBytes: number; message: string }> {
  const limit = budgets.scanBytesPerDay;
  if (limit === null) return { leftBytes: Number.POSITIVE_INFINITY, message: "" };
  const day = new Date(new Date(now()).toISOString().slice(0, 10));
  const where = { clusterId_day_clientId: { clusterId: id, day, clientId: CLIENT_ID } };
  const used = Number((await db.clusterTraffic.findUnique({ where }))?.receivedBytes ?? 0);
  const message = `The day's budget for scans of ${id} is used up (budgets.scanBytesPerDay: ${limit}). It begins anew at midnight UTC; or raise it.`;
  return { leftBytes: limit - used, message };
}
