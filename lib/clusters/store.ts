/** Writes of clusters. */
import type { Traffic } from "#lib/brokers/broker-port.ts";
import type { PollSnapshot } from "#lib/clusters/poll-snapshot.ts";
import type { DbSession } from "#lib/platform/db.ts";

export interface RegisteredCluster {
  id: string;
  system: string;
  pollIntervalMs: number;
}

export async function upsertClusters(tx: DbSession, clusters: readonly RegisteredCluster[]): Promise<void> {
  await tx.cluster.updateMany({
    where: { id: { notIn: clusters.map((cluster) => cluster.id) } },
    data: { configured: false },
  });
  for (const { id, system, pollIntervalMs } of clusters) {
    const fields = { system, pollIntervalMs, configured: true };
    await tx.cluster.upsert({ where: { id }, create: { id, ...fields }, update: fields });
  }
}

export async function markPolled(tx: DbSession, clusterId: string, { at, cluster }: PollSnapshot): Promise<void> {
  await tx.cluster.update({
    where: { id: clusterId },
    data: {
      brokerClusterId: cluster.clusterId,
      kindName: cluster.kind.name,
      kindVersion: cluster.kind.version,
      kindEvidence: cluster.kind.evidence,
      brokers: cluster.brokers.map((broker) => ({ ...broker })),
      lastPolledAt: new Date(at),
      lastAttemptAt: new Date(at),
      lastError: null,
    },
  });
}

export async function markPollFailed(
  tx: DbSession,
  clusterId: string,
  { at, error }: { at: number; error: string },
): Promise<void> {
  await tx.cluster.update({ where: { id: clusterId }, data: { lastAttemptAt: new Date(at), lastError: error } });
}

export async function insertTraffic(
  db: DbSession,
  clusterId: string,
  clientId: string,
  traffic: Traffic,
  at: number,
): Promise<void> {
  const day = new Date(at).toISOString().slice(0, 10);
  await db.$executeRaw`
    INSERT INTO cluster_traffic AS t (cluster_id, day, client_id, requests, sent_bytes, received_bytes)
    VALUES (${clusterId}, ${day}::date, ${clientId}, ${traffic.requests}, ${traffic.sentBytes}, ${traffic.receivedBytes})
    ON CONFLICT (cluster_id, day, client_id) DO UPDATE SET
      requests = t.requests + excluded.requests,
      sent_bytes = t.sent_bytes + excluded.sent_bytes,
      received_bytes = t.received_bytes + excluded.received_bytes`;
}
