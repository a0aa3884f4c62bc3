/** One authenticated connection to one broker. */
import type { Connection } from "@platformatic/kafka";
import type { BrokerError } from "#lib/brokers/broker-error.ts";
import { type FailureContext, toBrokerError } from "#lib/brokers/kafka/errors.ts";
import type { KafkaSecurity } from "#lib/brokers/kafka/security.ts";
import { SessionConnection } from "#lib/brokers/kafka/session-connection.ts";
import type { TrafficMeter } from "#lib/brokers/kafka/traffic-meter.ts";
import { formatAddress, type ServerAddress } from "#lib/platform/cluster-config.ts";

export const CONNECT_TIMEOUT_MS = 5_000;
export const REQUEST_TIMEOUT_MS = 30_000;

export interface ConnectionSettings {
  /** As brokers see it in quotas and request logs: `keyfold-poll`, `keyfold-probe`, `keyfold-scan`. */
  clientId: string;
  security: KafkaSecurity;
  meter: TrafficMeter;
}

/**
 * Connects and authenticates.
 * @throws BrokerError `unreachable`, `tls-failed`, `authentication-failed`
 */
export async function openConnection(address: ServerAddress, settings: ConnectionSettings): Promise<Connection> {
  const context = describeFailure(settings.security, address, "connecting");
  const options = await settings.security.connectionOptions();
  const connection = new SessionConnection(
    settings.clientId,
    { ...options, connectTimeout: CONNECT_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    settings.meter,
  );
  try {
    const connected = connection.connect(address.host, address.port);
    settings.meter.watch(connection.socket);
    await connected;
    return connection;
  } catch (error) {
    connection.socket?.destroy();
    throw toBrokerError(error, context);
  }
}

export const describeFailure = (security: KafkaSecurity, address: ServerAddress, doing: string): FailureContext => ({
  doing,
  address: formatAddress(address),
  usesTls: security.usesTls,
  usesSasl: security.usesSasl,
});

/** Why a request on this connection failed: the socket's own error says more than "connection closed". */
export function explainFailure(connection: Connection, error: unknown, context: FailureContext): BrokerError {
  const failure = connection instanceof SessionConnection ? connection.failure : null;
  return toBrokerError(failure ? new AggregateError([error, failure]) : error, context);
}
