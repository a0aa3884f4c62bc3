/** The first sentence of the fleet page and the one below it. Pure; never says more than was measured. */
import type { FleetOverview } from "#components/fleet/fleet-items.ts";
import type { ClusterView } from "#lib/clusters/cluster-view.ts";
import { formatCount } from "#lib/platform/format-count.ts";

export interface FleetSentence {
  title: string;
  detail: string;
}

export function sayFleet(clusters: readonly ClusterView[], { total, states: counts }: FleetOverview): FleetSentence {
  if (clusters.length === 0) {
    return {
      title: "No cluster is configured",
      detail: "Name one in the configuration file that KEYFOLD_CONFIG points to, then start again.",
    };
  }
  if (total === 0) return sayEmpty(clusters);
  const attention = counts.broken + counts.watch;
  const topics = `${formatCount(total)} compacted ${total === 1 ? "topic" : "topics"}`;
  const rest = [
    counts.ok > 0 ? `${formatCount(counts.ok)} compacting or empty` : null,
    counts.run > 0 ? `${formatCount(counts.run)} due or being cleaned` : null,
    counts.unknown > 0 ? `${formatCount(counts.unknown)} not known` : null,
  ].filter((part) => part !== null);
  const detail = rest.length === 0 ? "" : `${attention > 0 ? "The others: " : ""}${rest.join(", ")}.`;
  if (attention > 0) {
    const verb = attention === 1 ? "needs" : "need";
    return { title: `${formatCount(attention)} of ${topics} ${verb} attention`, detail };
  }
  if (counts.unknown === total) return { title: `None of ${topics} has been measured in full`, detail };
  return { title: `Nothing stands out in ${formatCount(total - counts.unknown)} of ${topics}`, detail };
}

function sayEmpty(clusters: readonly ClusterView[]): FleetSentence {
  if (clusters.every((cluster) => cluster.state === "never")) {
    return {
      title: clusters.length === 1 ? "The cluster has not been reached yet" : "No cluster has been reached yet",
      detail: "What each of them answered stands below; it is tried again all the time.",
    };
  }
  const topics = clusters.reduce((sum, cluster) => sum + cluster.topicCount, 0);
  return {
    title: "No compacted topic",
    detail: `${formatCount(topics)} ${topics === 1 ? "topic was" : "topics were"} seen, none with "compact" in its cleanup.policy. A topic that gets it appears here with the next poll.`,
  };
}
