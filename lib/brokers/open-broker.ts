/** The only file that picks an adapter. */
import type { Broker } from "#lib/brokers/broker-port.ts";
import { openKafkaBroker } from "#lib/brokers/kafka/open-kafka-broker.ts";
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
  const { tls, sasl } = (options.credentials === "changes" && cluster.changes) || cluster;
  return openKafkaBroker({
    servers: cluster.servers,
    credentials: { tls, sasl },
    clientId: options.clientId,
    expectedClusterId: options.expectedClusterId ?? null,
  });
}
