/**
 * What these credentials may do, as the broker's own authorizer tells it (KIP-430): rights for changes are tried without
 * changing anything.
 */
import { describeGroupsV5, metadataV12 } from "@platformatic/kafka";
import type { BrokerConnections } from "#lib/brokers/kafka/broker-connections.ts";
import type { WireApi } from "#lib/brokers/kafka/wire-api.ts";

type MetadataAnswer = Awaited<ReturnType<typeof metadataV12.api.async>>;
type GroupsAnswer = Awaited<ReturnType<typeof describeGroupsV5.api.async>>;

const METADATA: WireApi<[topics: null, autoCreate: boolean, includeOperations: boolean], MetadataAnswer> = [
  metadataV12.api as never,
];
/** Only the operations are looked at: the states that it tells are wrong for groups of the consumer protocol. */
const DESCRIBE_GROUPS: WireApi<[groups: string[], includeOperations: boolean], GroupsAnswer> = [
  describeGroupsV5.api as never,
];

/** Codes of AclOperation, which are the bits of the answer. */
const BITS = { read: 3, delete: 6, describe: 8, "alter-configs": 11 } as const;

export type Operation = keyof typeof BITS;

/** Bits as a signed integer; null where the broker does not tell (Integer.MIN_VALUE). */
export type OperationBits = number | null;

export interface NamedOperations {
  name: string;
  bits: OperationBits;
}

const toBits = (operations: number): OperationBits => (operations === -2_147_483_648 ? null : operations);

export const allows = (bits: number, operation: Operation): boolean => (bits & (1 << BITS[operation])) !== 0;

/** Of all topics that may be described, internal ones left out. */
export async function readTopicOperations(connections: BrokerConnections): Promise<NamedOperations[]> {
  const answer = await connections.requestAny("asking for rights on topics", METADATA, [null, false, true]);
  return answer.topics
    .filter((topic) => topic.errorCode === 0 && !topic.isInternal && topic.name)
    .map((topic) => ({ name: topic.name!, bits: toBits(topic.topicAuthorizedOperations) }));
}

export interface GroupOperations extends NamedOperations {
  errorCode: number;
}

/** @param brokerId the groups' coordinator; null: any broker, which is enough to be refused */
export async function readGroupOperations(
  connections: BrokerConnections,
  brokerId: number | null,
  groups: string[],
): Promise<GroupOperations[]> {
  const doing = "asking for rights on groups";
  const args: [string[], boolean] = [groups, true];
  const answer =
    brokerId === null
      ? await connections.requestAny(doing, DESCRIBE_GROUPS, args)
      : await connections.request(brokerId, doing, DESCRIBE_GROUPS, args);
  return answer.groups.map(({ groupId, errorCode, authorizedOperations }) => ({
    name: groupId,
    errorCode,
    bits: toBits(authorizedOperations),
  }));
}
