/** Tries each right that Keyfold uses, without changing anything on the cluster. */
import {
  describeClientQuotasV1,
  describeLogDirsV4,
  describeTransactionsV0,
  listTransactionsV0,
} from "@platformatic/kafka";
import {
  countGranted,
  type RightFinding,
  type RightId,
  type RightReport,
  reportRights,
} from "#lib/brokers/access-report.ts";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import {
  allows,
  type GroupOperations,
  type NamedOperations,
  type Operation,
  readGroupOperations,
  readTopicOperations,
} from "#lib/brokers/kafka/authorized-operations.ts";
import type { BrokerConnections } from "#lib/brokers/kafka/broker-connections.ts";
import { brokerErrorFromCode, nameErrorCode } from "#lib/brokers/kafka/error-codes.ts";
import { readGroupsOf } from "#lib/brokers/kafka/groups.ts";
import { readBrokerConfigs, readTopicConfigs } from "#lib/brokers/kafka/topic-configs.ts";
import type { WireApi } from "#lib/brokers/kafka/wire-api.ts";

type AnswerOf<Api extends { async: (...args: never[]) => Promise<unknown> }> = Awaited<ReturnType<Api["async"]>>;

const LOG_DIRS: WireApi<[topics: []], AnswerOf<typeof describeLogDirsV4.api>> = [describeLogDirsV4.api as never];
const QUOTAS: WireApi<[components: [], strict: boolean], AnswerOf<typeof describeClientQuotasV1.api>> = [
  describeClientQuotasV1.api as never,
];
const LIST_TRANSACTIONS: WireApi<[states: [], producerIds: []], AnswerOf<typeof listTransactionsV0.api>> = [
  listTransactionsV0.api as never,
];
const DESCRIBE_TRANSACTIONS: WireApi<[ids: string[]], AnswerOf<typeof describeTransactionsV0.api>> = [
  describeTransactionsV0.api as never,
];

/** A name that nothing has: whether it may be described shows before the broker looks for it. */
const MADE_UP = "keyfold-check-access";
const MOST_GROUPS = 500;
const MOST_TOPICS = 1_000;

const NOT_TOLD = "not tried, because this system does not tell which operations are allowed (KIP-430)";
const READ_ONLY = "not tried, because the cluster is configured with readOnly: true";

/** @param changes null where the cluster is read-only */
export async function checkKafkaAccess(
  reading: BrokerConnections,
  changes: BrokerConnections | null,
): Promise<RightReport[]> {
  const topics = await readTopicOperations(reading);
  const groups = await collectGroups(reading);
  const findings: Partial<Record<RightId, RightFinding>> = {
    "describe-topics": findVisibleTopics(topics),
    "read-topics": findOperation(topics, "read", "topic"),
    "describe-configs-topics": await tryTopicConfigs(reading, topics),
    "describe-cluster": await tryLogDirs(reading),
    "describe-configs-cluster": await tryClusterConfigs(reading),
    "describe-groups": await tryGroups(reading, groups),
    "describe-transactional-ids": await tryTransactionalIds(reading),
  };
  return reportRights({ ...findings, ...(await checkChanges(changes)) } as Record<RightId, RightFinding>);
}

async function checkChanges(changes: BrokerConnections | null): Promise<Partial<Record<RightId, RightFinding>>> {
  const ids = ["commit-groups", "commit-topics", "delete-groups", "alter-configs-topics"] as const;
  if (!changes) return Object.fromEntries(ids.map((id) => [id, { outcome: "not-tried", detail: READ_ONLY }]));
  const topics = await readTopicOperations(changes);
  const groups = await collectGroups(changes);
  return {
    "commit-groups": findOperation(groups, "read", "group"),
    "commit-topics": findOperation(topics, "read", "topic"),
    "delete-groups": findOperation(groups, "delete", "group"),
    "alter-configs-topics": findOperation(topics, "alter-configs", "topic"),
  };
}

function findVisibleTopics(topics: readonly NamedOperations[]): RightFinding {
  if (topics.length > 0) return { outcome: "granted", detail: `on ${topics.length} topics; others can't be seen` };
  return { outcome: "missing", detail: "no topic can be seen: there is none, or none may be described" };
}

function findOperation(named: readonly NamedOperations[], operation: Operation, noun: string): RightFinding {
  const told = named.filter(({ bits }) => bits !== null);
  if (told.length === 0 && named.length > 0) return { outcome: "not-tried", detail: NOT_TOLD };
  const granted = told.filter(({ bits }) => allows(bits!, operation)).map(({ name }) => name);
  const refused = told.filter(({ bits }) => !allows(bits!, operation)).map(({ name }) => name);
  return countGranted(granted, refused, noun);
}

async function tryTopicConfigs(
  connections: BrokerConnections,
  topics: readonly NamedOperations[],
): Promise<RightFinding> {
  const names = topics.slice(0, MOST_TOPICS).map(({ name }) => name);
  const configs = [...(await readTopicConfigs(connections, names, ["cleanup.policy"]))];
  const granted = configs.filter(([, result]) => result.ok).map(([name]) => name);
  const refused = configs.filter(([, result]) => isRefusal(result.ok ? null : result.error)).map(([name]) => name);
  return countGranted(granted, refused, "topic");
}

const isRefusal = (error: unknown): boolean => error instanceof BrokerError && error.code === "authorization-failed";

/** Runs what needs a right: refused means missing, anything else that fails means that nothing was learnt. */
async function tryRight(granted: string, attempt: () => Promise<void>): Promise<RightFinding> {
  try {
    await attempt();
    return { outcome: "granted", detail: granted };
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    if (isRefusal(error)) return { outcome: "missing", detail: error.message };
    return { outcome: "not-tried", detail: `not tried, because: ${error.message}` };
  }
}

/** No topic is named, so that the answer stays small. */
const tryLogDirs = (connections: BrokerConnections): Promise<RightFinding> =>
  tryRight("log directories of every broker are told", async () => {
    for (const brokerId of await connections.brokerIds()) {
      const doing = `describing the log directories of broker ${brokerId}`;
      const answer = await connections.request(brokerId, doing, LOG_DIRS, [[]]);
      if (answer.errorCode !== 0) throw brokerErrorFromCode(answer.errorCode, doing);
    }
  });

const tryClusterConfigs = (connections: BrokerConnections): Promise<RightFinding> =>
  tryRight("settings of every broker and client quotas are told", async () => {
    const configs = await readBrokerConfigs(connections, await connections.brokerIds(), ["log.cleaner.threads"]);
    for (const result of configs.values()) if (!result.ok) throw result.error;
    const doing = "describing client quotas";
    const answer = await connections.requestAny(doing, QUOTAS, [[], false]);
    if (answer.errorCode !== 0) throw brokerErrorFromCode(answer.errorCode, doing);
  });

/** Groups that are listed, with the rights on each, asked at the broker that listed them. */
async function collectGroups(connections: BrokerConnections): Promise<GroupOperations[]> {
  const found: GroupOperations[] = [];
  for (const brokerId of await connections.brokerIds()) {
    const listed = await readGroupsOf(connections, brokerId).catch((error: unknown) => {
      if (error instanceof BrokerError) return [];
      throw error;
    });
    const names = listed.slice(0, MOST_GROUPS - found.length).map(({ group }) => group);
    if (names.length > 0) found.push(...(await readGroupOperations(connections, brokerId, names)));
  }
  return found;
}

async function tryGroups(connections: BrokerConnections, groups: readonly GroupOperations[]): Promise<RightFinding> {
  if (groups.length === 0) return tryMadeUpGroup(connections);
  const isRefused = ({ errorCode }: GroupOperations) => nameErrorCode(errorCode) === "GROUP_AUTHORIZATION_FAILED";
  const names = (some: readonly GroupOperations[]) => some.map(({ name }) => name);
  return countGranted(names(groups.filter((group) => !isRefused(group))), names(groups.filter(isRefused)), "group");
}

async function tryMadeUpGroup(connections: BrokerConnections): Promise<RightFinding> {
  const [group] = await readGroupOperations(connections, null, [MADE_UP]);
  if (group && nameErrorCode(group.errorCode) === "GROUP_AUTHORIZATION_FAILED") {
    return { outcome: "missing", detail: "no group can be seen, and a made-up name may not be described" };
  }
  return { outcome: "granted", detail: "no group can be seen; a made-up name may be described" };
}

/** DescribeTransactions is refused before the coordinator is looked for, so that any broker will do. */
async function tryTransactionalIds(connections: BrokerConnections): Promise<RightFinding> {
  const visible = await countTransactionalIds(connections);
  if (visible > 0) return { outcome: "granted", detail: `on ${visible} transactional ids; others can't be seen` };
  try {
    const doing = "describing a transaction";
    const answer = await connections.requestAny(doing, DESCRIBE_TRANSACTIONS, [[MADE_UP]]);
    const name = nameErrorCode(answer.transactionStates[0]?.errorCode ?? 0);
    if (name === "TRANSACTIONAL_ID_AUTHORIZATION_FAILED") {
      return { outcome: "missing", detail: "no transactional id can be seen, and a made-up one may not be described" };
    }
    return { outcome: "granted", detail: "no transactional id can be seen; a made-up one may be described" };
  } catch (error) {
    if (error instanceof BrokerError) return { outcome: "not-tried", detail: `not tried, because: ${error.message}` };
    throw error;
  }
}

async function countTransactionalIds(connections: BrokerConnections): Promise<number> {
  let count = 0;
  for (const brokerId of await connections.brokerIds()) {
    try {
      const answer = await connections.request(brokerId, "listing transactions", LIST_TRANSACTIONS, [[], []]);
      count += answer.transactionStates.length;
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
    }
  }
  return count;
}
