/** What a scan's thread and the one that started it say to each other. */
import type { BrokerErrorCode } from "#lib/brokers/broker-error.ts";
import type { PartitionMeasurement } from "#lib/compaction/measurement.ts";
import type { ScanProgress } from "#lib/compaction/scan/scan-progress.ts";
import type { TopicScan } from "#lib/compaction/scan/scan-topic.ts";
import type { ClusterConfig } from "#lib/platform/cluster-config.ts";

export interface ScanOrder {
  cluster: ClusterConfig;
  expectedClusterId: string | null;
  topic: string;
  partitions: number[] | null;
  seed: Uint8Array;
  maxBytesPerSecond: number | null;
  resumeFrom: Uint8Array | null;
  wantsCheckpoints: boolean;
}

export type ScanReport =
  | { kind: "progress"; progress: ScanProgress }
  | { kind: "partition"; measurement: PartitionMeasurement }
  | { kind: "checkpoint"; bytes: Uint8Array }
  | { kind: "done"; scan: TopicScan }
  /** `code` is null for a bug, whose stack is in the message. */
  | { kind: "failed"; code: BrokerErrorCode | null; message: string };

export type ScanRequest = { kind: "cancel" };
