import type { RightReport } from "#lib/brokers/access-report.ts";
import { checkKafkaAccess } from "#lib/brokers/kafka/access-check.ts";
import { BrokerConnections } from "#lib/brokers/kafka/broker-connections.ts";
import { KafkaBroker } from "#lib/brokers/kafka/kafka-broker.ts";
import { createSecurity } from "#lib/brokers/kafka/security.ts";
import type { ConnectionCredentials, ServerAddress } from "#lib/platform/cluster-config.ts";

export interface KafkaBrokerSettings {
  servers: readonly ServerAddress[];
  credentials: ConnectionCredentials;
  clientId: string;
  expectedClusterId: string | null;
}

/**
 * Connects to the first server that answers and checks its cluster id.
 * @throws BrokerError
 */
export async function openKafkaBroker(settings: KafkaBrokerSettings): Promise<KafkaBroker> {
  const connections = openKafkaConnections(settings);
  try {
    await connections.metadata([]);
    return new KafkaBroker(connections, principalName(settings.credentials));
  } catch (error) {
    await connections.close();
    throw error;
  }
}

export const openKafkaConnections = ({ credentials, ...settings }: KafkaBrokerSettings): BrokerConnections =>
  new BrokerConnections({ ...settings, security: createSecurity(credentials) });

/** A certificate's name goes through the broker's mapping rules, and a token's subject is the broker's to read. */
function principalName({ tls, sasl }: ConnectionCredentials): string | null {
  if (sasl) return sasl.mechanism === "oauthbearer" ? null : sasl.username;
  return tls?.cert ? null : "ANONYMOUS";
}

/**
 * @param changes null where the cluster is read-only
 * @throws BrokerError where the cluster can't be reached at all
 */
export async function checkAccessToKafka(
  reading: KafkaBrokerSettings,
  changes: KafkaBrokerSettings | null,
): Promise<RightReport[]> {
  const forReading = openKafkaConnections(reading);
  const forChanges = changes && openKafkaConnections(changes);
  try {
    return await checkKafkaAccess(forReading, forChanges);
  } finally {
    await Promise.all([forReading.close(), forChanges?.close()]);
  }
}
