/** What the topic page shows, as plain data. */
import type { ConfigEntries, PartitionOffsets } from "#lib/brokers/broker-port.ts";
import type { ClusterView } from "#lib/clusters/cluster-view.ts";
import type { PartitionMeasurement, TopicMeasurement } from "#lib/compaction/measurement.ts";
import type { ScanView } from "#lib/scans/scan-view.ts";

export interface ReplicaView {
  brokerId: number;
  leader: boolean;
  bytes: number | null;
  sizedAt: number | null;
}

export interface PartitionView {
  partition: number;
  leader: number | null;
  offsets: PartitionOffsets | null;
  offsetsAt: number | null;
  replicas: ReplicaView[];
  /** The newest probe. */
  probe: PartitionMeasurement | null;
  /** The newest scan. */
  scan: PartitionMeasurement | null;
}

/** One point of the three numbers over time; null where that point did not measure it. */
export interface HistoryPoint {
  /** Milliseconds since the epoch. */
  at: number;
  mode: "probe" | "scan";
  distinctKeys: number | null;
  retainedRecords: number | null;
  /** Sum of log end offsets. */
  written: number | null;
  dirtyRatio: number | null;
  removableShare: number | null;
}

export interface TopicView {
  readAt: number;
  cluster: ClusterView;
  topic: string;
  topicId: string;
  cleanupPolicy: string;
  /** Configuration keys that decide about compaction, with their source. */
  settings: ConfigEntries;
  settingsAt: number | null;
  partitions: PartitionView[];
  /** Newest topic line of each mode. */
  probe: TopicMeasurement | null;
  scan: TopicMeasurement | null;
  history: HistoryPoint[];
  /** A scan that is queued or running, or the last one that ended. */
  latestScan: ScanView | null;
  /** Set where the topic is gone from the cluster; the page shows its last data. */
  goneAt: number | null;
}
