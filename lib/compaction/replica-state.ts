import type { OffsetInterval, ReplicaState } from "#lib/compaction/measurement.ts";

interface ReplicaReading {
  cleanPoint: OffsetInterval;
  bytes: number | null;
}

/** Healthy replicas differ while one cleans first; a lag is one where the bytes differ too. */
const BYTES_FACTOR = 1.5;

/**
 * How one replica stands to its leader, seen from one partition: why it is behind (its cleaner is off, or this partition
 * is quarantined) can only be told from the other partitions of that broker.
 */
export function compareReplica(follower: ReplicaReading, leader: ReplicaReading): ReplicaState {
  if (follower.cleanPoint.high >= leader.cleanPoint.low) return "ok";
  if (follower.bytes === null || leader.bytes === null) return "behind";
  return follower.bytes > leader.bytes * BYTES_FACTOR ? "behind" : "ok";
}
