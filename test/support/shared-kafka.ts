/**
 * One cluster per Kafka version for all test files of a run: the files run one after another in one process, and the
 * brokers end with it. Topics are told apart by name; tests that stop brokers or change limits start their own.
 */
import { type KafkaCluster, type KafkaVersion, startKafka } from "./kafka-cluster.ts";

const KEY = Symbol.for("keyfold.test.shared-kafka");
type Shared = typeof globalThis & { [KEY]?: Map<KafkaVersion, Promise<KafkaCluster>> };

export function sharedKafka(version: KafkaVersion): Promise<KafkaCluster> {
  const scope = globalThis as Shared;
  scope[KEY] ??= new Map();
  let cluster = scope[KEY].get(version);
  if (!cluster) {
    cluster = startKafka({ version });
    scope[KEY].set(version, cluster);
  }
  return cluster;
}
