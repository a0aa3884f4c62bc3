/** From a topic's view to the readings that its page prints: of each figure the newest that knows it. Pure. */
import type { Estimate, PartitionMeasurement, TopicMeasurement } from "#lib/compaction/measurement.ts";
import type { Reading } from "#lib/topics/fleet-view.ts";
import { judgeTopic, type Standing } from "#lib/topics/standing.ts";
import type { PartitionView, TopicView } from "#lib/topics/topic-view.ts";

type Line = PartitionMeasurement | TopicMeasurement;
type EstimateField = {
  [Field in keyof Line]-?: Line[Field] extends Estimate | null ? Field : never;
}[keyof Line];

/** A value goes before bounds; of two alike the newer. */
export function pickReading(field: EstimateField, ...lines: (Line | null)[]): Reading | null {
  const known = lines.filter((line) => line !== null && line[field] !== null) as Line[];
  const rank = (line: Line): number => ((line[field] as Estimate).value === null ? 0 : 1);
  const [best] = known.sort((a, b) => rank(b) - rank(a) || b.measuredAt - a.measuredAt);
  return best === undefined
    ? null
    : { estimate: best[field] as Estimate, method: best.mode, measuredAt: best.measuredAt };
}

/** The newest measurement of the partition that can be drawn, else the newest. */
export function newestMeasurement({ probe, scan }: PartitionView): PartitionMeasurement | null {
  const both = [probe, scan].filter((measurement) => measurement !== null);
  const [best] = both.sort(
    (a, b) => Number(b.shape !== null) - Number(a.shape !== null) || b.measuredAt - a.measuredAt,
  );
  return best ?? null;
}

/** Sum of the log ends: no more records were ever written than that. Null where one is not known. */
export function boundWritten(partitions: readonly PartitionView[]): Reading | null {
  let high = 0;
  let oldest = Number.POSITIVE_INFINITY;
  for (const { offsets, offsetsAt } of partitions) {
    if (offsets === null || offsetsAt === null) return null;
    high += offsets.logEnd;
    oldest = Math.min(oldest, offsetsAt);
  }
  if (partitions.length === 0) return null;
  return { estimate: { value: null, low: 0, high, exact: false }, method: "offsets", measuredAt: oldest };
}

/** Sum of the sizes of the leaders' replicas; null where one is not known. */
export function sumLeaderBytes(partitions: readonly PartitionView[]): Reading | null {
  let sum = 0;
  let oldest = Number.POSITIVE_INFINITY;
  for (const { replicas } of partitions) {
    const leader = replicas.find((replica) => replica.leader);
    if (leader === undefined || leader.bytes === null || leader.sizedAt === null) return null;
    sum += leader.bytes;
    oldest = Math.min(oldest, leader.sizedAt);
  }
  if (partitions.length === 0) return null;
  return { estimate: { value: sum, low: sum, high: sum, exact: true }, method: "log-dirs", measuredAt: oldest };
}

export function readLimit(view: TopicView): number | null {
  const limit = Number(view.settings["min.cleanable.dirty.ratio"]?.value ?? Number.NaN);
  return Number.isFinite(limit) ? limit : null;
}

/** Whether retention can delete anything; null where the settings are not known. */
function retentionDeletes(view: TopicView): boolean | null {
  const ms = view.settings["retention.ms"]?.value ?? null;
  const bytes = view.settings["retention.bytes"]?.value ?? null;
  if (ms === null || bytes === null) return null;
  return Number(ms) >= 0 || Number(bytes) >= 0;
}

export function judgeView(view: TopicView): Standing {
  const nullKeys = pickReading("nullKeyRecords", view.scan, view.probe);
  return judgeTopic({
    cleanupPolicy: view.cleanupPolicy,
    partitions: view.partitions.map(newestMeasurement).filter((measurement) => measurement !== null),
    nullKeyRecords: nullKeys?.estimate.exact ? nullKeys.estimate.value : null,
    dirtyRatioLimit: readLimit(view),
    retentionDeletes: retentionDeletes(view),
    unmeasuredReason: reasonUnmeasured(view),
  });
}

function reasonUnmeasured({ cluster }: TopicView): string | null {
  if (cluster.state === "never") return "Its cluster was never reached.";
  if (cluster.error !== null) return cluster.error;
  return "A probe is queued and takes a few fetches; a scan reads it all.";
}

/** A replica whose size differs from its peers' by this factor is worth a line. */
const SIZE_FACTOR_MIN = 1.5;
/** Small replicas differ by a segment at any time. */
const SIZE_BYTES_MIN = 16 * 1024 * 1024;

/** Replicas that were cleaned less far than others, or are much larger. */
export function replicasDiffer(view: PartitionView): boolean {
  const measured = newestMeasurement(view)?.replicas ?? [];
  if (measured.some((replica) => replica.state !== "ok" && replica.state !== "unknown")) return true;
  const sizes = view.replicas.map((replica) => replica.bytes).filter((bytes) => bytes !== null);
  if (sizes.length < 2) return false;
  const largest = Math.max(...sizes);
  return largest >= SIZE_BYTES_MIN && largest > Math.min(...sizes) * SIZE_FACTOR_MIN;
}
