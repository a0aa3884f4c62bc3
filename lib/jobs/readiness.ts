/** Whether Keyfold is ready, by what is stored: it does not get unready again because a process was restarted. Pure. */

/** A worker beats every five seconds. */
export const HEARTBEAT_FRESH_MS = 15_000;

export interface ClusterProgress {
  id: string;
  polled: boolean;
  attempted: boolean;
  lastError: string | null;
  /** Partitions of compacted topics, those of them that were probed with a result, and those that were tried at all. */
  compactedPartitions: number;
  probedPartitions: number;
  triedPartitions: number;
}

export interface ClusterReadiness {
  id: string;
  ready: boolean;
  reason: string;
}

export interface Readiness {
  ready: boolean;
  /** What is still missing; empty when ready. */
  reasons: string[];
  clusters: ClusterReadiness[];
}

export interface ReadinessInput {
  /** Null: the database could not be read. */
  migrationApplied: boolean | null;
  newestHeartbeatAt: number | null;
  clusters: ClusterProgress[];
}

export function decideReadiness(
  { migrationApplied, newestHeartbeatAt, clusters }: ReadinessInput,
  now: number,
): Readiness {
  const reasons: string[] = [];
  if (migrationApplied === null) reasons.push("Postgres can't be reached with DATABASE_URL.");
  if (migrationApplied === false)
    reasons.push("The database's schema is older than this program: apply the migrations.");
  if (migrationApplied) {
    if (newestHeartbeatAt === null) reasons.push("No worker has started yet.");
    else if (now - newestHeartbeatAt > HEARTBEAT_FRESH_MS) {
      reasons.push(`No worker was heard of since ${new Date(newestHeartbeatAt).toISOString()}.`);
    }
  }
  const states = clusters.map(decideCluster);
  for (const state of states) if (!state.ready) reasons.push(`Cluster ${state.id}: ${state.reason}`);
  return { ready: reasons.length === 0, reasons, clusters: states };
}

function decideCluster(cluster: ClusterProgress): ClusterReadiness {
  const { id, compactedPartitions, probedPartitions, triedPartitions } = cluster;
  const state = (ready: boolean, reason: string): ClusterReadiness => ({ id, ready, reason });
  if (!cluster.polled) {
    if (cluster.attempted && cluster.lastError) return state(true, `tried, and not reached: ${cluster.lastError}`);
    return state(false, "not polled yet.");
  }
  if (compactedPartitions === 0) return state(true, "polled; it has no compacted topic.");
  if (probedPartitions > 0) {
    return state(true, `polled; ${probedPartitions} of ${compactedPartitions} compacted partitions probed.`);
  }
  if (triedPartitions === compactedPartitions) return state(true, "polled; no compacted partition could be probed.");
  return state(false, "polled; no compacted partition was probed yet.");
}
