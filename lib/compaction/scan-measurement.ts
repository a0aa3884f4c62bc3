/** One partition's measurement from a scan and the probes around it; pure. */
import type { LogTraffic } from "#lib/brokers/replica-log-port.ts";
import type { KeyCounts } from "#lib/compaction/key-counts.ts";
import {
  type MeasurementWarning,
  type PartitionMeasurement,
  type ReplicaMeasurement,
  WARNING_CODES,
  type WarningCode,
} from "#lib/compaction/measurement.ts";
import { narrowCleanPoint, scanFigures } from "#lib/compaction/scan-figures.ts";
import type { PartitionScan } from "#lib/compaction/scan-partition.ts";

export interface ScannedPartition {
  topic: string;
  partition: number;
  /** From the first probe, which looked at followers too. */
  replicas: ReplicaMeasurement[] | null;
  before: PartitionMeasurement | null;
  after: PartitionMeasurement | null;
  scan: PartitionScan;
  keys: KeyCounts;
  wasResumed: boolean;
  cost: LogTraffic[];
  measuredAt: number;
  durationMs: number;
}

export function assembleScan(scanned: ScannedPartition): PartitionMeasurement {
  const { before, after, scan, wasResumed } = scanned;
  const { counts } = scan;
  const moved = hasMoved(before, scan, after);
  const position = moved ? (after ?? before) : (before ?? after);
  const cleanPoint = moved
    ? (after?.cleanPoint ?? null)
    : narrowCleanPoint(before?.cleanPoint ?? null, counts.evidence, after?.cleanPoint ?? null);
  const bytes = position?.bytes ?? null;
  const isWhole = !wasResumed && scan.logStartAfter <= counts.logStart;
  return {
    topic: scanned.topic,
    partition: scanned.partition,
    mode: "scan",
    logStartOffset: counts.logStart,
    logEndOffset: counts.logEnd,
    offsetSpan: counts.logEnd - counts.logStart,
    bytes,
    ...scanFigures(counts, scanned.keys, bytes, { moved, isWhole }),
    cleanPoint: position === null ? null : cleanPoint,
    activeSegmentBase: position?.activeSegmentBase ?? null,
    dirtyRatio: position?.dirtyRatio ?? null,
    replicas: scanned.replicas,
    fetches: scanned.cost.reduce((sum, one) => sum + one.fetches, 0),
    fetchedBytes: scanned.cost.reduce((sum, one) => sum + one.fetchedBytes, 0),
    positionCost: null,
    durationMs: scanned.durationMs,
    warnings: warningsOf(scanned, position, moved),
    shape: position?.shape ?? null,
    measuredAt: scanned.measuredAt,
  };
}

/** What a probe found, where the records are of a format that can't be walked. */
export function withoutScan(before: PartitionMeasurement, message: string, durationMs: number): PartitionMeasurement {
  const warning: MeasurementWarning = { code: "format-not-measured", message };
  return {
    ...before,
    mode: "scan",
    retainedRecords: null,
    positionCost: null,
    durationMs,
    warnings: [...before.warnings, warning],
  };
}

/** The cleaner moved the clean point while the log was read. */
export function hasMoved(
  before: PartitionMeasurement | null,
  scan: PartitionScan,
  after: PartitionMeasurement | null,
): boolean {
  const { evidence } = scan.counts;
  if (narrowCleanPoint(before?.cleanPoint ?? null, evidence, after?.cleanPoint ?? null) === null) return true;
  if (before?.bytes == null || after?.bytes == null) return false;
  const isSameLog = before.logEndOffset === after.logEndOffset && before.logStartOffset === after.logStartOffset;
  const isSameReplica = leaderOf(before) === leaderOf(after);
  // Nothing was written, and yet the replica has another size.
  return isSameLog && isSameReplica && before.bytes !== after.bytes;
}

const leaderOf = (one: PartitionMeasurement): number | null =>
  one.replicas?.find((replica) => replica.leader)?.brokerId ?? null;

function warningsOf(
  { scan, wasResumed }: ScannedPartition,
  position: PartitionMeasurement | null,
  moved: boolean,
): MeasurementWarning[] {
  const codes = new Set<WarningCode>(scan.warnings);
  if (moved) codes.add("cleaned-during-scan");
  if (wasResumed) codes.add("resumed");
  if (scan.counts.end < scan.counts.logEnd) codes.add("held-by-transaction");
  const warnings = [...codes].map((code) => ({ code, message: WARNING_CODES[code] }));
  return [...warnings, ...(position?.warnings ?? []).filter(({ code }) => !codes.has(code))];
}
