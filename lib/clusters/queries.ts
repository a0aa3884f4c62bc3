import { toClusterView } from "#lib/clusters/cluster-row.ts";
import type { ClusterView } from "#lib/clusters/cluster-view.ts";
import { type DbSession, getDb } from "#lib/platform/db.ts";

/** The configured clusters, ordered by id. */
export async function getClusterViews(db: DbSession = getDb(), now: number = Date.now()): Promise<ClusterView[]> {
  const [clusters, counts] = await Promise.all([
    db.cluster.findMany({ where: { configured: true }, orderBy: { id: "asc" } }),
    db.$queryRaw<{ cluster_id: string; topics: number; compacted: number }[]>`
      SELECT cluster_id, count(*)::int AS topics,
             count(*) FILTER (WHERE cleanup_policy LIKE '%compact%')::int AS compacted
      FROM topic WHERE gone_at IS NULL GROUP BY cluster_id`,
  ]);
  const countOf = new Map(counts.map((count) => [count.cluster_id, count]));
  return clusters.map((row) => {
    const count = countOf.get(row.id);
    return toClusterView(row, { topicCount: count?.topics ?? 0, compactedTopicCount: count?.compacted ?? 0 }, now);
  });
}

/** As recorded at the first connect; null before that. */
export async function findBrokerClusterId(db: DbSession, clusterId: string): Promise<string | null> {
  const cluster = await db.cluster.findUniqueOrThrow({ where: { id: clusterId }, select: { brokerClusterId: true } });
  return cluster.brokerClusterId;
}
