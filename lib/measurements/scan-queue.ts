/** The job queue that wakes a worker for a scan. Its tables are made by the migrations. */
import { fromPrisma, PgBoss } from "pg-boss";
import type { Db, DbSession } from "#lib/platform/db.ts";

export const SCAN_QUEUE = "scan";

export interface ScanJob {
  scanId: string;
}

const senders = new WeakMap<Db, Promise<PgBoss>>();

/** Opens what sending needs, which reads the queue's settings; call it before the transaction begins. */
export function openScanSender(db: Db): Promise<PgBoss> {
  const known = senders.get(db);
  if (known) return known;
  const boss = new PgBoss({
    db: fromPrisma(db),
    supervise: false,
    schedule: false,
    migrate: false,
    createSchema: false,
  });
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
