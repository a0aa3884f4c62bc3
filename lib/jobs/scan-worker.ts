/** Takes scans from the job queue. */
import { PgBoss } from "pg-boss";
import { describeError } from "#lib/platform/log.ts";
import { runScanJob, type ScanContext, ScanHandedOverError } from "#lib/scans/jobs.ts";
import { SCAN_QUEUE, type ScanJob } from "#lib/scans/queue.ts";

/** Scans of different clusters run side by side; more than this keep a worker's cores too busy for its probes. */
const SCANS_MAX = 4;

export interface ScanWorker {
  /** Resolves when no scan runs here any more; abort `shutdown` first. */
  stop(): Promise<void>;
}

/** The queue's tables are made by the migrations: nothing is created here. */
export async function startScanWorker(
  context: ScanContext,
  databaseUrl: string,
  shutdown: AbortSignal,
): Promise<ScanWorker> {
  const { log, clusters } = context;
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: "keyfold-worker",
    max: 3,
    migrate: false,
    createSchema: false,
    schedule: false,
    reindex: false,
    // A killed worker's scan is given to another one within a heartbeat and two of these.
    monitorIntervalSeconds: 2,
    superviseIntervalSeconds: 2,
  });
  boss.on("error", (error) => log.warn("the job queue reports an error", { error: describeError(error) }));
  await boss.start();
  const localConcurrency = Math.max(1, Math.min(SCANS_MAX, clusters.length));
  await boss.work<ScanJob>(
    SCAN_QUEUE,
    { pollingIntervalSeconds: 1, batchSize: 1, localConcurrency, heartbeatRefreshSeconds: 3 },
    async (jobs) => {
      for (const job of jobs) await runAndLog(context, job.data.scanId, shutdown);
    },
  );
  return { stop: () => boss.stop({ graceful: true, timeout: 3_000 }) };
}

async function runAndLog(context: ScanContext, scanId: string, shutdown: AbortSignal): Promise<void> {
  try {
    await runScanJob(context, scanId, shutdown);
  } catch (error) {
    const message = error instanceof ScanHandedOverError ? "a scan is handed over" : "a scan will be tried again";
    context.log.warn(message, { scan: scanId, error: describeError(error) });
    throw error;
  }
}
