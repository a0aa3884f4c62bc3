import { type ClusterProgress, decideReadiness, type Readiness } from "#lib/jobs/readiness.ts";
import { type DbSession, getDb } from "#lib/platform/db.ts";
import { SCHEMA_MIGRATION } from "#lib/platform/schema-version.ts";

/** Never rejects: a database that can't be read is a reason like others. */
export async function getReadiness(openSession: () => DbSession = getDb, now: number = Date.now()): Promise<Readiness> {
  try {
    const db = openSession();
    if (!(await isMigrated(db)))
      return decideReadiness({ migrationApplied: false, newestHeartbeatAt: null, clusters: [] }, now);
    const [worker, clusters] = await Promise.all([
      db.worker.findFirst({ orderBy: { heartbeatAt: "desc" }, select: { heartbeatAt: true } }),
      readClusterProgress(db),
    ]);
    const newestHeartbeatAt = worker?.heartbeatAt.getTime() ?? null;
    return decideReadiness({ migrationApplied: true, newestHeartbeatAt, clusters }, now);
  } catch {
    return decideReadiness({ migrationApplied: null, newestHeartbeatAt: null, clusters: [] }, now);
  }
}

async function isMigrated(db: DbSession): Promise<boolean> {
  const tables = await db.$queryRaw<
    { exists: boolean }[]
  >`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`;
  if (!tables[0]?.exists) return false;
  const rows = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM _prisma_migrations
    WHERE migration_name = ${SCHEMA_MIGRATION} AND finished_at IS NOT NULL AND rolled_back_at IS NULL`;
  return rows.length > 0;
}

interface ProgressRow {
  id: string;
  polled: boolean;
  attempted: boolean;
  last_error: string | null;
  compacted: number;
  probed: number;
  tried: number;
}

async function readClusterProgress(db: DbSession): Promise<ClusterProgress[]> {
  const rows = await db.$queryRaw<ProgressRow[]>`
    SELECT c.id, c.last_polled_at IS NOT NULL AS polled, c.last_attempt_at IS NOT NULL AS attempted, c.last_error,
           count(p.partition)::int AS compacted,
           count(p.partition) FILTER (WHERE p.probed_end IS NOT NULL)::int AS probed,
           count(p.partition) FILTER (WHERE p.probed_at IS NOT NULL)::int AS tried
    FROM cluster c
    LEFT JOIN topic t ON t.cluster_id = c.id AND t.gone_at IS NULL AND t.cleanup_policy LIKE '%compact%'
    LEFT JOIN partition_state p ON p.topic_ref = t.id
    WHERE c.configured GROUP BY c.id ORDER BY c.id`;
  return rows.map((row) => ({
    id: row.id,
    polled: row.polled,
    attempted: row.attempted,
    lastError: row.last_error,
    compactedPartitions: row.compacted,
    probedPartitions: row.probed,
    triedPartitions: row.tried,
  }));
}
