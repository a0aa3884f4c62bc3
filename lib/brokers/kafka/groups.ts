/**
 * Consumer groups with type and state, from ListGroups requests to every broker (each lists those that it coordinates).
 * DescribeGroups is not used: it calls a group of the consumer protocol (KIP-848) Dead, as one that is not there.
 */
import { listGroupsV4, listGroupsV5 } from "@platformatic/kafka";
import type { BrokerError } from "#lib/brokers/broker-error.ts";
import type { GroupListing, GroupType } from "#lib/brokers/broker-port.ts";
import type { BrokerConnections } from "#lib/brokers/kafka/broker-connections.ts";
import { brokerErrorFromCode } from "#lib/brokers/kafka/error-codes.ts";
import type { WireApi } from "#lib/brokers/kafka/wire-api.ts";

type GroupsAnswer = Awaited<ReturnType<typeof listGroupsV5.api.async>>;

/** Version 5 (Kafka 3.8) brings the type; before, all groups were classic ones but for previews. */
const LIST_GROUPS: WireApi<[states: string[], types: string[]], GroupsAnswer> = [
  listGroupsV5.api as never,
  listGroupsV4.api as never,
];

const TYPES: readonly string[] = ["classic", "consumer", "share", "streams"] satisfies GroupType[];

/**
 * @param onFailure called for each broker that can't tell its groups, so that the caller knows the list to be short
 * @throws BrokerError where none can
 */
export async function readGroups(
  connections: BrokerConnections,
  onFailure: (brokerId: number, error: BrokerError) => void = () => {},
): Promise<GroupListing[]> {
  const brokerIds = await connections.brokerIds();
  const groups = new Map<string, GroupListing>();
  const failures: BrokerError[] = [];
  const ask = async (brokerId: number): Promise<void> => {
    try {
      for (const listing of await readGroupsOf(connections, brokerId)) groups.set(listing.group, listing);
    } catch (error) {
      failures.push(error as BrokerError);
      onFailure(brokerId, error as BrokerError);
    }
  };
  await Promise.all(brokerIds.map(ask));
  if (failures.length > 0 && failures.length === brokerIds.length) throw failures[0]!;
  return [...groups.values()].sort((a, b) => (a.group < b.group ? -1 : 1));
}

/** Those that this broker coordinates and that may be described. */
export async function readGroupsOf(connections: BrokerConnections, brokerId: number): Promise<GroupListing[]> {
  const doing = `listing the groups of broker ${brokerId}`;
  const answer = await connections.request(brokerId, doing, LIST_GROUPS, [[], []]);
  if (answer.errorCode !== 0) throw brokerErrorFromCode(answer.errorCode, doing);
  return answer.groups.map(({ groupId, groupType, groupState, protocolType }) => ({
    group: groupId,
    type: toType(groupType),
    state: groupState,
    protocolType,
  }));
}

function toType(type: string): GroupType {
  const lower = type.toLowerCase();
  return TYPES.includes(lower) ? (lower as GroupType) : "unknown";
}
