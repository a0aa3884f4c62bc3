import type { ReplicaMeasurement, ReplicaState } from "#lib/compaction/measurement.ts";

/** The replicas of one compacted partition, as last probed. */
export interface ProbedReplicas {
  topic: string;
  partition: number;
  logStartOffset: number;
  replicas: readonly ReplicaMeasurement[];
}

/** How the cleaner of one broker does over all partitions of which it holds a replica. */
export interface BrokerCleaning {
  brokerId: number;
  /** Partitions that it cleaned as far as any other replica, further than the log start. */
  keptUp: number;
  /** Partitions that another replica was cleaned further on, with much less on its disk. */
  behind: number;
}

/** Healthy replicas differ in size while one is cleaned first, then are equal to the byte. */
const BYTES_FACTOR = 1.5;

/**
 * Counts per broker. Where nothing was ever cleaned on any replica, or a replica could not be read, a partition says
 * nothing about a cleaner.
 */
export function countCleaning(partitions: readonly ProbedReplicas[]): Map<number, BrokerCleaning> {
  const brokers = new Map<number, BrokerCleaning>();
  for (const partition of partitions) {
    for (const replica of partition.replicas) {
      const standing = standingOf(replica, partition);
      if (standing === "unknown") continue;
      const cleaning = brokers.get(replica.brokerId) ?? { brokerId: replica.brokerId, keptUp: 0, behind: 0 };
      cleaning[standing === "behind" ? "behind" : "keptUp"] += 1;
      brokers.set(replica.brokerId, cleaning);
    }
  }
  return brokers;
}

/**
 * Why a replica is behind. One partition behind on a broker that cleans others is quarantined (cleaning it threw, the
 * cleaner skips it from then on); a broker that is behind on all has no running cleaner. With a single partition to
 * judge by, it is behind, and nobody can say why.
 */
export function diagnoseReplica(
  replica: ReplicaMeasurement,
  partition: ProbedReplicas,
  brokers: ReadonlyMap<number, BrokerCleaning>,
): ReplicaState {
  const standing = standingOf(replica, partition);
  if (standing === "unknown") return replica.cleanPoint === null ? "unknown" : "ok";
  if (standing === "kept-up") return "ok";
  const cleaning = brokers.get(replica.brokerId);
  if (cleaning === undefined) return "behind";
  if (cleaning.keptUp > 0) return "quarantined";
  return cleaning.behind > 1 ? "cleaner-off" : "behind";
}

function standingOf(replica: ReplicaMeasurement, partition: ProbedReplicas): "kept-up" | "behind" | "unknown" {
  if (replica.cleanPoint === null) return "unknown";
  const front = furthestCleaned(partition);
  if (front === null || front <= partition.logStartOffset) return "unknown";
  if (replica.cleanPoint.high >= front) return "kept-up";
  const smallest = Math.min(...partition.replicas.map(({ bytes }) => bytes ?? Number.POSITIVE_INFINITY));
  if (replica.bytes === null || !Number.isFinite(smallest)) return "unknown";
  return replica.bytes > smallest * BYTES_FACTOR ? "behind" : "unknown";
}

/** The offset that at least one replica was cleaned to by proof; null where none could be read. */
function furthestCleaned({ replicas }: ProbedReplicas): number | null {
  const lows = replicas.flatMap(({ cleanPoint }) => (cleanPoint === null ? [] : [cleanPoint.low]));
  return lows.length === 0 ? null : Math.max(...lows);
}
