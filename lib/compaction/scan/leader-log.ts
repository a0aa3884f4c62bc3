import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { Broker, TopicPartition } from "#lib/brokers/broker-port.ts";
import type { ReplicaLog } from "#lib/brokers/replica-log-port.ts";

/** A broker that has just started may not know the topic yet: it is asked again before the topic counts as deleted. */
const ASKED_AGAIN = 3;
const ASK_AGAIN_AFTER_MS = 500;

/**
 * Opens the log of a partition at its present leader.
 * @throws BrokerError `topic-not-found` (deleted), `topic-recreated`, `leader-moved` (there is none now), ...
 */
export async function openLeaderLog(
  broker: Broker,
  target: TopicPartition & { topicId: string },
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<ReplicaLog> {
  const { topic, topicId, partition } = target;
  for (let asked = 0; ; asked++) {
    const [description] = await broker.describeTopics([topic]);
    if (description === undefined && asked < ASKED_AGAIN) {
      await sleep(ASK_AGAIN_AFTER_MS, signal);
      continue;
    }
    if (description === undefined) {
      throw new BrokerError("topic-not-found", `Topic "${topic}" was deleted while it was read.`);
    }
    if (description.topicId !== topicId) {
      throw new BrokerError(
        "topic-recreated",
        `Topic "${topic}" was deleted and made again while it was read. Measure the new one.`,
      );
    }
    const leader = description.partitions.find((one) => one.partition === partition)?.leader ?? null;
    if (leader === null) {
      throw new BrokerError("leader-moved", `Partition ${partition} of topic "${topic}" has no leader at the moment.`);
    }
    return broker.openReplicaLog({ topic, partition, topicId, brokerId: leader, isLeader: true });
  }
}
