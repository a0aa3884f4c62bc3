/** What the fleet page shows, as plain data: built by `queries.ts` from the store, printed by `components/`. */
import type { ClusterView } from "#lib/clusters/cluster-view.ts";
import type { Estimate, MeasurementMode, PartitionMeasurement } from "#lib/compaction/measurement.ts";

/** A figure with the way it was got and when. */
export interface Reading {
  estimate: Estimate;
  method: MeasurementMode | "offsets" | "log-dirs";
  /** Milliseconds since the epoch. */
  measuredAt: number;
}

export interface FleetRow {
  clusterId: string;
  topic: string;
  /** Kafka's own value, e.g. `compact` or `compact,delete`. */
  cleanupPolicy: string;
  partitionCount: number;
  internal: boolean;
  /** The partition that stands worst, by the order of `standing.ts`; null before the first probe. */
  worst: PartitionMeasurement | null;
  keys: Reading | null;
  kept: Reading | null;
  /** Offset span summed over partitions where the log starts at 0, an upper bound of the records ever written. */
  written: Reading | null;
  dirtyRatio: Reading | null;
  /** `min.cleanable.dirty.ratio` in force; null where it can't be read. */
  dirtyRatioLimit: number | null;
  removableShare: Reading | null;
  /** When any of this was measured last; null: never. */
  measuredAt: number | null;
  mode: MeasurementMode | null;
  /** Why something is not known, or what stands out, in one sentence; null where nothing does. */
  note: string | null;
}

export interface FleetView {
  /** Milliseconds since the epoch, when the store was read. */
  readAt: number;
  clusters: ClusterView[];
  rows: FleetRow[];
}
