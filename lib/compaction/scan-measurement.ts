/** One partition's measurement from a scan and the probes around it; pure. */
import type { LogTraffic } from "#lib/brokers/replica-log-port.ts";
import type { KeyCounts } from "#lib/compaction/key-counts.ts";
import {
  type MeasurementWarning,
  type OffsetInterval,
  type PartitionMeasurement,
  WARNING_CODES,
  type WarningCode,
} from "#lib/compaction/measurement.ts";
import { narrowCleanPoint, scanFigures } from "#lib/compaction/scan-figures.ts";
import type { PartitionScan } from "#lib/compaction/scan-partition.ts";

/** Where the cleaner stood when a scan had ended. */
export interface PositionCheck {
  cleanPoint: OffsetInterval;
  logStartOffset: number;
  logEndOffset: number;
  leader: number;
  /** Of the leader's replica; null where it is not known. */
  bytes: number | null;
}

export interface ScannedPartition {
  topic: string;
  partition: number;
  /** The log was cleaned while it was read. */
  moved: boolean;
  /** A probe from before the scan, or from after it where the cleaner moved; null where none succeeded. */
  position: PartitionMeasurement | null;
  check: PositionCheck | null;
  scan: PartitionScan;
  keys: KeyCounts;
  wasResumed: boolean;
  cost: LogTraffic[];
  measuredAt: number;
  durationMs: number;
}

export function assembleScan(scanned: ScannedPartition): PartitionMeasurement {
  const { moved, position, check, scan, wasResumed } = scanned;
  const { counts } = scan;
  const bytes = position?.bytes ?? check?.bytes ?? null;
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
    cleanPoint: cleanPointOf(scanned),
    activeSegmentBase: position?.activeSegmentBase ?? null,
    dirtyRatio: position?.dirtyRatio ?? null,
    replicas: position?.replicas ?? null,
    fetches: scanned.cost.reduce((sum, one) => sum + one.fetches, 0),
    fetchedBytes: scanned.cost.reduce((sum, one) => sum + one.fetchedBytes, 0),
    positionCost: null,
    durationMs: scanned.durationMs,
    warnings: warningsOf(scanned),
    shape: position?.shape ?? null,
    measuredAt: scanned.measuredAt,
  };
}

/** What the scan's own evidence says is told only where the system's kind lets a probe tell it too. */
function cleanPointOf({ moved, position, check, scan }: ScannedPartition): OffsetInterval | null {
  if (moved || position?.cleanPoint === null) return position?.cleanPoint ?? null;
  if (position === null && check === null) return null;
  return narrowCleanPoint(position?.cleanPoint ?? null, scan.counts.evidence, check?.cleanPoint ?? null);
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
  check: PositionCheck | null,
): boolean {
  if (before !== null && before.cleanPoint === null) return false;
  const { evidence } = scan.counts;
  if (narrowCleanPoint(before?.cleanPoint ?? null, evidence, check?.cleanPoint ?? null) === null) return true;
  if (before === null || before.bytes === null || check === null || check.bytes === null) return false;
  const isSameLog = before.logEndOffset === check.logEndOffset && before.logStartOffset === check.logStartOffset;
  const leaderBefore = before.replicas?.find((replica) => replica.leader)?.brokerId;
  // Nothing was written, and yet the replica has another size.
  return isSameLog && leaderBefore === check.leader && before.bytes !== check.bytes;
}

function warningsOf({ moved, position, scan, wasResumed }: ScannedPartition): MeasurementWarning[] {
  const codes = new Set<WarningCode>(scan.warnings);
  if (moved) codes.add("cleaned-during-scan");
  if (wasResumed) codes.add("resumed");
  if (scan.counts.end < scan.counts.logEnd) codes.add("held-by-transaction");
  const warnings = [...codes].map((code) => ({ code, message: WARNING_CODES[code] }));
  return [...warnings, ...(position?.warnings ?? []).filter(({ code }) => !codes.has(code))];
}
