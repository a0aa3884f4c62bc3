/** From what is stored about a topic to its line on the fleet page. */
import type { Estimate, PartitionMeasurement, TopicMeasurement } from "#lib/compaction/measurement.ts";
import type { FleetRow, Reading } from "#lib/topics/fleet-view.ts";
import { decodeSettings, readNumericSetting } from "#lib/topics/settings.ts";
import { orderByStanding } from "#lib/topics/standing.ts";
import type { Topic } from "../../generated/prisma/client.ts";

/** What the partitions of a topic add up to, as last polled. */
export interface OffsetTotals {
  /** Sum of log end offsets; null where one of them is not known. */
  logEnd: number | null;
  /** The oldest of the polls that it was taken from. */
  offsetsAt: number | null;
  probeError: string | null;
}

export interface StoredTopic {
  topic: Topic;
  probe: TopicMeasurement | null;
  scan: TopicMeasurement | null;
  /** Partitions of which one stands worst. */
  worstCandidates: readonly PartitionMeasurement[];
  totals: OffsetTotals | null;
}

type ReadingField = "distinctKeys" | "retainedRecords" | "dirtyRatio" | "removableShare";

export function toFleetRow(stored: StoredTopic): FleetRow {
  const { topic, probe, scan, worstCandidates } = stored;
  const dirtyRatioLimit = readNumericSetting(decodeSettings(topic.settings), "min.cleanable.dirty.ratio");
  const worst = orderByStanding(worstCandidates, dirtyRatioLimit)[0] ?? null;
  const newest = pickNewest(probe, scan);
  const kept = pickReading("retainedRecords", probe, scan);
  return {
    clusterId: topic.clusterId,
    topic: topic.name,
    cleanupPolicy: topic.cleanupPolicy ?? "",
    partitionCount: topic.partitionCount,
    internal: topic.internal,
    worst,
    keys: pickReading("distinctKeys", probe, scan),
    kept,
    written: boundWritten(stored.totals, kept),
    dirtyRatio: pickReading("dirtyRatio", probe, scan),
    dirtyRatioLimit,
    removableShare: pickReading("removableShare", probe, scan),
    measuredAt: newest?.measuredAt ?? worst?.measuredAt ?? null,
    mode: newest?.mode ?? worst?.mode ?? null,
    note: explainRow(stored, newest),
  };
}

/** The newest measurement that knows the figure. */
function pickReading(
  field: ReadingField,
  probe: TopicMeasurement | null,
  scan: TopicMeasurement | null,
): Reading | null {
  const newest = pickNewest(probe?.[field] ? probe : null, scan?.[field] ? scan : null);
  const estimate = newest?.[field];
  return newest && estimate ? { estimate, method: newest.mode, measuredAt: newest.measuredAt } : null;
}

const pickNewest = (probe: TopicMeasurement | null, scan: TopicMeasurement | null): TopicMeasurement | null =>
  probe && scan ? (scan.measuredAt >= probe.measuredAt ? scan : probe) : (probe ?? scan);

/** Offsets are never records: their sum bounds the records ever written from above, and what was found kept from below. */
function boundWritten(totals: OffsetTotals | null, kept: Reading | null): Reading | null {
  if (totals === null || totals.logEnd === null || totals.offsetsAt === null) return null;
  const low = Math.min(kept?.estimate.low ?? 0, totals.logEnd);
  const estimate: Estimate = { value: null, low, high: totals.logEnd, exact: false };
  return { estimate, method: "offsets", measuredAt: totals.offsetsAt };
}

/** What stands out first, most telling first. */
function explainRow({ topic, totals }: StoredTopic, newest: TopicMeasurement | null): string | null {
  if (topic.settingsError !== null) return topic.settingsError;
  if (totals?.probeError) return `A partition could not be measured: ${totals.probeError}`;
  if (newest === null) return "Not measured yet.";
  if ((topic.cleanupPolicy ?? "").includes("delete")) {
    return "cleanup.policy also deletes by age or size: keys that are not written again disappear.";
  }
  return newest.warnings[0]?.message ?? null;
}
