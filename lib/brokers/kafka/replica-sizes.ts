/** Sizes of replicas and state of log directories, from DescribeLogDirs requests to every broker. */
import { describeLogDirsV4 } from "@platformatic/kafka";
import type { BrokerError } from "#lib/brokers/broker-error.ts";
import type { LogDirectory, ReplicaSize, ReplicaSizes, TopicDescription } from "#lib/brokers/broker-port.ts";
import type { BrokerConnections } from "#lib/brokers/kafka/broker-connections.ts";
import { brokerErrorFromCode } from "#lib/brokers/kafka/error-codes.ts";
import { toSafeNumber } from "#lib/brokers/kafka/safe-number.ts";
import type { WireApi } from "#lib/brokers/kafka/wire-api.ts";

interface LogDirsTopic {
  name: string;
  partitions: number[];
}

type LogDirsAnswer = Awaited<ReturnType<typeof describeLogDirsV4.api.async>>;

const DESCRIBE_LOG_DIRS: WireApi<[LogDirsTopic[] | null], LogDirsAnswer> = [describeLogDirsV4.api as never];

/** @param topics undefined: all replicas of these brokers */
export async function readReplicaSizes(
  connections: BrokerConnections,
  topics: readonly TopicDescription[] | undefined,
): Promise<ReplicaSizes> {
  const sizes: ReplicaSizes = { replicas: [], directories: [], failures: [] };
  if (topics?.length === 0) return sizes;
  const wanted = topics?.map(({ name, partitions }) => ({ name, partitions: partitions.map((p) => p.partition) }));
  // A broker that holds a replica and is down is not among the live ones, and has to be told as failed.
  const holders = topics?.flatMap(({ partitions }) => partitions.flatMap(({ replicas }) => replicas));
  const live = holders ? await connections.brokerIds() : await connections.brokerIdsWithAbsent();
  const brokerIds = new Set([...live, ...(holders ?? [])]);
  await Promise.all([...brokerIds].map((brokerId) => addBroker(connections, brokerId, wanted ?? null, sizes)));
  sizes.replicas.sort((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : a.partition - b.partition));
  return sizes;
}

async function addBroker(
  connections: BrokerConnections,
  brokerId: number,
  topics: LogDirsTopic[] | null,
  sizes: ReplicaSizes,
): Promise<void> {
  const doing = `describing the log directories of broker ${brokerId}`;
  try {
    const answer = await connections.request(brokerId, doing, DESCRIBE_LOG_DIRS, [topics]);
    if (answer.errorCode !== 0) throw brokerErrorFromCode(answer.errorCode, doing);
    for (const directory of answer.results) addDirectory(brokerId, directory, sizes);
  } catch (error) {
    sizes.failures.push({ brokerId, error: error as BrokerError });
  }
}

function addDirectory(brokerId: number, answer: LogDirsAnswer["results"][number], sizes: ReplicaSizes): void {
  sizes.directories.push(toDirectory(brokerId, answer));
  for (const { name, partitions } of answer.topics) {
    for (const partition of partitions) {
      // A replica that is being moved to another directory of the same broker; the current one counts.
      if (!partition.isFutureKey) sizes.replicas.push(toReplica(brokerId, answer.logDir, name, partition));
    }
  }
}

function toDirectory(brokerId: number, answer: LogDirsAnswer["results"][number]): LogDirectory {
  const { logDir, errorCode } = answer;
  return {
    brokerId,
    logDir,
    totalBytes: orNull(answer.totalBytes, `The size of ${logDir}`),
    usableBytes: orNull(answer.usableBytes, `The free space of ${logDir}`),
    error: errorCode === 0 ? null : brokerErrorFromCode(errorCode, `reading ${logDir} of broker ${brokerId}`),
  };
}

/** -1: the broker does not know (KIP-827). */
const orNull = (bytes: bigint, what: string): number | null => (bytes < 0n ? null : toSafeNumber(bytes, what));

type PartitionAnswer = LogDirsAnswer["results"][number]["topics"][number]["partitions"][number];

const toReplica = (brokerId: number, logDir: string, topic: string, partition: PartitionAnswer): ReplicaSize => ({
  topic,
  partition: partition.partitionIndex,
  brokerId,
  logDir,
  bytes: toSafeNumber(partition.partitionSize, `The size of ${topic}-${partition.partitionIndex}`),
  offsetLag: toSafeNumber(partition.offsetLag, `The lag of ${topic}-${partition.partitionIndex}`),
});
