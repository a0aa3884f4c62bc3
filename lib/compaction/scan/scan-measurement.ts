/** One partition's measurement from a scan and the probes around it; pure. */
import type { LogTraffic } from "#lib/brokers/replica-log-port.ts";
import type { KeyCounts } from "#lib/compaction/keys/key-counts.ts";
import {
  exactly,
  type MeasurementWarning,
  type OffsetInterval,
  type PartitionMeasurement,
  WARNING_CODES,
  type WarningCode,
} from "#lib/compaction/measurement.ts";
import { narrowCleanPoint, scanFigures } from "#lib/compaction/scan/scan-figures.ts";
import type { PartitionScan } from "#lib/compaction/scan/scan-partition.ts";
import { narrowToBases } from "#lib/compaction/scan/scan-segments.ts";

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
  /** Keys that the cleaner's offset map holds; null where it is not known. */
  offsetMapCapacity: number | null;
  cost: LogTraffic[];
  measuredAt: number;
  durationMs: number;
}

export function assembleScan(scanned: ScannedPartition): PartitionMeasurement {
  const { moved, position, check, scan, wasResumed } = scanned;
  const { counts } = scan;
  const bytes = position?.bytes ?? check?.bytes ?? null;
  const cleanPoint = cleanPointOf(scanned);
  const read = cleanPoint === null ? null : readBytes(scanned, cleanPoint);
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
    cleanPoint,
    activeSegmentBase: activeBaseOf(scanned) ?? position?.activeSegmentBase ?? null,
    dirtyRatio: read?.dirtyRatio ?? position?.dirtyRatio ?? null,
    replicas: position?.replicas ?? null,
    fetches: scanned.cost.reduce((sum, one) => sum + one.fetches, 0),
    fetchedBytes: scanned.cost.reduce((sum, one) => sum + one.fetchedBytes, 0),
    positionCost: null,
    durationMs: scanned.durationMs,
    warnings: warningsOf(scanned, cleanPoint),
    shape: position?.shape ? { ...position.shape, ...read?.shape } : null,
    measuredAt: scanned.measuredAt,
  };
}

/** What the scan's own evidence says is told only where the system's kind lets a probe tell it too. */
function cleanPointOf(scanned: ScannedPartition): OffsetInterval | null {
  const { moved, position, check, scan, wasResumed } = scanned;
  if (moved || position?.cleanPoint === null) return position?.cleanPoint ?? null;
  if (position === null && check === null) return null;
  const bracket = narrowCleanPoint(position?.cleanPoint ?? null, scan.counts.evidence, check?.cleanPoint ?? null);
  if (bracket === null || wasResumed) return bracket;
  return narrowToBases(bracket, scan.segments, scan.counts.logStart, scanned.offsetMapCapacity);
}

/**
 * The cleaner's bytes as the walk met them, where it saw both the segment of the clean point and the first uncleanable one
 * begin. A moved log start may hide bytes of its segment: then the probe's figures stay.
 */
function readBytes(scanned: ScannedPartition, cleanPoint: OffsetInterval) {
  const { moved, scan, wasResumed } = scanned;
  const uncleanable = uncleanableOf(scanned);
  const { logStart } = scan.counts;
  if (moved || wasResumed || logStart > 0 || !uncleanable) return null;
  if (cleanPoint.low !== cleanPoint.high || uncleanable.low !== uncleanable.high) return null;
  const clean = scan.segments.bytesBefore(Math.min(cleanPoint.low, uncleanable.low), logStart);
  const upToUncleanable = scan.segments.bytesBefore(uncleanable.low, logStart);
  if (clean === null || upToUncleanable === null) return null;
  const dirtyRatio = exactly(upToUncleanable === 0 ? 0 : (upToUncleanable - clean) / upToUncleanable);
  return { dirtyRatio, shape: { cleanBytes: exactly(clean), cleanableBytes: exactly(upToUncleanable - clean) } };
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

/** The last segment that a walk to the log end saw begin; null where it can have missed one. */
function activeBaseOf({ moved, scan, wasResumed }: ScannedPartition): OffsetInterval | null {
  const { logStart, end, logEnd } = scan.counts;
  const isWalked =
    !moved && !wasResumed && end === logEnd && scan.segments.isProvenWithin({ low: logStart, high: end });
  const base = scan.segments.seen[scan.segments.seen.length - 1]?.base ?? (logStart === 0 ? 0 : null);
  return isWalked && base !== null && end > logStart ? { low: base, high: base } : null;
}

/** Where only the active segment is held back, the walk tells its base better than the probe. */
function uncleanableOf(scanned: ScannedPartition): OffsetInterval | null {
  const { position } = scanned;
  const probed = position?.shape?.firstUncleanableOffset ?? null;
  const active = position?.activeSegmentBase ?? null;
  const isActive = probed !== null && active !== null && probed.low === active.high && probed.high === active.high;
  return isActive ? (activeBaseOf(scanned) ?? probed) : probed;
}

/** What a probe says of a clean point that it could not tell. */
const ABOUT_INTERVAL: ReadonlySet<WarningCode> = new Set(["no-rewrites", "budget-ended"]);

function warningsOf(
  { moved, position, scan, wasResumed }: ScannedPartition,
  cleanPoint: OffsetInterval | null,
): MeasurementWarning[] {
  const codes = new Set<WarningCode>(scan.warnings);
  if (moved) codes.add("cleaned-during-scan");
  if (wasResumed) codes.add("resumed");
  if (scan.counts.end < scan.counts.logEnd) codes.add("held-by-transaction");
  const warnings = [...codes].map((code) => ({ code, message: WARNING_CODES[code] }));
  const isSettled = cleanPoint !== null && cleanPoint.low === cleanPoint.high;
  const others = (position?.warnings ?? []).filter(({ code }) => !codes.has(code));
  return [...warnings, ...others.filter(({ code }) => !(isSettled && ABOUT_INTERVAL.has(code)))];
}
