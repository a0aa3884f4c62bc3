/** Configurations of clusters for tests. */
import { type ClusterConfig, DEFAULT_SCAN_BYTES_PER_SECOND } from "#lib/platform/cluster-config.ts";
import { parseServerAddress } from "#lib/platform/server-address.ts";

/** @param servers `host:port,...` */
export function clusterConfig(servers: string, more: Partial<ClusterConfig> = {}): ClusterConfig {
  return {
    id: "test",
    aliases: [],
    system: "kafka",
    servers: servers.split(",").map((server) => {
      const address = parseServerAddress(server);
      if (!address.ok) throw new Error(address.error);
      return address.value;
    }),
    tls: null,
    sasl: null,
    changes: null,
    readOnly: false,
    budgets: { scanBytesPerSecond: DEFAULT_SCAN_BYTES_PER_SECOND, scanBytesPerDay: null, requestsPerSecond: null },
    ...more,
  };
}
