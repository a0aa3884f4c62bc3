/** Writes of clusters and of what their polls found. */
import {
  type PollSnapshot,
  replicaKey,
  toPartitionRows,
  toSettingsRows,
  toTopicRows,
} from "#lib/clusters/poll-snapshot.ts";
import { holdLease, type Lease } from "#lib/jobs/lease.ts";
import { announceChange } from "#lib/platform/change-event.ts";
import type { Db, DbSession } from "#lib/platform/db.ts";
import { decodeReplicas, type StoredReplica } from "#lib/topics/partition-row.ts";
import { storePartitions, storeSettings, storeTopics } from "#lib/topics/store.ts";

export interface RegisteredCluster {
  id: string;
  system: string;
  pollIntervalMs: number;
}

/** Makes the stored clusters those of the configuration; the data of others stay, out of sight. */
export async function registerClusters(db: Db, clusters: readonly RegisteredCluster[]): Promise<void> {
  await db.$transaction(async (tx) => {
    await tx.cluster.updateMany({
      where: { id: { notIn: clusters.map((cluster) => cluster.id) } },
      data: { configured: false },
    });
    for (const { id, system, pollIntervalMs } of clusters) {
      const fields = { system, pollIntervalMs, configured: true };
      await tx.cluster.upsert({ where: { id }, create: { id, ...fields }, update: fields });
    }
  });
}

export async function findBrokerClusterId(db: DbSession, clusterId: string): Promise<string | null> {
  const cluster = await db.cluster.findUniqueOrThrow({ where: { id: clusterId }, select: { brokerClusterId: true } });
  return cluster.brokerClusterId;
}

/** One transaction; throws `LeaseLostError` where another worker polls the cluster by now. */
export async function storePoll(db: Db, clusterId: string, lease: Lease, snapshot: PollSnapshot): Promise<void> {
  const at = new Date(snapshot.at);
  await db.$transaction(
    async (tx) => {
      await holdLease(tx, lease);
      await storeTopics(tx, clusterId, toTopicRows(snapshot.topics), at);
      await storeSettings(tx, clusterId, toSettingsRows(snapshot), at);
      const known = await readKnownReplicas(tx, clusterId);
      await storePartitions(tx, clusterId, toPartitionRows(snapshot, known), at);
      await tx.cluster.update({
        where: { id: clusterId },
        data: {
          brokerClusterId: snapshot.cluster.clusterId,
          kindName: snapshot.cluster.kind.name,
          kindVersion: snapshot.cluster.kind.version,
          kindEvidence: snapshot.cluster.kind.evidence,
          brokers: snapshot.cluster.brokers.map((broker) => ({ ...broker })),
          lastPolledAt: at,
          lastAttemptAt: at,
          lastError: null,
        },
      });
      await announceChange(tx, { kind: "cluster", clusterId });
    },
    { timeout: 30_000, maxWait: 10_000 },
  );
}

/** The data of the last poll stay as they are, with their age. */
export async function storePollFailure(
  db: Db,
  clusterId: string,
  lease: Lease,
  failure: { at: number; error: string },
): Promise<void> {
  await db.$transaction(async (tx) => {
    await holdLease(tx, lease);
    await tx.cluster.update({
      where: { id: clusterId },
      data: { lastAttemptAt: new Date(failure.at), lastError: failure.error },
    });
    await announceChange(tx, { kind: "cluster", clusterId });
  });
}

/** Adds to the day's counters of Keyfold's own requests and bytes. */
export async function addTraffic(
  db: DbSession,
  clusterId: string,
  clientId: string,
  traffic: { requests: number; sentBytes: number; receivedBytes: number },
  at: number,
): Promise<void> {
  if (traffic.requests === 0 && traffic.receivedBytes === 0) return;
  const day = new Date(at).toISOString().slice(0, 10);
  await db.$executeRaw`
    INSERT INTO cluster_traffic AS t (cluster_id, day, client_id, requests, sent_bytes, received_bytes)
    VALUES (${clusterId}, ${day}::date, ${clientId}, ${traffic.requests}, ${traffic.sentBytes}, ${traffic.receivedBytes})
    ON CONFLICT (cluster_id, day, client_id) DO UPDATE SET
      requests = t.requests + excluded.requests,
      sent_bytes = t.sent_bytes + excluded.sent_bytes,
      received_bytes = t.received_bytes + excluded.received_bytes`;
}

async function readKnownReplicas(tx: DbSession, clusterId: string): Promise<Map<string, StoredReplica>> {
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
