/** The three numbers of a topic over time. */
import type { DbSession } from "#lib/platform/db.ts";
import type { HistoryPoint } from "#lib/topics/topic-view.ts";

const POINTS_MAX = 400;

interface HistoryRow {
  at: Date;
  mode: "probe" | "scan";
  distinct_keys: bigint | null;
  retained_records: bigint | null;
  written: bigint | null;
  dirty_ratio: number | null;
  removable_share: number | null;
}

/**
 * Oldest first. The time between the first and the last row is cut into equal stretches, of which each shows the last
 * row of each mode: what a chart can draw, whatever the number of rows.
 */
export async function readHistory(db: DbSession, topicRef: bigint, now: number): Promise<HistoryPoint[]> {
  const rows = await db.$queryRaw<HistoryRow[]>`
    WITH line AS (
      SELECT *, width_bucket(extract(epoch FROM measured_at)::float8, extract(epoch FROM first_at)::float8,
                             ${now / 1000 + 1}::float8, ${POINTS_MAX}) AS stretch
      FROM measurement, LATERAL (
        SELECT min(measured_at) AS first_at FROM measurement WHERE topic_ref = ${topicRef} AND partition = -1
      ) AS bounds
      WHERE topic_ref = ${topicRef} AND partition = -1 AND measured_at < to_timestamp(${now / 1000 + 1}::float8)
    ), point AS (
      SELECT DISTINCT ON (stretch, mode) * FROM line ORDER BY stretch, mode, measured_at DESC
    )
    SELECT measured_at AS at, mode, distinct_keys, retained_records, written, dirty_ratio, removable_share FROM point
    UNION ALL
    SELECT confirmed_at, mode, distinct_keys, retained_records, written, dirty_ratio, removable_share
    FROM measurement WHERE topic_ref = ${topicRef} AND partition = -1 AND newest AND confirmed_at > measured_at
    ORDER BY at`;
  return rows.map((row) => ({
    at: row.at.getTime(),
    mode: row.mode,
    distinctKeys: toNumber(row.distinct_keys),
    retainedRecords: toNumber(row.retained_records),
    written: toNumber(row.written),
    dirtyRatio: row.dirty_ratio,
    removableShare: row.removable_share,
  }));
}

const toNumber = (value: bigint | null): number | null => (value === null ? null : Number(value));
