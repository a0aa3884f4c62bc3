/**
 * The broker port: what Keyfold asks of a system that keeps compacted logs. Kafka is behind it; the in-memory log of
 * `lib/brokers/fake` serves unit tests.
 *
 * Offsets, byte counts and record counts are JavaScript numbers here: the adapter refuses what is above 2^53 - 1, so
 * that the hot path (millions of records a second) makes no bigint.
 */
import type { BrokerError } from "#lib/brokers/broker-error.ts";
import type { ReplicaLog, ReplicaLogTarget } from "#lib/brokers/replica-log-port.ts";
import type { Result } from "#lib/platform/result.ts";

export type BrokerSystem = "kafka";

/** Which software answers, as recognised at connect. `other` gets offset spans, scans and groups, but no clean point. */
export interface ClusterKind {
  name: "apache-kafka" | "other";
  /** A lower bound such as "4.0", from the feature levels and API versions that the broker offers; null where unknown. */
  version: string | null;
  /** Why it was recognised as this kind, in words for a page. */
  evidence: string;
}

export interface ClusterDescription {
  clusterId: string;
  controllerId: number | null;
  kind: ClusterKind;
  brokers: BrokerNode[];
}

export interface BrokerNode {
  brokerId: number;
  host: string;
  port: number;
  rack: string | null;
}

export interface TopicDescription {
  name: string;
  /** Hyphenated UUID. */
  topicId: string;
  internal: boolean;
  partitions: PartitionDescription[];
}

export interface PartitionDescription {
  partition: number;
  /** Broker id of the leader; null while there is none. */
  leader: number | null;
  leaderEpoch: number;
  replicas: number[];
  inSyncReplicas: number[];
}

export type ConfigSource =
  | "topic"
  | "broker-dynamic"
  | "broker-default-dynamic"
  | "broker-static"
  | "default"
  | "other";

export interface ConfigEntry {
  value: string | null;
  source: ConfigSource;
}

/** Effective configuration, by Kafka's own names (`cleanup.policy`, `segment.bytes`, ...). */
export type ConfigEntries = Record<string, ConfigEntry>;

export interface ReplicaSize {
  topic: string;
  partition: number;
  brokerId: number;
  logDir: string;
  /** Sum of the sizes of the `.log` files of this replica. */
  bytes: number;
  /** Offsets that this replica is behind its leader's log end. */
  offsetLag: number;
}

export interface LogDirectory {
  brokerId: number;
  logDir: string;
  totalBytes: number | null;
  usableBytes: number | null;
  error: BrokerError | null;
}

/** Sizes of replicas (`isFuture` replicas are left out), and what each broker that failed said. */
export interface ReplicaSizes {
  replicas: ReplicaSize[];
  directories: LogDirectory[];
  failures: { brokerId: number; error: BrokerError }[];
}

export interface TopicPartition {
  topic: string;
  partition: number;
}

export interface PartitionOffsets {
  /** First offset that can be fetched. */
  logStart: number;
  /** High watermark, exclusive: the offset that the next committed record will get. */
  logEnd: number;
  /** Last stable offset: a read_committed reader gets the records below it. */
  lastStable: number;
}

export type GroupType = "classic" | "consumer" | "share" | "streams" | "unknown";

export interface GroupListing {
  group: string;
  type: GroupType;
  /** Kafka's word: Empty, Stable, PreparingRebalance, CompletingRebalance, Assigning, Reconciling, Dead. */
  state: string;
  protocolType: string;
}

export interface GroupOffset extends TopicPartition {
  offset: number;
}

/** What a client id may read per second on one broker, as configured; `unknown` where the right to ask is missing. */
export type ConsumerByteRate = number | "unlimited" | "unknown";

/** Requests and bytes that went over this broker object's connections since it was opened. */
export interface Traffic {
  requests: number;
  sentBytes: number;
  receivedBytes: number;
}

/**
 * One connected cluster. Every method rejects with a `BrokerError`; methods that ask about many things answer each of
 * them, so that one missing right or one dead broker costs only its own part.
 */
export interface Broker {
  readonly system: BrokerSystem;
  describeCluster(): Promise<ClusterDescription>;
  /** All topics that these credentials may see, or the named ones (a name that is not there is left out). */
  describeTopics(names?: readonly string[]): Promise<TopicDescription[]>;
  describeTopicConfigs(
    topics: readonly string[],
    keys: readonly string[],
  ): Promise<Map<string, Result<ConfigEntries, BrokerError>>>;
  describeBrokerConfigs(
    brokerIds: readonly number[],
    keys: readonly string[],
  ): Promise<Map<number, Result<ConfigEntries, BrokerError>>>;
  describeReplicaSizes(topics?: readonly string[]): Promise<ReplicaSizes>;
  /** Offsets at the leaders; the key of the map is `partitionKey(topic, partition)`. */
  listOffsets(partitions: readonly TopicPartition[]): Promise<Map<string, Result<PartitionOffsets, BrokerError>>>;
  /** @param onFailure called for each broker that can't tell its groups: the list then is short */
  listGroups(onFailure?: (brokerId: number, error: BrokerError) => void): Promise<GroupListing[]>;
  listGroupOffsets(group: string): Promise<GroupOffset[]>;
  describeConsumerByteRate(clientId: string): Promise<ConsumerByteRate>;
  openReplicaLog(target: ReplicaLogTarget): ReplicaLog;
  traffic(): Traffic;
  close(): Promise<void>;
}

/** Partition first: a topic's name may hold any character that a separator could be. */
export const partitionKey = (topic: string, partition: number): string => `${partition}:${topic}`;
