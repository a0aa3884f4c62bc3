import type { MeasurementMode, PartitionMeasurement } from "#lib/compaction/measurement.ts";
import {
  type DueTopic,
  PAUSE_FAILED_MS,
  PAUSE_IDLE_MS,
  PAUSE_MAX_MS,
  PAUSE_MIN_MS,
} from "#lib/measurements/probe-schedule.ts";
import { decodePartitionMeasurement } from "#lib/measurements/stored-measurement.ts";
import type { DbSession } from "#lib/platform/db.ts";

const TOPICS_MAX = 20;

interface DueRow {
  id: bigint;
  name: string;
  topic_id: string;
  partitions: { partition: number; logEnd: number | null; bytes: string | null }[];
}

/**
 * First those that were never probed, then those whose turn is overdue, then those whose log end moved most. A size
 * that changed, of any replica, is a change too: a cleaner moves no offset, and each broker has its own. The leader's
 * counts twice, so that another leader with another size is a change as well.
 */
export async function readDueTopics(db: DbSession, clusterId: string, now: number): Promise<DueTopic[]> {
  const before = (ms: number): Date => new Date(now - ms);
  const rows = await db.$queryRaw<DueRow[]>`
    WITH state AS (
      SELECT t.id, t.name, t.topic_id, p.partition, p.log_end, p.probed_at, p.probed_end, p.probed_bytes, p.probe_error,
             (SELECT sum((r->>'bytes')::bigint * CASE WHEN (r->>'brokerId')::int = p.leader THEN 2 ELSE 1 END)::bigint
              FROM jsonb_array_elements(p.replicas) AS r) AS bytes
      FROM topic t JOIN partition_state p ON p.topic_ref = t.id
      WHERE t.cluster_id = ${clusterId} AND t.gone_at IS NULL AND t.missing_since IS NULL
        AND t.cleanup_policy LIKE '%compact%' AND p.leader IS NOT NULL
    ), due AS (
      SELECT * FROM state WHERE probed_at IS NULL OR probed_at <= ${before(PAUSE_IDLE_MS)}
        OR (probe_error IS NOT NULL AND probed_at <= ${before(PAUSE_FAILED_MS)})
        OR (probe_error IS NULL AND probed_at <= ${before(PAUSE_MIN_MS)}
            AND (log_end IS DISTINCT FROM probed_end OR bytes IS DISTINCT FROM probed_bytes))
    )
    SELECT id, name, topic_id,
           jsonb_agg(jsonb_build_object('partition', partition, 'logEnd', log_end, 'bytes', bytes::text)
                     ORDER BY partition) AS partitions
    FROM due GROUP BY id, name, topic_id
    ORDER BY bool_or(probed_at IS NULL) DESC, bool_or(probed_at <= ${before(PAUSE_MAX_MS)}) DESC NULLS LAST,
             max(abs(log_end - probed_end)) DESC NULLS LAST, id
    LIMIT ${TOPICS_MAX}`;
  return rows.map((row) => ({
    topicRef: row.id,
    topic: row.name,
    topicId: row.topic_id,
    partitions: row.partitions.map(({ partition, logEnd, bytes }) => ({
      partition,
      logEnd,
      bytes: bytes === null ? null : Number(bytes),
    })),
  }));
}

/** The newest measurement of every partition that has one, in the order of partitions. */
export async function readNewestPartitions(
  db: DbSession,
  topicRef: bigint,
  mode: MeasurementMode,
): Promise<PartitionMeasurement[]> {
  const rows = await db.measurement.findMany({
    where: { topicRef, mode, newest: true, partition: { gte: 0 } },
    orderBy: { partition: "asc" },
  });
  return rows.map((row) => decodePartitionMeasurement(row.payload));
}
