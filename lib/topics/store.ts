/** Writes of topics and of the state of their partitions, each in a few statements whatever the number of topics. */
import { type PartitionRow, replicaKey, type SettingsRow, type TopicRow } from "#lib/clusters/poll-snapshot.ts";
import type { DbSession } from "#lib/platform/db.ts";
import { decodeReplicas, type StoredReplica } from "#lib/topics/partition-row.ts";

/**
 * A topic id that is new under a known name is a topic of its own, and the older one is gone at once. One that is
 * merely left out may be back in the next answer (a broker that has just started knows little): it is gone when a
 * second poll leaves it out too. Samples of its keys are deleted then.
 */
export async function storeTopics(
  tx: DbSession,
  clusterId: string,
  rows: readonly TopicRow[],
  at: Date,
): Promise<void> {
  const json = JSON.stringify(rows);
  await tx.$executeRaw`
    INSERT INTO topic AS known (cluster_id, topic_id, name, internal, partition_count, first_seen_at)
    SELECT ${clusterId}, topic_id, name, internal, partition_count, ${at}
    FROM jsonb_to_recordset(${json}::jsonb) AS seen(topic_id text, name text, internal bool, partition_count int)
    ON CONFLICT (cluster_id, topic_id) DO UPDATE SET
      name = excluded.name, internal = excluded.internal, partition_count = excluded.partition_count,
      missing_since = NULL, gone_at = NULL
    WHERE (known.name, known.internal, known.partition_count) IS DISTINCT FROM
          (excluded.name, excluded.internal, excluded.partition_count)
       OR known.missing_since IS NOT NULL OR known.gone_at IS NOT NULL`;
  // IN and NOT IN are hashed; EXISTS over a set without statistics would compare each topic with each.
  await tx.$executeRaw`
    WITH seen AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(${json}::jsonb) AS seen(topic_id text, name text))
    UPDATE topic SET
      missing_since = COALESCE(missing_since, ${at}),
      gone_at = CASE
        WHEN missing_since IS NOT NULL THEN missing_since
        WHEN name IN (SELECT seen.name FROM seen) THEN ${at}
      END
    WHERE cluster_id = ${clusterId} AND gone_at IS NULL
      AND topic_id NOT IN (SELECT seen.topic_id FROM seen)`;
  await tx.$executeRaw`
    DELETE FROM key_sample USING topic
    WHERE topic.id = key_sample.topic_ref AND topic.cluster_id = ${clusterId} AND topic.gone_at IS NOT NULL`;
  await tx.$executeRaw`
    UPDATE scan_request SET checkpoint_sealed = NULL FROM topic
    WHERE topic.id = scan_request.topic_ref AND topic.cluster_id = ${clusterId} AND topic.gone_at IS NOT NULL
      AND checkpoint_sealed IS NOT NULL`;
}

/** Settings that could not be read keep their last value and its age; the reason is stored beside them. */
export async function storeSettings(
  tx: DbSession,
  clusterId: string,
  rows: readonly SettingsRow[],
  at: Date,
): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRaw`
    UPDATE topic SET
      settings = COALESCE(seen.settings, topic.settings),
      cleanup_policy = CASE WHEN seen.error IS NULL THEN seen.cleanup_policy ELSE topic.cleanup_policy END,
      settings_at = CASE WHEN seen.error IS NULL THEN ${at} ELSE topic.settings_at END,
      settings_error = seen.error
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS seen(topic_id text, settings jsonb, cleanup_policy text, error text)
    WHERE topic.cluster_id = ${clusterId} AND topic.topic_id = seen.topic_id`;
}

/** Offsets that could not be read keep their last value and its age. */
export async function storePartitions(
  tx: DbSession,
  clusterId: string,
  rows: readonly PartitionRow[],
  at: Date,
): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO partition_state AS known
      (topic_ref, partition, leader, leader_epoch, log_start, log_end, last_stable, offsets_at, replicas)
    SELECT topic.id, partition, leader, leader_epoch, log_start, log_end, last_stable,
           CASE WHEN log_end IS NOT NULL THEN ${at}::timestamptz END, replicas
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS seen(topic_id text, partition int, leader int, leader_epoch int, log_start bigint, log_end bigint,
              last_stable bigint, replicas jsonb)
    JOIN topic ON topic.cluster_id = ${clusterId} AND topic.topic_id = seen.topic_id
    ON CONFLICT (topic_ref, partition) DO UPDATE SET
      leader = excluded.leader, leader_epoch = excluded.leader_epoch, replicas = excluded.replicas,
      log_start = COALESCE(excluded.log_start, known.log_start),
      log_end = COALESCE(excluded.log_end, known.log_end),
      last_stable = COALESCE(excluded.last_stable, known.last_stable),
      offsets_at = COALESCE(excluded.offsets_at, known.offsets_at)`;
}

/** The replicas of all partitions as stored now, by `replicaKey`. */
export async function readReplicas(tx: DbSession, clusterId: string): Promise<Map<string, StoredReplica>> {
  const rows = await tx.$queryRaw<{ topic_id: string; partition: number; replicas: unknown }[]>`
    SELECT t.topic_id, p.partition, p.replicas FROM partition_state p JOIN topic t ON t.id = p.topic_ref
    WHERE t.cluster_id = ${clusterId} AND t.gone_at IS NULL`;
  return new Map(
    rows.flatMap((row) =>
      decodeReplicas(row.replicas).map((replica) => [
        replicaKey(row.topic_id, row.partition, replica.brokerId),
        replica,
      ]),
    ),
  );
}
