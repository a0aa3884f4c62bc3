/** The only file that picks an adapter. */
import type { RightReport } from "#lib/brokers/access-report.ts";
import type { Broker } from "#lib/brokers/broker-port.ts";
import { checkAccessToKafka, type KafkaBrokerSettings, openKafkaBroker } from "#lib/brokers/kafka/open-kafka-broker.ts";
import type { ClusterConfig } from "#lib/platform/cluster-config.ts";

export interface OpenBrokerOptions {
  /** `keyfold-poll`, `keyfold-probe`, `keyfold-scan`: quotas can be set on each. */
  clientId: string;
  /** The broker's own cluster id as recorded at first connect; another one is refused. */
  expectedClusterId?: string | null;
  /** `changes`: the credentials of `changes`, where the cluster has them. */
  credentials?: "reading" | "changes";
}

/**
 * Connects, authenticates and checks the cluster id.
 * @throws BrokerError `unreachable`, `tls-failed`, `authentication-failed`, `cluster-id-changed`, ...
 */
export async function openBroker(cluster: ClusterConfig, options: OpenBrokerOptions): Promise<Broker> {
  return openKafkaBroker(toSettings(cluster, options));
}

/**
 * Tries each right that Keyfold uses on this cluster, without changing anything.
 * @throws BrokerError where the cluster can't be reached at all
 */
export async function checkAccess(cluster: ClusterConfig, clientId: string): Promise<RightReport[]> {
  const changes = cluster.readOnly ? null : toSettings(cluster, { clientId, credentials: "changes" });
  return checkAccessToKafka(toSettings(cluster, { clientId }), changes);
}

function toSettings(cluster: ClusterConfig, options: OpenBrokerOptions): KafkaBrokerSettings {
  const { tls, sasl } = (options.credentials === "changes" && cluster.changes) || cluster;
  return {
    servers: cluster.servers,
    credentials: { tls, sasl },
    clientId: options.clientId,
    expectedClusterId: options.expectedClusterId ?? null,
  };
}
