/** From a stored cluster to what pages show. */
import type { ClusterView } from "#lib/clusters/cluster-view.ts";
import type { Cluster } from "../../generated/prisma/client.ts";

/** A poll that is this many intervals late makes the data stale even where no error was recorded (no worker runs). */
const OVERDUE_INTERVALS = 3;

type TopicCounts = Pick<ClusterView, "topicCount" | "compactedTopicCount">;

export function toClusterView(row: Cluster, counts: TopicCounts, now: number): ClusterView {
  return {
    id: row.id,
    system: "kafka",
    software: describeSoftware(row),
    brokerClusterId: row.brokerClusterId,
    state: decideState(row, now),
    lastPolledAt: row.lastPolledAt?.getTime() ?? null,
    lastAttemptAt: row.lastAttemptAt?.getTime() ?? null,
    error: row.lastError,
    pollIntervalMs: row.pollIntervalMs,
    ...counts,
  };
}

function decideState(row: Cluster, now: number): ClusterView["state"] {
  if (row.lastPolledAt === null) return "never";
  const isOverdue = now - row.lastPolledAt.getTime() > OVERDUE_INTERVALS * row.pollIntervalMs;
  return row.lastError !== null || isOverdue ? "stale" : "live";
}

function describeSoftware(row: Cluster): string | null {
  if (row.kindName === null) return null;
  const name = row.kindName === "apache-kafka" ? "Apache Kafka" : "Kafka protocol, other software";
  return row.kindVersion === null ? name : `${name} ${row.kindVersion} or newer`;
}
