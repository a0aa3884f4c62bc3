/** What of a measurement goes into columns, and whether two measurements found the same. Pure. */
import type { PartitionMeasurement, TopicMeasurement } from "#lib/compaction/measurement.ts";
import type { Json } from "#lib/measurements/decimal-fields.ts";
import { judgePartition, rankStanding } from "#lib/topics/standing.ts";

/** Stored as the partition of a topic's own line. */
export const TOPIC_LINE = -1;

export interface Figures {
  distinctKeys: bigint | null;
  retainedRecords: bigint | null;
  written: bigint | null;
  dirtyRatio: number | null;
  removableShare: number | null;
  standingRank: number | null;
  hasShape: boolean | null;
}

/** @param written log end offset, or their sum */
export function toFigures(measurement: PartitionMeasurement | TopicMeasurement, written: number | null): Figures {
  return {
    distinctKeys: toCount(measurement.distinctKeys?.value),
    retainedRecords: toCount(measurement.retainedRecords?.value),
    written: toCount(written),
    dirtyRatio: measurement.dirtyRatio?.value ?? null,
    removableShare: measurement.removableShare?.value ?? null,
    standingRank: measurement.partition === null ? null : rankStanding(judgePartition(measurement, null)),
    hasShape: measurement.partition === null ? null : measurement.shape !== null,
  };
}

const toCount = (value: number | null | undefined): bigint | null =>
  value === null || value === undefined ? null : BigInt(Math.round(value));

/** What a measurement cost and when it was made says nothing about the log. */
const COST_FIELDS: ReadonlySet<string> = new Set([
  "measuredAt",
  "durationMs",
  "fetches",
  "fetchedBytes",
  "positionCost",
]);

/** Whether two stored measurements tell the same about the log. */
export const foundTheSame = (before: unknown, after: Json): boolean => normalise(before) === normalise(after);

/** Postgres orders the fields of a jsonb value its own way. */
function normalise(json: unknown): string {
  return JSON.stringify(json, (_name, value: unknown) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    const fields = Object.entries(value).filter(([name]) => !COST_FIELDS.has(name));
    return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
