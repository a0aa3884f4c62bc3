/** Log start, log end and last stable offset at the leaders, from ListOffsets requests. */
import { listOffsetsV7 } from "@platformatic/kafka";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { type PartitionOffsets, partitionKey, type TopicPartition } from "#lib/brokers/broker-port.ts";
import type { BrokerConnections, MetadataAnswer } from "#lib/brokers/kafka/broker-connections.ts";
import { brokerErrorFromCode } from "#lib/brokers/kafka/error-codes.ts";
import { toSafeNumber } from "#lib/brokers/kafka/safe-number.ts";
import type { WireApi } from "#lib/brokers/kafka/wire-api.ts";
import { fail, ok, type Result } from "#lib/platform/result.ts";

type ListOffsetsAnswer = Awaited<ReturnType<typeof listOffsetsV7.api.async>>;
type ListOffsetsTopics = Parameters<typeof listOffsetsV7.api.async>[3];

const LIST_OFFSETS: WireApi<[replica: number, isolationLevel: number, ListOffsetsTopics], ListOffsetsAnswer> = [
  listOffsetsV7.api as never,
];

const CONSUMER_REPLICA_ID = -1;
const EARLIEST = -2n;
const LATEST = -1n;

/** One request for each of them to each leader. */
const KINDS = [
  { field: "logStart", timestamp: EARLIEST, isolationLevel: 0 },
  { field: "logEnd", timestamp: LATEST, isolationLevel: 0 },
  { field: "lastStable", timestamp: LATEST, isolationLevel: 1 },
] as const;

const PARTITIONS_PER_REQUEST = 5_000;

type OffsetsByPartition = Map<string, Result<PartitionOffsets, BrokerError>>;

/** Partitions whose leader moved meanwhile are asked for once more, at the new one. */
export async function readLeaderOffsets(
  connections: BrokerConnections,
  partitions: readonly TopicPartition[],
): Promise<OffsetsByPartition> {
  if (partitions.length === 0) return new Map();
  const offsets = await askLeaders(connections, partitions);
  const moved = partitions.filter(({ topic, partition }) => {
    const result = offsets.get(partitionKey(topic, partition));
    return result && !result.ok && ["leader-moved", "unreachable"].includes(result.error.code);
  });
  if (moved.length === 0) return offsets;
  return new Map([...offsets, ...(await askLeaders(connections, moved))]);
}

async function askLeaders(
  connections: BrokerConnections,
  partitions: readonly TopicPartition[],
): Promise<OffsetsByPartition> {
  const answer = await connections.metadata([...new Set(partitions.map(({ topic }) => topic))]);
  const found: OffsetsByPartition = new Map();
  const byLeader = new Map<number, TopicPartition[]>();
  const leaderOf = indexLeaders(answer);
  for (const each of partitions) {
    const leader = leaderOf(each);
    if (!leader.ok) found.set(partitionKey(each.topic, each.partition), leader);
    else byLeader.set(leader.value, [...(byLeader.get(leader.value) ?? []), each]);
  }
  const batches = [...byLeader].flatMap(([leader, all]) => split(all).map((some) => ({ leader, some })));
  await Promise.all(batches.map(({ leader, some }) => addBatch(connections, leader, some, found)));
  return found;
}

function indexLeaders(answer: MetadataAnswer): (partition: TopicPartition) => Result<number, BrokerError> {
  const topics = new Map(answer.topics.map((topic) => [topic.name, topic]));
  const partitions = new Map(
    answer.topics.flatMap((topic) =>
      topic.partitions.map((each) => [partitionKey(topic.name ?? "", each.partitionIndex), each] as const),
    ),
  );
  return ({ topic, partition }) => {
    const doing = `looking up the leader of partition ${partition} of topic ${JSON.stringify(topic)}`;
    const found = partitions.get(partitionKey(topic, partition));
    if (found && found.leaderId >= 0) return ok(found.leaderId);
    const errorCode = found?.errorCode || topics.get(topic)?.errorCode || UNKNOWN_TOPIC_OR_PARTITION;
    return fail(brokerErrorFromCode(errorCode, doing));
  };
}

const UNKNOWN_TOPIC_OR_PARTITION = 3;

async function addBatch(
  connections: BrokerConnections,
  leader: number,
  partitions: readonly TopicPartition[],
  found: OffsetsByPartition,
): Promise<void> {
  const record = ({ topic, partition }: TopicPartition, result: Result<PartitionOffsets, BrokerError>) =>
    found.set(partitionKey(topic, partition), result);
  try {
    const kinds = await Promise.all(KINDS.map((kind) => askForKind(connections, leader, partitions, kind)));
    for (const each of partitions) record(each, combine(kinds, each));
  } catch (error) {
    for (const each of partitions) record(each, fail(error as BrokerError));
  }
}

async function askForKind(
  connections: BrokerConnections,
  leader: number,
  partitions: readonly TopicPartition[],
  { timestamp, isolationLevel }: (typeof KINDS)[number],
): Promise<Map<string, Result<number, BrokerError>>> {
  const topics = groupByTopic(partitions, timestamp);
  const doing = `listing offsets at broker ${leader}`;
  const answer = await connections.request(leader, doing, LIST_OFFSETS, [CONSUMER_REPLICA_ID, isolationLevel, topics]);
  const offsets = new Map<string, Result<number, BrokerError>>();
  for (const topic of answer.topics) {
    for (const { partitionIndex, errorCode, offset } of topic.partitions) {
      const what = `listing offsets of partition ${partitionIndex} of topic ${JSON.stringify(topic.name)}`;
      const result = errorCode === 0 ? toOffset(offset, what) : fail(brokerErrorFromCode(errorCode, what));
      offsets.set(partitionKey(topic.name, partitionIndex), result);
    }
  }
  return offsets;
}

function toOffset(offset: bigint, what: string): Result<number, BrokerError> {
  // Below zero: the leader knows no such offset.
  if (offset < 0n) return fail(new BrokerError("protocol", `No offset came back while ${what}.`));
  return ok(toSafeNumber(offset, `The offset found while ${what}`));
}

function combine(
  kinds: readonly Map<string, Result<number, BrokerError>>[],
  { topic, partition }: TopicPartition,
): Result<PartitionOffsets, BrokerError> {
  const offsets = { logStart: 0, logEnd: 0, lastStable: 0 };
  for (const [index, { field }] of KINDS.entries()) {
    const result = kinds[index]!.get(partitionKey(topic, partition));
    if (!result) return fail(new BrokerError("protocol", `The leader left out partition ${partition} of ${topic}.`));
    if (!result.ok) return result;
    offsets[field] = result.value;
  }
  return ok(offsets);
}

function groupByTopic(partitions: readonly TopicPartition[], timestamp: bigint): ListOffsetsTopics {
  const topics = new Map<string, ListOffsetsTopics[number]["partitions"]>();
  for (const { topic, partition } of partitions) {
    const list = topics.get(topic) ?? [];
    list.push({ partitionIndex: partition, currentLeaderEpoch: -1, timestamp });
    topics.set(topic, list);
  }
  return [...topics].map(([name, list]) => ({ name, partitions: list }));
}

function split(partitions: readonly TopicPartition[]): TopicPartition[][] {
  const batches: TopicPartition[][] = [];
  for (let start = 0; start < partitions.length; start += PARTITIONS_PER_REQUEST) {
    batches.push(partitions.slice(start, start + PARTITIONS_PER_REQUEST));
  }
  return batches;
}
