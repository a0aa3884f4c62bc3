import { getClusterViews } from "#lib/clusters/queries.ts";
import type { PartitionMeasurement, TopicMeasurement } from "#lib/compaction/measurement.ts";
import { decodePartitionMeasurement, decodeTopicMeasurement } from "#lib/measurements/stored-measurement.ts";
import { type DbSession, getDb } from "#lib/platform/db.ts";
import { toScanView } from "#lib/scans/scan-row.ts";
import { type OffsetTotals, toFleetRow } from "#lib/topics/fleet-row.ts";
import type { FleetView } from "#lib/topics/fleet-view.ts";
import { readHistory } from "#lib/topics/history-queries.ts";
import { toPartitionViews } from "#lib/topics/partition-row.ts";
import {
  countCleaningByCluster,
  diagnoseReplicas,
  hasReplicaBehind,
  type ProbedReplicasRow,
} from "#lib/topics/replica-standing.ts";
import { decodeSettings } from "#lib/topics/settings.ts";
import type { TopicView } from "#lib/topics/topic-view.ts";

/** Every topic of the configured clusters that is compacted, or may be, from the store alone. */
export async function getFleetView(db: DbSession = getDb(), now: number = Date.now()): Promise<FleetView> {
  const [clusters, topics, lines, candidates, totals] = await Promise.all([
    getClusterViews(db, now),
    db.topic.findMany({
      where: {
        goneAt: null,
        cluster: { configured: true },
        // Topics whose policy can't be read are shown with the reason: they may be compacted.
        OR: [{ cleanupPolicy: { contains: "compact" } }, { cleanupPolicy: null, settingsError: { not: null } }],
      },
      orderBy: [{ clusterId: "asc" }, { name: "asc" }],
    }),
    readTopicLines(db),
    readWorstCandidates(db),
    readOffsetTotals(db),
  ]);
  const isAnyBehind = [...candidates.values()].some((measurements) => measurements.some(hasReplicaBehind));
  const cleaning = isAnyBehind ? countCleaningByCluster(await readProbedReplicas(db, null)) : new Map();
  const diagnosedOf = ({ id, clusterId }: { id: bigint; clusterId: string }): PartitionMeasurement[] =>
    (candidates.get(id) ?? []).map((measurement) => diagnoseReplicas(measurement, cleaning.get(clusterId)));
  const rows = topics.map((topic) =>
    toFleetRow({
      topic,
      probe: lines.get(`probe:${topic.id}`) ?? null,
      scan: lines.get(`scan:${topic.id}`) ?? null,
      worstCandidates: diagnosedOf(topic),
      totals: totals.get(topic.id) ?? null,
    }),
  );
  return { readAt: now, clusters, rows };
}

/** The topic that has this name now, else the last one that had it; null where none ever had. */
export async function getTopicView(
  clusterId: string,
  name: string,
  db: DbSession = getDb(),
  now: number = Date.now(),
): Promise<TopicView | null> {
  const topic = await findTopicByName(db, clusterId, name);
  const cluster = (await getClusterViews(db, now)).find((view) => view.id === clusterId);
  if (topic === null || cluster === undefined) return null;
  const [partitions, newest, history, scan] = await Promise.all([
    db.partitionState.findMany({ where: { topicRef: topic.id }, orderBy: { partition: "asc" } }),
    db.measurement.findMany({ where: { topicRef: topic.id, newest: true } }),
    readHistory(db, topic.id, now),
    db.scanRequest.findFirst({ where: { topicRef: topic.id }, orderBy: { requestedAt: "desc" } }),
  ]);
  const views = toPartitionViews(partitions, newest);
  const isAnyBehind = views.some(({ probe }) => probe !== null && hasReplicaBehind(probe));
  const cleaning = isAnyBehind ? countCleaningByCluster(await readProbedReplicas(db, clusterId)) : new Map();
  const diagnose = (measurement: PartitionMeasurement): PartitionMeasurement =>
    diagnoseReplicas(measurement, cleaning.get(clusterId));
  const line = (mode: string): TopicMeasurement | null => {
    const row = newest.find((measurement) => measurement.partition === -1 && measurement.mode === mode);
    return row ? decodeTopicMeasurement(row.payload) : null;
  };
  return {
    readAt: now,
    cluster,
    topic: topic.name,
    topicId: topic.topicId,
    cleanupPolicy: topic.cleanupPolicy ?? "",
    settings: decodeSettings(topic.settings),
    settingsAt: topic.settingsAt?.getTime() ?? null,
    partitions: views.map((view) => ({
      ...view,
      probe: view.probe && diagnose(view.probe),
      scan: view.scan && diagnose(view.scan),
    })),
    probe: line("probe"),
    scan: line("scan"),
    history,
    latestScan: scan ? toScanView(scan, { clusterId, topic: topic.name }) : null,
    goneAt: topic.goneAt?.getTime() ?? null,
  };
}

export async function findTopicByName(db: DbSession, clusterId: string, name: string) {
  if (name.includes("\0") || clusterId.includes("\0")) return null;
  return db.topic.findFirst({
    where: { clusterId, name },
    orderBy: [{ goneAt: { sort: "desc", nulls: "first" } }, { id: "desc" }],
  });
}

async function readTopicLines(db: DbSession): Promise<Map<string, TopicMeasurement>> {
  const rows = await db.measurement.findMany({
    where: { newest: true, partition: -1, topic: { goneAt: null } },
    select: { topicRef: true, mode: true, payload: true },
  });
  return new Map(rows.map((row) => [`${row.mode}:${row.topicRef}`, decodeTopicMeasurement(row.payload)]));
}

/**
 * Of each topic the partitions of which one stands worst, at most two: the first by the stored rank, which knows nothing
 * of the ratio's limit, and the one with the highest ratio, which alone can be worse under the limit.
 */
async function readWorstCandidates(db: DbSession): Promise<Map<bigint, PartitionMeasurement[]>> {
  const rows = await db.$queryRaw<{ topic_ref: bigint; payload: unknown }[]>`
    WITH latest AS (
      SELECT DISTINCT ON (topic_ref, partition)
             id, topic_ref, partition, standing_rank, dirty_ratio, removable_share
      FROM measurement WHERE newest AND partition >= 0
      ORDER BY topic_ref, partition, has_shape DESC NULLS LAST, confirmed_at DESC
    ), candidate AS (
      (SELECT DISTINCT ON (topic_ref) id FROM latest
       ORDER BY topic_ref, standing_rank, dirty_ratio DESC NULLS LAST, removable_share DESC NULLS LAST, partition)
      UNION
      (SELECT DISTINCT ON (topic_ref) id FROM latest
       ORDER BY topic_ref, dirty_ratio DESC NULLS LAST, removable_share DESC NULLS LAST, partition)
    )
    SELECT m.topic_ref, m.payload FROM measurement m JOIN candidate USING (id)
    JOIN topic t ON t.id = m.topic_ref WHERE t.gone_at IS NULL`;
  const candidates = new Map<bigint, PartitionMeasurement[]>();
  for (const { topic_ref, payload } of rows) {
    const known = candidates.get(topic_ref);
    const measurement = decodePartitionMeasurement(payload);
    if (known) known.push(measurement);
    else candidates.set(topic_ref, [measurement]);
  }
  return candidates;
}

async function readOffsetTotals(db: DbSession): Promise<Map<bigint, OffsetTotals>> {
  const rows = await db.$queryRaw<
    { topic_ref: bigint; log_end: bigint | null; offsets_at: Date | null; probe_error: string | null }[]
  >`
    SELECT topic_ref, CASE WHEN bool_and(log_end IS NOT NULL) THEN sum(log_end)::bigint END AS log_end,
           min(offsets_at) AS offsets_at, min(probe_error) AS probe_error
    FROM partition_state GROUP BY topic_ref`;
  return new Map(
    rows.map((row) => [
      row.topic_ref,
      {
        logEnd: row.log_end === null ? null : Number(row.log_end),
        offsetsAt: row.offsets_at?.getTime() ?? null,
        probeError: row.probe_error,
      },
    ]),
  );
}

/** @param clusterId null: of all clusters */
async function readProbedReplicas(db: DbSession, clusterId: string | null): Promise<ProbedReplicasRow[]> {
  return db.$queryRaw<ProbedReplicasRow[]>`
    SELECT t.cluster_id, t.name AS topic, m.partition, m.replicas AS probed
    FROM measurement m JOIN topic t ON t.id = m.topic_ref
    WHERE m.newest AND m.replicas IS NOT NULL AND t.gone_at IS NULL
      AND (${clusterId}::text IS NULL OR t.cluster_id = ${clusterId})`;
}
