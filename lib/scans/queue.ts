/** The job queue that wakes a worker for a scan. Its tables are made by the migrations. */
import { fromPrisma, PgBoss } from "pg-boss";
import { type Db, type DbSession, databaseUrlOf } from "#lib/platform/db.ts";

export const SCAN_QUEUE = "scan";

export interface ScanJob {
  scanId: string;
}

const senders = new WeakMap<Db, Promise<PgBoss>>();

/** Opens what sending needs, which reads the queue's settings; call it before the transaction begins. */
export function openScanSender(db: Db): Promise<PgBoss> {
  const known = senders.get(db);
  if (known) return known;
  // A connection of its own: pg-boss asks for catalogue types at its start that Prisma's adapter can't read.
  const boss = new PgBoss({
    connectionString: databaseUrlOf(db),
    application_name: "keyfold-web",
    max: 1,
    supervise: false,
    schedule: false,
    migrate: false,
    createSchema: false,
  });
  boss.on("error", () => senders.delete(db));
  const sender = boss.start();
  senders.set(db, sender);
  sender.catch(() => senders.delete(db));
  return sender;
}

/**
 * Within the transaction that stores the scan: the job exists when the scan does. The singleton key lets one scan of a
 * cluster run at a time, over all workers.
 */
export async function enqueueScan(sender: PgBoss, tx: DbSession, job: ScanJob, clusterId: string): Promise<void> {
  await sender.send(SCAN_QUEUE, job, { singletonKey: clusterId, db: fromPrisma(tx) });
}

/** Ends what `openScanSender` opened; for tests and for a process that ends in order. */
export async function closeScanSender(db: Db): Promise<void> {
  const sender = senders.get(db);
  senders.delete(db);
  await (await sender)?.stop({ graceful: false });
}
