/** Polls of a made-up cluster, for tests of what the store does with them. */
import { type ConfigEntries, partitionKey, type TopicDescription } from "#lib/brokers/broker-port.ts";
import type { PollSnapshot } from "#lib/clusters/poll-snapshot.ts";
import { ok } from "#lib/platform/result.ts";

export interface SnapshotTopic {
  name: string;
  topicId: string;
  partitions?: number;
  cleanupPolicy?: string;
  logEnd?: number;
  bytes?: number;
}

export function makeSnapshot(at: number, topics: readonly SnapshotTopic[]): PollSnapshot {
  const partitionsOf = ({ partitions = 1 }: SnapshotTopic) => Array.from({ length: partitions }, (_, index) => index);
  const describe = (topic: SnapshotTopic): TopicDescription => ({
    name: topic.name,
    topicId: topic.topicId,
    internal: false,
    partitions: partitionsOf(topic).map((partition) => ({
      partition,
      leader: 1,
      leaderEpoch: 0,
      replicas: [1],
      inSyncReplicas: [1],
    })),
  });
  const settingsOf = ({ cleanupPolicy = "compact" }: SnapshotTopic): ConfigEntries => ({
    "cleanup.policy": { value: cleanupPolicy, source: "topic" },
    "min.cleanable.dirty.ratio": { value: "0.5", source: "default" },
  });
  const each = topics.flatMap((topic) => partitionsOf(topic).map((partition) => ({ ...topic, partition })));
  return {
    at,
    cluster: {
      clusterId: "broker-cluster-id",
      controllerId: 1,
      kind: { name: "apache-kafka", version: "4.4", evidence: "feature levels" },
      brokers: [{ brokerId: 1, host: "127.0.0.1", port: 9092, rack: null }],
    },
    topics: topics.map(describe),
    settings: new Map(topics.map((topic) => [topic.name, ok(settingsOf(topic))])),
    compacted: new Set(
      topics.filter(({ cleanupPolicy = "compact" }) => cleanupPolicy.includes("compact")).map((t) => t.name),
    ),
    offsets: new Map(
      each.map(({ name, partition, logEnd = 1000 }) => [
        partitionKey(name, partition),
        ok({ logStart: 0, logEnd, lastStable: logEnd }),
      ]),
    ),
    sizes: {
      replicas: each.map(({ name, partition, bytes = 50_000 }) => ({
        topic: name,
        partition,
        brokerId: 1,
        logDir: "/data",
        bytes,
        offsetLag: 0,
      })),
      directories: [],
      failures: [],
    },
  };
}

export const topicIdOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
