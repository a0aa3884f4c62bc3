import { BrokerError } from "#lib/brokers/broker-error.ts";
import { brokerErrorFromCode, nameErrorCode } from "#lib/brokers/kafka/error-codes.ts";
import type { ReplicaLogTarget } from "#lib/brokers/replica-log-port.ts";

/** How messages name a replica. */
export const describeReplica = ({ topic, partition, brokerId }: ReplicaLogTarget): string =>
  `partition ${partition} of topic "${topic}" on broker ${brokerId}`;

/** Codes that mean something else for a read of one replica than they do elsewhere. */
const OWN_MEANINGS: Record<string, string> = {
  OFFSET_NOT_AVAILABLE: "The leader is new and does not know its high watermark yet: try again.",
  KAFKA_STORAGE_ERROR: "The broker lost the disk of this replica: look the leader up again, and check that broker.",
};

/**
 * @param errorCode of a Fetch or ListOffsets answer, not 0
 * @param right that the request needs on the topic
 * @param offset that was asked for; null where none was
 */
export function mapFetchErrorCode(
  errorCode: number,
  target: ReplicaLogTarget,
  right: "Read" | "Describe",
  offset: number | null,
): BrokerError {
  const name = nameErrorCode(errorCode);
  const doing = `reading ${offset === null ? "the offsets" : `offset ${offset}`} of ${describeReplica(target)}`;
  if (name === "TOPIC_AUTHORIZATION_FAILED") {
    const remedy = `Allow ${right} on topic "${target.topic}" to these credentials.`;
    return new BrokerError("authorization-failed", `${name} while ${doing}. ${remedy}`);
  }
  const meaning = OWN_MEANINGS[name];
  if (meaning) return new BrokerError("leader-moved", `${name} while ${doing}. ${meaning}`);
  return brokerErrorFromCode(errorCode, doing);
}
