/** The broker port over Kafka's protocol. Each method's requests are in a file of their own. */
import type { BrokerError } from "#lib/brokers/broker-error.ts";
import type { Broker, ClusterDescription, TopicPartition } from "#lib/brokers/broker-port.ts";
import type { BrokerConnections } from "#lib/brokers/kafka/broker-connections.ts";
import { readConsumerByteRate } from "#lib/brokers/kafka/client-quotas.ts";
import { recogniseCluster } from "#lib/brokers/kafka/cluster-kind.ts";
import { readCluster, readTopics } from "#lib/brokers/kafka/cluster-metadata.ts";
import { readGroupOffsets } from "#lib/brokers/kafka/group-offsets.ts";
import { readGroups } from "#lib/brokers/kafka/groups.ts";
import { readLeaderOffsets } from "#lib/brokers/kafka/leader-offsets.ts";
import { KafkaReplicaLog } from "#lib/brokers/kafka/replica-log.ts";
import { readReplicaSizes } from "#lib/brokers/kafka/replica-sizes.ts";
import { readBrokerConfigs, readTopicConfigs } from "#lib/brokers/kafka/topic-configs.ts";
import type { ReplicaLog, ReplicaLogTarget } from "#lib/brokers/replica-log-port.ts";

export class KafkaBroker implements Broker {
  readonly system = "kafka";
  readonly #connections: BrokerConnections;
  readonly #user: string | null;

  /** @param user principal name that the credentials get on the broker; null where only the broker knows it */
  constructor(connections: BrokerConnections, user: string | null) {
    this.#connections = connections;
    this.#user = user;
  }

  async describeCluster(): Promise<ClusterDescription> {
    const cluster = await readCluster(this.#connections);
    return { ...cluster, kind: recogniseCluster(await this.#connections.offeredVersions()) };
  }

  describeTopics(names?: readonly string[]) {
    return readTopics(this.#connections, names);
  }

  describeTopicConfigs(topics: readonly string[], keys: readonly string[]) {
    return readTopicConfigs(this.#connections, topics, keys);
  }

  describeBrokerConfigs(brokerIds: readonly number[], keys: readonly string[]) {
    return readBrokerConfigs(this.#connections, brokerIds, keys);
  }

  async describeReplicaSizes(topics?: readonly string[]) {
    return readReplicaSizes(this.#connections, topics && (await readTopics(this.#connections, topics)));
  }

  listOffsets(partitions: readonly TopicPartition[]) {
    return readLeaderOffsets(this.#connections, partitions);
  }

  listGroups(onFailure?: (brokerId: number, error: BrokerError) => void) {
    return readGroups(this.#connections, onFailure);
  }

  listGroupOffsets(group: string) {
    return readGroupOffsets(this.#connections, group);
  }

  describeConsumerByteRate(clientId: string) {
    return readConsumerByteRate(this.#connections, clientId, this.#user);
  }

  openReplicaLog(target: ReplicaLogTarget): ReplicaLog {
    return new KafkaReplicaLog({
      target,
      connect: () => this.#connections.openDedicated(target.brokerId),
      clientId: this.#connections.clientId,
    });
  }

  traffic() {
    return this.#connections.traffic();
  }

  close() {
    return this.#connections.close();
  }
}
