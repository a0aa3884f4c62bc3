/** A configured cluster, as pages show it. */
export interface ClusterView {
  /** Slug from the configuration. */
  id: string;
  system: "kafka";
  /** In words, such as "Apache Kafka 4.4"; null before the first connect. */
  software: string | null;
  /** The broker's own cluster id, recorded at the first connect. */
  brokerClusterId: string | null;
  /** `never`: no poll succeeded yet; `stale`: the last ones failed or are overdue. */
  state: "never" | "live" | "stale";
  lastPolledAt: number | null;
  lastAttemptAt: number | null;
  /** What the last attempt failed with, in words that name a remedy. */
  error: string | null;
  pollIntervalMs: number;
  topicCount: number;
  compactedTopicCount: number;
}
