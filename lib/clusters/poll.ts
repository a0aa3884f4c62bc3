/** Asks a cluster for all that a poll stores. Its only I/O is the broker port. */
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { Broker, TopicDescription, TopicPartition } from "#lib/brokers/broker-port.ts";
import type { PollSnapshot } from "#lib/clusters/poll-snapshot.ts";
import { COMPACTION_CONFIG_KEYS, isCompacted } from "#lib/topics/settings.ts";

/** Configurations change rarely; those of a new topic are asked for at once. */
const SETTINGS_AGE_MAX_MS = 60_000;

/** When the settings of a topic were asked for last, and the policy that they named. By topic id. */
export type PolicyCache = Map<string, { askedAt: number; cleanupPolicy: string | null }>;

/** Rejects with a `BrokerError` where the cluster can't be described; a right that is missing costs only its own part. */
export async function pollCluster(broker: Broker, policies: PolicyCache, now: () => number): Promise<PollSnapshot> {
  const at = now();
  const cluster = await broker.describeCluster();
  const topics = await broker.describeTopics();
  const settings = await askSettings(broker, topics, policies, at);
  const compactedTopics = topics.filter((topic) => isCompacted(policies.get(topic.topicId)?.cleanupPolicy ?? null));
  const names = compactedTopics.map((topic) => topic.name);
  const partitions = compactedTopics.flatMap(listLedPartitions);
  const offsets = partitions.length === 0 ? new Map() : await broker.listOffsets(partitions).catch(emptyWithoutRight);
  const sizes = names.length === 0 ? null : await broker.describeReplicaSizes(names).catch(nullWithoutRight);
  return { at, cluster, topics, settings, compacted: new Set(names), offsets, sizes };
}

async function askSettings(
  broker: Broker,
  topics: readonly TopicDescription[],
  policies: PolicyCache,
  at: number,
): Promise<PollSnapshot["settings"]> {
  const present = new Set(topics.map((topic) => topic.topicId));
  for (const topicId of policies.keys()) if (!present.has(topicId)) policies.delete(topicId);
  const due = topics.filter((topic) => at - (policies.get(topic.topicId)?.askedAt ?? 0) >= SETTINGS_AGE_MAX_MS);
  if (due.length === 0) return new Map();
  const names = due.map((topic) => topic.name);
  const settings = await broker.describeTopicConfigs(names, COMPACTION_CONFIG_KEYS);
  for (const { name, topicId } of due) {
    const result = settings.get(name);
    const before = policies.get(topicId)?.cleanupPolicy ?? null;
    const cleanupPolicy = result?.ok ? (result.value["cleanup.policy"]?.value ?? null) : before;
    policies.set(topicId, { askedAt: at, cleanupPolicy });
  }
  return settings;
}

const listLedPartitions = (topic: TopicDescription): TopicPartition[] =>
  topic.partitions
    .filter((partition) => partition.leader !== null)
    .map(({ partition }) => ({ topic: topic.name, partition }));

const MISSING_RIGHTS: ReadonlySet<string> = new Set(["authorization-failed", "unsupported-version"]);

function nullWithoutRight(error: unknown): null {
  if (error instanceof BrokerError && MISSING_RIGHTS.has(error.code)) return null;
  throw error;
}

const emptyWithoutRight = (error: unknown): PollSnapshot["offsets"] => {
  nullWithoutRight(error);
  return new Map();
};
