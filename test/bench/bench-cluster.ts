import type { ClusterConfig } from "#lib/platform/cluster-config.ts";
import { clusterConfig } from "../support/cluster-config.ts";

/** No budget slows down what is timed. */
export const benchCluster = (servers: string): ClusterConfig =>
  clusterConfig(servers, {
    id: "bench",
    readOnly: true,
    budgets: { scanBytesPerSecond: 1e12, scanBytesPerDay: null, requestsPerSecond: null },
  });
