/** Committed offsets of a group, from its coordinator. */
import { findCoordinatorV4, offsetFetchV8 } from "@platformatic/kafka";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { GroupOffset } from "#lib/brokers/broker-port.ts";
import type { BrokerConnections } from "#lib/brokers/kafka/broker-connections.ts";
import { brokerErrorFromCode } from "#lib/brokers/kafka/error-codes.ts";
import { toSafeNumber } from "#lib/brokers/kafka/safe-number.ts";
import type { WireApi } from "#lib/brokers/kafka/wire-api.ts";

type CoordinatorAnswer = Awaited<ReturnType<typeof findCoordinatorV4.api.async>>;
type OffsetFetchAnswer = Awaited<ReturnType<typeof offsetFetchV8.api.async>>;
/** `topics: null`: every topic that the group has committed for and that may be seen. */
interface OffsetFetchGroup {
  groupId: string;
  topics: null;
}

const FIND_COORDINATOR: WireApi<[keyType: number, keys: string[]], CoordinatorAnswer> = [
  findCoordinatorV4.api as never,
];
const OFFSET_FETCH: WireApi<[groups: OffsetFetchGroup[], requireStable: boolean], OffsetFetchAnswer> = [
  offsetFetchV8.api as never,
];

const GROUP_KEY = 0;

/** Partitions without a committed offset are left out. A coordinator that moved is looked up once more. */
export async function readGroupOffsets(connections: BrokerConnections, group: string): Promise<GroupOffset[]> {
  try {
    return await readOnce(connections, group);
  } catch (error) {
    if (error instanceof BrokerError && error.code === "leader-moved") return readOnce(connections, group);
    throw error;
  }
}

async function readOnce(connections: BrokerConnections, group: string): Promise<GroupOffset[]> {
  const coordinator = await findGroupCoordinator(connections, group);
  const doing = `fetching the offsets of group ${JSON.stringify(group)}`;
  const answer = await connections.request(coordinator, doing, OFFSET_FETCH, [
    [{ groupId: group, topics: null }],
    false,
  ]);
  const found = answer.groups[0];
  if (!found) throw new BrokerError("protocol", `The coordinator left out group ${JSON.stringify(group)}.`);
  if (found.errorCode !== 0) throw brokerErrorFromCode(found.errorCode, doing);
  return found.topics.flatMap(({ name, partitions }) =>
    partitions
      .filter(({ errorCode, committedOffset }) => errorCode === 0 && committedOffset >= 0n)
      .map(({ partitionIndex, committedOffset }) => ({
        topic: name,
        partition: partitionIndex,
        offset: toSafeNumber(committedOffset, `An offset of group ${JSON.stringify(group)}`),
      })),
  );
}

/** Broker id of the group's coordinator. */
export async function findGroupCoordinator(connections: BrokerConnections, group: string): Promise<number> {
  const doing = `finding the coordinator of group ${JSON.stringify(group)}`;
  const answer = await connections.requestAny(doing, FIND_COORDINATOR, [GROUP_KEY, [group]]);
  const coordinator = answer.coordinators[0];
  if (!coordinator) throw new BrokerError("protocol", `No answer came back while ${doing}.`);
  if (coordinator.errorCode !== 0) throw brokerErrorFromCode(coordinator.errorCode, doing, coordinator.errorMessage);
  return coordinator.nodeId;
}
