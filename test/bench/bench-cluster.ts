import type { ClusterConfig } from "#lib/platform/cluster-config.ts";

export function benchCluster(servers: string): ClusterConfig {
  const [host, port] = servers.split(",")[0]!.split(":");
  return {
    id: "bench",
    aliases: [],
    system: "kafka",
    servers: [{ host: host!, port: Number(port) }],
    tls: null,
    sasl: null,
    changes: null,
    readOnly: true,
    budgets: { scanBytesPerSecond: 1e12, scanBytesPerDay: null, requestsPerSecond: null },
  };
}
