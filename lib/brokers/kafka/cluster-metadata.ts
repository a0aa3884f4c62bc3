/** Brokers, topics and partitions, from Metadata requests. */
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { BrokerNode, PartitionDescription, TopicDescription } from "#lib/brokers/broker-port.ts";
import type { BrokerConnections, MetadataAnswer } from "#lib/brokers/kafka/broker-connections.ts";
import { brokerErrorFromCode, nameErrorCode } from "#lib/brokers/kafka/error-codes.ts";

export interface ClusterMetadata {
  clusterId: string;
  controllerId: number | null;
  brokers: BrokerNode[];
}

export async function readCluster(connections: BrokerConnections): Promise<ClusterMetadata> {
  const answer = await connections.metadata([]);
  if (!answer.clusterId) {
    throw new BrokerError(
      "protocol",
      "The cluster tells no cluster id. Keyfold's history hangs on it: use Apache Kafka 3.5 or newer.",
    );
  }
  return {
    clusterId: answer.clusterId,
    controllerId: answer.controllerId < 0 ? null : answer.controllerId,
    brokers: answer.brokers.map(({ nodeId, host, port, rack }) => ({
      brokerId: nodeId,
      host,
      port,
      rack: rack ?? null,
    })),
  };
}

type TopicAnswer = MetadataAnswer["topics"][number];

/**
 * @param names undefined: all topics that may be seen. Named topics that are not there, or may not be seen, are left out.
 * @throws BrokerError where nothing is left and a topic was refused
 */
export async function readTopics(
  connections: BrokerConnections,
  names: readonly string[] | undefined,
): Promise<TopicDescription[]> {
  if (names?.length === 0) return [];
  const answer = await connections.metadata(names ? [...new Set(names)] : null);
  const topics = answer.topics.filter((topic) => hasDescription(topic)).map(toTopicDescription);
  const refused = answer.topics.find((topic) => !hasDescription(topic) && !isMissing(topic));
  if (topics.length === 0 && refused) {
    throw brokerErrorFromCode(refused.errorCode, `describing topic ${JSON.stringify(refused.name)}`);
  }
  return topics;
}

/** A topic without a leader somewhere still comes with its partitions. */
const hasDescription = (topic: TopicAnswer): boolean =>
  typeof topic.name === "string" &&
  (topic.errorCode === 0 || nameErrorCode(topic.errorCode) === "LEADER_NOT_AVAILABLE");

/** An invalid name is a name that no topic can have. */
const isMissing = (topic: TopicAnswer): boolean =>
  ["UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_TOPIC_ID", "INVALID_TOPIC_EXCEPTION"].includes(
    nameErrorCode(topic.errorCode),
  );

const toTopicDescription = (topic: TopicAnswer): TopicDescription => ({
  name: topic.name!,
  topicId: topic.topicId,
  internal: topic.isInternal,
  partitions: topic.partitions.map(toPartition).sort((a, b) => a.partition - b.partition),
});

const toPartition = (partition: TopicAnswer["partitions"][number]): PartitionDescription => ({
  partition: partition.partitionIndex,
  leader: partition.leaderId < 0 ? null : partition.leaderId,
  leaderEpoch: partition.leaderEpoch,
  replicas: partition.replicaNodes,
  inSyncReplicas: partition.isrNodes,
});
