/** Which cluster a command speaks to: `--brokers HOST:PORT`, or `--config FILE --cluster ID` where it needs credentials. */
import { CommandError } from "#lib/cli/command-error.ts";
import { type ClusterConfig, DEFAULT_SCAN_BYTES_PER_SECOND } from "#lib/platform/cluster-config.ts";
import { formatConfigProblem, loadConfig } from "#lib/platform/config.ts";
import { parseServerAddress } from "#lib/platform/server-address.ts";
import { suggestName } from "#lib/platform/suggest-name.ts";

/** For `parseFlags`. */
export const CLUSTER_FLAGS = {
  brokers: { type: "string" },
  config: { type: "string" },
  cluster: { type: "string" },
} as const;

export const CLUSTER_FLAGS_HELP = `  --brokers HOST:PORT[,...]  a cluster without TLS and SASL
  --config FILE              the configuration file (default: KEYFOLD_CONFIG)
  --cluster ID               the cluster in that file`;

export interface ClusterFlags {
  brokers?: string | undefined;
  config?: string | undefined;
  cluster?: string | undefined;
}

/** @throws CommandError: wrong use, or a configuration file that is not right */
export function resolveClusterTarget(
  flags: ClusterFlags,
  env: Readonly<Record<string, string | undefined>> = process.env,
): ClusterConfig {
  if (flags.brokers !== undefined) {
    const other = flags.config !== undefined ? "--config" : flags.cluster !== undefined ? "--cluster" : null;
    if (other) throw CommandError.usage(`--brokers and ${other} exclude each other. Use one of them.`);
    return toClusterConfig(flags.brokers);
  }
  if (flags.cluster === undefined) {
    throw CommandError.usage("No cluster is named. Write --brokers HOST:PORT, or --config FILE --cluster ID.");
  }
  const path = flags.config ?? (env.KEYFOLD_CONFIG || undefined);
  if (path === undefined) {
    throw CommandError.usage("--cluster needs the file that it is in. Write --config FILE, or set KEYFOLD_CONFIG.");
  }
  return findCluster(path, flags.cluster, env);
}

function toClusterConfig(brokers: string): ClusterConfig {
  const servers = brokers.split(",").map((server) => {
    const address = parseServerAddress(server.trim());
    if (!address.ok) throw CommandError.usage(`--brokers: ${address.error}`);
    return address.value;
  });
  return {
    id: "command-line",
    aliases: [],
    system: "kafka",
    servers,
    tls: null,
    sasl: null,
    changes: null,
    readOnly: false,
    budgets: { scanBytesPerSecond: DEFAULT_SCAN_BYTES_PER_SECOND, scanBytesPerDay: null, requestsPerSecond: null },
  };
}

function findCluster(path: string, id: string, env: Readonly<Record<string, string | undefined>>): ClusterConfig {
  const config = loadConfig(path, { env, onlyCluster: id });
  if (!config.ok) throw CommandError.failure(config.error.map(formatConfigProblem).join("\n"));
  const { clusters } = config.value;
  const found = clusters.find((cluster) => cluster.id === id || cluster.aliases.includes(id));
  if (found) return found;
  const ids = clusters.map((cluster) => cluster.id);
  const meant = suggestName(id, ids);
  const hint = meant ? `Did you mean ${meant}?` : `It has: ${ids.join(", ") || "none"}.`;
  throw CommandError.usage(`--cluster: there is no cluster ${JSON.stringify(id)} in ${path}. ${hint}`);
}
