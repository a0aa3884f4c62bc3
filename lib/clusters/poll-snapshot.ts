/** What one poll of a cluster found, and how it becomes rows. Pure. */
import type { BrokerError } from "#lib/brokers/broker-error.ts";
import {
  type ClusterDescription,
  type ConfigEntries,
  type PartitionOffsets,
  partitionKey,
  type ReplicaSizes,
  type TopicDescription,
} from "#lib/brokers/broker-port.ts";
import type { Result } from "#lib/platform/result.ts";
import type { StoredReplica } from "#lib/topics/partition-row.ts";

export interface PollSnapshot {
  /** Milliseconds since the epoch, when the poll began. */
  at: number;
  cluster: ClusterDescription;
  topics: TopicDescription[];
  /** Of the topics whose configuration was asked for in this poll. */
  settings: Map<string, Result<ConfigEntries, BrokerError>>;
  /** Names of the topics that are compacted, whose partitions were looked at. */
  compacted: ReadonlySet<string>;
  offsets: Map<string, Result<PartitionOffsets, BrokerError>>;
  /** Null where no broker could be asked. */
  sizes: ReplicaSizes | null;
}

export interface TopicRow {
  topic_id: string;
  name: string;
  internal: boolean;
  partition_count: number;
}

/** A name with a zero byte can't be stored in Postgres; no Kafka lets one be made. */
export const toTopicRows = (topics: readonly TopicDescription[]): TopicRow[] =>
  topics
    .filter((topic) => !topic.name.includes("\0"))
    .map((topic) => ({
      topic_id: topic.topicId,
      name: topic.name,
      internal: topic.internal,
      partition_count: topic.partitions.length,
    }));

export interface SettingsRow {
  topic_id: string;
  settings: ConfigEntries | null;
  cleanup_policy: string | null;
  error: string | null;
}

export function toSettingsRows({ topics, settings }: PollSnapshot): SettingsRow[] {
  const rows: SettingsRow[] = [];
  for (const topic of topics) {
    const result = settings.get(topic.name);
    if (!result) continue;
    rows.push({
      topic_id: topic.topicId,
      settings: result.ok ? result.value : null,
      cleanup_policy: result.ok ? (result.value["cleanup.policy"]?.value ?? null) : null,
      error: result.ok ? null : result.error.message,
    });
  }
  return rows;
}

export interface PartitionRow {
  topic_id: string;
  partition: number;
  leader: number | null;
  leader_epoch: number;
  log_start: number | null;
  log_end: number | null;
  last_stable: number | null;
  replicas: StoredReplica[];
}

/** @param known replicas as stored before, by `replicaKey`: a size that was not told this time keeps its age */
export function toPartitionRows(snapshot: PollSnapshot, known: ReadonlyMap<string, StoredReplica>): PartitionRow[] {
  const sizes = new Map(
    snapshot.sizes?.replicas.map((size) => [replicaKey(size.topic, size.partition, size.brokerId), size.bytes]),
  );
  const rows: PartitionRow[] = [];
  for (const topic of snapshot.topics) {
    if (!snapshot.compacted.has(topic.name)) continue;
    for (const partition of topic.partitions) {
      const offsets = snapshot.offsets.get(partitionKey(topic.name, partition.partition));
      rows.push({
        topic_id: topic.topicId,
        partition: partition.partition,
        leader: partition.leader,
        leader_epoch: partition.leaderEpoch,
        log_start: offsets?.ok ? offsets.value.logStart : null,
        log_end: offsets?.ok ? offsets.value.logEnd : null,
        last_stable: offsets?.ok ? offsets.value.lastStable : null,
        replicas: partition.replicas.map((brokerId) => {
          const bytes = sizes.get(replicaKey(topic.name, partition.partition, brokerId));
          const before = known.get(replicaKey(topic.topicId, partition.partition, brokerId));
          return {
            brokerId,
            inSync: partition.inSyncReplicas.includes(brokerId),
            bytes: bytes === undefined ? (before?.bytes ?? null) : String(bytes),
            sizedAt: bytes === undefined ? (before?.sizedAt ?? null) : snapshot.at,
          };
        }),
      });
    }
  }
  return rows;
}

/** @param topic name, or id where the key is of a stored replica */
export const replicaKey = (topic: string, partition: number, brokerId: number): string =>
  `${partition}:${brokerId}:${topic}`;
