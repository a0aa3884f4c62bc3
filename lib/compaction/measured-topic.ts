/** What has to be asked of a cluster before a topic can be measured: leaders, sizes, settings, limits. */
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { Broker, ClusterKind, ConfigEntries, TopicDescription } from "#lib/brokers/broker-port.ts";
import type { CleanerSettings } from "#lib/compaction/probe/probe-input.ts";
import type { BrokerLimits } from "#lib/compaction/probe/probe-replica.ts";

const TOPIC_CONFIGS = ["cleanup.policy", "segment.bytes", "min.compaction.lag.ms"] as const;
const BROKER_CONFIGS = ["fetch.max.bytes", "log.cleaner.dedupe.buffer.size", "log.cleaner.threads"] as const;
/** Kafka's own defaults, taken where the right to read the topic's settings is missing. */
const DEFAULT_SEGMENT_BYTES = 1024 * 1024 * 1024;
/** A broker caps an answer at what a byte quota allows in its window: quota.window.num - 1 samples of a second. */
const QUOTA_WINDOW_SECONDS = 10;
/** SkimpyOffsetMap: 24 bytes an entry, filled to 0.9 at most. */
const OFFSET_MAP_ENTRY_BYTES = 24;
const OFFSET_MAP_LOAD = 0.9;

export interface MeasuredTopic {
  description: TopicDescription;
  /** On a kind that is not known to keep its log as Kafka does, clean points are not looked for. */
  kind: ClusterKind;
  settings: CleanerSettings;
  limits: BrokerLimits;
  /** Bytes of each replica by broker id, by partition; a broker that could not be asked is missing. */
  replicaBytes: Map<number, Map<number, number>>;
}

/** @throws BrokerError `topic-not-found` and whatever asking about the topic itself fails with */
export async function describeMeasuredTopic(broker: Broker, topic: string, clientId: string): Promise<MeasuredTopic> {
  const [description] = await broker.describeTopics([topic]);
  if (description === undefined) {
    throw new BrokerError(
      "topic-not-found",
      `There is no topic "${topic}" that these credentials may see. Check its name.`,
    );
  }
  const [{ kind }, settings, limits, replicaBytes] = await Promise.all([
    broker.describeCluster(),
    describeSettings(broker, topic),
    describeLimits(broker, brokerIdsOf(description), clientId),
    describeSizes(broker, topic),
  ]);
  return { description, kind, settings, limits, replicaBytes };
}

/** Sizes of a topic's replicas; empty where the right to describe log directories is missing. */
export async function describeSizes(broker: Broker, topic: string): Promise<MeasuredTopic["replicaBytes"]> {
  const sizes = new Map<number, Map<number, number>>();
  const described = await broker.describeReplicaSizes([topic]).catch(ignoreMissingRight);
  for (const { partition, brokerId, bytes } of described?.replicas ?? []) {
    const ofPartition = sizes.get(partition) ?? new Map<number, number>();
    sizes.set(partition, ofPartition.set(brokerId, bytes));
  }
  return sizes;
}

const brokerIdsOf = (topic: TopicDescription): number[] => [
  ...new Set(topic.partitions.flatMap((partition) => partition.replicas)),
];

async function describeSettings(broker: Broker, topic: string): Promise<CleanerSettings> {
  const described = (await broker.describeTopicConfigs([topic], TOPIC_CONFIGS)).get(topic);
  const entries = described?.ok ? described.value : {};
  return {
    segmentBytes: numberOf(entries, "segment.bytes") ?? DEFAULT_SEGMENT_BYTES,
    minCompactionLagMs: numberOf(entries, "min.compaction.lag.ms") ?? 0,
  };
}

async function describeLimits(broker: Broker, brokerIds: number[], clientId: string): Promise<BrokerLimits> {
  const [described, rate] = await Promise.all([
    broker.describeBrokerConfigs(brokerIds, BROKER_CONFIGS).catch(ignoreMissingRight),
    broker.describeConsumerByteRate(clientId).catch(() => "unknown" as const),
  ]);
  const brokers = brokerIds.map((id) => {
    const entries = described?.get(id);
    return entries?.ok ? entries.value : {};
  });
  const fetchMaxBytes = lowest(brokers.map((entries) => numberOf(entries, "fetch.max.bytes")));
  return {
    answerBytesMax:
      fetchMaxBytes === null || rate === "unknown"
        ? null
        : Math.min(fetchMaxBytes, rate === "unlimited" ? fetchMaxBytes : rate * QUOTA_WINDOW_SECONDS),
    offsetMapCapacity: lowest(brokers.map(offsetMapCapacity)),
  };
}

function offsetMapCapacity(entries: ConfigEntries): number | null {
  const buffer = numberOf(entries, "log.cleaner.dedupe.buffer.size");
  const threads = numberOf(entries, "log.cleaner.threads");
  if (buffer === null || threads === null || threads <= 0) return null;
  return Math.floor((buffer / threads / OFFSET_MAP_ENTRY_BYTES) * OFFSET_MAP_LOAD);
}

function numberOf(entries: ConfigEntries, key: string): number | null {
  const value = entries[key]?.value;
  if (value === undefined || value === null || value === "") return null;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : null;
}

/** The lowest of them, null where one is not known. */
function lowest(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === values.length && known.length > 0 ? Math.min(...known) : null;
}

function ignoreMissingRight(error: unknown): null {
  if (error instanceof BrokerError) return null;
  throw error;
}
