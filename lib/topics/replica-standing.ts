/** Why a replica is behind can only be told from the other partitions of its broker: what all probes of a cluster say. */
import { z } from "zod";
import type { PartitionMeasurement } from "#lib/compaction/measurement.ts";
import {
  type BrokerCleaning,
  countCleaning,
  diagnoseReplica,
  type ProbedReplicas,
} from "#lib/compaction/replica-diagnosis.ts";
import { decodeDecimals } from "#lib/measurements/decimal-fields.ts";

export type CleaningByCluster = ReadonlyMap<string, ReadonlyMap<number, BrokerCleaning>>;

/** Newest probe of a partition with several replicas, in its stored form. */
export interface ProbedReplicasRow {
  cluster_id: string;
  topic: string;
  partition: number;
  probed: unknown;
}

const probedReplicas = z.object({
  logStartOffset: z.number(),
  replicas: z.array(
    z.object({
      brokerId: z.number(),
      leader: z.boolean(),
      bytes: z.number().nullable(),
      cleanPoint: z.object({ low: z.number(), high: z.number() }).nullable(),
      state: z.enum(["ok", "behind", "quarantined", "cleaner-off", "unknown"]),
    }),
  ),
});

export function countCleaningByCluster(rows: readonly ProbedReplicasRow[]): CleaningByCluster {
  const clusters = new Map<string, ProbedReplicas[]>();
  for (const { cluster_id, topic, partition, probed } of rows) {
    const { logStartOffset, replicas } = probedReplicas.parse(decodeDecimals(probed));
    const known = clusters.get(cluster_id) ?? [];
    known.push({ topic, partition, logStartOffset, replicas });
    clusters.set(cluster_id, known);
  }
  return new Map([...clusters].map(([clusterId, partitions]) => [clusterId, countCleaning(partitions)]));
}

/** Only then it matters what the other partitions of a broker say, and they are many. */
export const hasReplicaBehind = ({ replicas }: PartitionMeasurement): boolean =>
  replicas?.some(({ state }) => state === "behind") ?? false;

/** The measurement with the state of each replica as all probes of its cluster tell it. */
export function diagnoseReplicas(
  measurement: PartitionMeasurement,
  cleaning: ReadonlyMap<number, BrokerCleaning> | undefined,
): PartitionMeasurement {
  const { replicas, topic, partition, logStartOffset } = measurement;
  if (replicas === null || cleaning === undefined || !hasReplicaBehind(measurement)) return measurement;
  const probed = { topic, partition, logStartOffset, replicas };
  return {
    ...measurement,
    replicas: replicas.map((replica) => ({ ...replica, state: diagnoseReplica(replica, probed, cleaning) })),
  };
}
