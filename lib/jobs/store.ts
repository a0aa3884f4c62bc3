/** Writes of workers about themselves. */
import type { DbSession } from "#lib/platform/db.ts";

const FORGET_MS = 86_400_000;

export interface WorkerIdentity {
  id: string;
  host: string;
  pid: number;
  startedAt: number;
}

export async function beat(db: DbSession, worker: WorkerIdentity, now: number): Promise<void> {
  const { id, host, pid } = worker;
  const heartbeatAt = new Date(now);
  const startedAt = new Date(worker.startedAt);
  await db.worker.upsert({ where: { id }, create: { id, host, pid, startedAt, heartbeatAt }, update: { heartbeatAt } });
}

export async function forgetWorkers(db: DbSession, now: number): Promise<void> {
  await db.worker.deleteMany({ where: { heartbeatAt: { lt: new Date(now - FORGET_MS) } } });
}
