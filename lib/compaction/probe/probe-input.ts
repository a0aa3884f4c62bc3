import type { PartitionDescription } from "#lib/brokers/broker-port.ts";
import type { ReplicaLog } from "#lib/brokers/replica-log-port.ts";
import type { OffsetInterval } from "#lib/compaction/measurement.ts";
import type { ProbeHints } from "#lib/compaction/probe/clean-point-search.ts";
import type { BrokerLimits } from "#lib/compaction/probe/probe-replica.ts";

/** Topic settings that decide where the cleaner stands, parsed. */
export interface CleanerSettings {
  segmentBytes: number;
  minCompactionLagMs: number;
}

/** What the last scan of this partition found removable: as long as the cleaner stands still it only grows. */
export interface LastScan {
  removableBytes: number;
  /** Of the replica. */
  bytes: number;
  logStartOffset: number;
  cleanPoint: OffsetInterval;
}

export interface ProbeInput {
  topic: string;
  partition: PartitionDescription;
  settings: CleanerSettings;
  /** Size of each replica by broker id, as described just before; a broker that can't be asked is missing. */
  replicaBytes: ReadonlyMap<number, number>;
  limits: BrokerLimits;
  /** What the last probe of this partition found. */
  hints?: ProbeHints;
  lastScan?: LastScan;
  /** Followers are probed too, each at its own broker. */
  probeFollowers: boolean;
  openLog(brokerId: number): ReplicaLog;
  /** 16 bytes: keys are compared by their hash. */
  seed: Uint8Array;
  random(): number;
  now(): number;
}
