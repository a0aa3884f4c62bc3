/** Topics of a test: made, and seen by every broker, before anything is written. */
import { Admin, ConfigResourceTypes, IncrementalAlterConfigOperationTypes } from "@platformatic/kafka";
import type { KafkaCluster } from "./kafka-cluster.ts";

export interface TopicSpec {
  topic: string;
  partitions?: number;
  replicas?: number;
  /** Broker ids of each partition's replicas, leader first; instead of `partitions` and `replicas`. */
  assignments?: number[][];
  configs?: Record<string, string>;
}

async function withAdmin<T>(servers: string, use: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Admin({ clientId: "test-admin", bootstrapBrokers: servers.split(","), retries: 3 });
  try {
    return await use(admin);
  } finally {
    await admin.close();
  }
}

/** Resolves when every partition has a leader. */
export function createTopic(cluster: Pick<KafkaCluster, "servers">, spec: TopicSpec): Promise<void> {
  return withAdmin(cluster.servers, async (admin) => {
    await admin.createTopics({
      topics: [spec.topic],
      ...(spec.assignments
        ? { assignments: spec.assignments.map((brokers, partition) => ({ partition, brokers })) }
        : { partitions: spec.partitions ?? 1, replicas: spec.replicas ?? 1 }),
      configs: Object.entries(spec.configs ?? {}).map(([name, value]) => ({ name, value })),
    });
    const wanted = spec.assignments?.length ?? spec.partitions ?? 1;
    for (let tries = 0; ; tries++) {
      const metadata = await admin.metadata({ topics: [spec.topic] }).catch(() => null);
      const partitions = metadata?.topics.get(spec.topic)?.partitions ?? [];
      if (partitions.filter(({ leader }) => leader >= 0).length === wanted) return;
      if (tries === 300) throw new Error(`topic ${spec.topic} has no leaders`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
}

export function alterTopicConfigs(
  cluster: Pick<KafkaCluster, "servers">,
  topic: string,
  configs: Record<string, string>,
): Promise<void> {
  return withAdmin(cluster.servers, async (admin) => {
    await admin.incrementalAlterConfigs({
      resources: [
        {
          resourceType: ConfigResourceTypes.TOPIC,
          resourceName: topic,
          configs: Object.entries(configs).map(([name, value]) => ({
            name,
            value,
            configOperation: IncrementalAlterConfigOperationTypes.SET,
          })),
        },
      ],
    });
  });
}

/** Moves the log start of a partition (DeleteRecords); Kafka refuses it where `delete` is no cleanup policy. */
export function deleteRecordsBefore(
  cluster: Pick<KafkaCluster, "servers">,
  topic: string,
  partition: number,
  offset: number,
): Promise<void> {
  return withAdmin(cluster.servers, async (admin) => {
    await admin.deleteRecords({ topics: [{ name: topic, partitions: [{ partition, offset: BigInt(offset) }] }] });
  });
}

export const deleteTopic = (cluster: Pick<KafkaCluster, "servers">, topic: string): Promise<void> =>
  withAdmin(cluster.servers, (admin) => admin.deleteTopics({ topics: [topic] }));
