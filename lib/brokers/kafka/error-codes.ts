/** Error codes of the Kafka protocol as errors of the port. */
import { protocolErrors, protocolErrorsCodesById } from "@platformatic/kafka";
import { BrokerError, type BrokerErrorCode } from "#lib/brokers/broker-error.ts";

/** Kafka's name of the code, the port's code, and what to do about it. */
const KNOWN: Record<string, readonly [BrokerErrorCode, string]> = {
  OFFSET_OUT_OF_RANGE: [
    "offset-out-of-range",
    "The offset lies outside the log: look the log's start and end up again.",
  ],
  CORRUPT_MESSAGE: [
    "corrupt-batch",
    "The broker found a record batch that fails its checksum: check that broker's disk.",
  ],
  UNKNOWN_TOPIC_OR_PARTITION: ["topic-not-found", "The topic or partition is not there, or may not be seen."],
  UNKNOWN_TOPIC_ID: ["topic-not-found", "No topic with this id is there any more: it was deleted."],
  INCONSISTENT_TOPIC_ID: ["topic-recreated", "The topic was deleted and made again under the same name."],
  LEADER_NOT_AVAILABLE: ["leader-moved", "The partition has no leader right now."],
  NOT_LEADER_OR_FOLLOWER: ["leader-moved", "This broker holds no such replica any more: look the leader up again."],
  REPLICA_NOT_AVAILABLE: ["leader-moved", "This broker holds no such replica any more: look the leader up again."],
  FENCED_LEADER_EPOCH: ["leader-moved", "The leader changed meanwhile: look it up again."],
  UNKNOWN_LEADER_EPOCH: ["leader-moved", "This broker has not heard of the newest leader yet."],
  COORDINATOR_LOAD_IN_PROGRESS: ["leader-moved", "The coordinator is still loading its state."],
  COORDINATOR_NOT_AVAILABLE: ["leader-moved", "There is no coordinator right now."],
  NOT_COORDINATOR: ["leader-moved", "The coordinator moved to another broker."],
  REQUEST_TIMED_OUT: ["timeout", "The broker gave up on the request."],
  BROKER_NOT_AVAILABLE: ["unreachable", "The broker that is needed for this is not available."],
  NETWORK_EXCEPTION: ["unreachable", "The broker lost its connection to another one."],
  TOPIC_AUTHORIZATION_FAILED: ["authorization-failed", "These credentials lack a right on the topic."],
  GROUP_AUTHORIZATION_FAILED: ["authorization-failed", "These credentials lack a right on the consumer group."],
  CLUSTER_AUTHORIZATION_FAILED: ["authorization-failed", "These credentials lack a right on the cluster."],
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: [
    "authorization-failed",
    "These credentials lack a right on the transactional id.",
  ],
  UNSUPPORTED_SASL_MECHANISM: ["authentication-failed", "The listener does not offer this SASL mechanism."],
  ILLEGAL_SASL_STATE: ["authentication-failed", "The listener expects no SASL at this point."],
  SASL_AUTHENTICATION_FAILED: ["authentication-failed", "The broker refused the credentials."],
  UNSUPPORTED_VERSION: [
    "unsupported-version",
    "The broker does not offer the version of this request that Keyfold needs.",
  ],
  UNSUPPORTED_COMPRESSION_TYPE: [
    "unsupported-version",
    "The broker can't send this compression to a request of this version.",
  ],
  KAFKA_STORAGE_ERROR: ["protocol", "The broker can't use one of its log directories: check its disks and its log."],
};

/** Kafka's name of an error code, such as `NOT_COORDINATOR`; codes that the client does not know get their number. */
export const nameErrorCode = (errorCode: number): string =>
  (protocolErrorsCodesById as Record<number, string>)[errorCode] ?? `error code ${errorCode}`;

/**
 * @param doing what was asked, so that it can stand after "while": `describing topic "orders"`
 * @param detail what the broker added
 */
export function brokerErrorFromCode(errorCode: number, doing: string, detail?: string | null): BrokerError {
  const name = nameErrorCode(errorCode);
  const [code, meaning] = KNOWN[name] ?? ["protocol" as const, describeUnlisted(name)];
  const said = detail ? ` The broker says: ${detail}` : "";
  return new BrokerError(code, `${name} while ${doing}. ${meaning}${said}`);
}

const describeUnlisted = (name: string): string =>
  (protocolErrors as Record<string, { message?: string }>)[name]?.message ?? "Keyfold does not know this code.";
