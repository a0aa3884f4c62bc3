/** Writes of measurements and samples, and of what was probed when. */
import type { MeasurementMode, PartitionMeasurement, TopicMeasurement } from "#lib/compaction/measurement.ts";
import { encodeDecimals } from "#lib/measurements/decimal-fields.ts";
import { foundTheSame, TOPIC_LINE, toFigures } from "#lib/measurements/figures.ts";
import type { DueTopic } from "#lib/measurements/probe-schedule.ts";
import { encodeMeasurement } from "#lib/measurements/stored-measurement.ts";
import type { DbSession } from "#lib/platform/db.ts";
import type { SealedBox } from "#lib/platform/sealed-box.ts";
import { type Measurement, Prisma } from "../../generated/prisma/client.ts";

export interface MeasuredTopic {
  topicRef: bigint;
  mode: MeasurementMode;
  /** Those that were measured this time. */
  partitions: readonly PartitionMeasurement[];
  topic: TopicMeasurement;
  /** Sum of log end offsets; null where one is not known. */
  written: number | null;
}

/** A measurement that found the same as the newest one confirms it; else it becomes the newest and the other history. */
export async function storeMeasurements(tx: DbSession, measured: MeasuredTopic): Promise<void> {
  const { topicRef, mode } = measured;
  const rows = await tx.measurement.findMany({ where: { topicRef, mode, newest: true } });
  const newest = new Map(rows.map((row) => [row.partition, row]));
  for (const partition of measured.partitions) {
    await storeOne(tx, topicRef, partition, partition.logEndOffset, newest.get(partition.partition));
  }
  await storeOne(tx, topicRef, measured.topic, measured.written, newest.get(TOPIC_LINE));
}

async function storeOne(
  tx: DbSession,
  topicRef: bigint,
  measurement: PartitionMeasurement | TopicMeasurement,
  written: number | null,
  before: Measurement | undefined,
): Promise<void> {
  const payload = encodeMeasurement(measurement) as Prisma.InputJsonValue;
  const at = new Date(measurement.measuredAt);
  if (before && foundTheSame(before.payload, encodeMeasurement(measurement))) {
    await tx.measurement.update({
      where: { id: before.id },
      data: { confirmedAt: at, payload, replicas: toReplicasColumn(measurement), ...toFigures(measurement, written) },
    });
    return;
  }
  if (before) {
    // History keeps the figures; where things lay in the log is kept of the newest only.
    await tx.$executeRaw`UPDATE measurement SET newest = false, payload = NULL, replicas = NULL WHERE id = ${before.id}`;
  }
  await tx.measurement.create({
    data: {
      topicRef,
      partition: measurement.partition ?? TOPIC_LINE,
      mode: measurement.mode,
      measuredAt: at,
      confirmedAt: at,
      newest: true,
      payload,
      replicas: toReplicasColumn(measurement),
      ...toFigures(measurement, written),
    },
  });
}

function toReplicasColumn(measurement: PartitionMeasurement | TopicMeasurement) {
  if (measurement.partition === null || measurement.mode !== "probe") return Prisma.DbNull;
  const { replicas, logStartOffset } = measurement;
  if (replicas === null || replicas.length < 2) return Prisma.DbNull;
  return encodeDecimals({ logStartOffset, replicas }) as Prisma.InputJsonValue;
}

const sampleName = (topicRef: bigint, partition: number): string => `key-sample:${topicRef}:${partition}`;

export async function storeKeySample(
  tx: DbSession,
  box: SealedBox,
  sample: { topicRef: bigint; partition: number; bytes: Uint8Array; formatVersion: number; madeAt: number },
): Promise<void> {
  const { topicRef, partition, formatVersion } = sample;
  const fields = {
    sealed: box.seal(sample.bytes, sampleName(topicRef, partition)),
    formatVersion,
    madeAt: new Date(sample.madeAt),
  };
  const where = { topicRef_partition: { topicRef, partition } };
  await tx.keySample.upsert({ where, create: { topicRef, partition, ...fields }, update: fields });
}

/** Null where there is none; throws where it can't be opened, which says why. */
export async function readKeySample(
  db: DbSession,
  box: SealedBox,
  topicRef: bigint,
  partition: number = TOPIC_LINE,
): Promise<{ bytes: Uint8Array; formatVersion: number; madeAt: number } | null> {
  const row = await db.keySample.findUnique({ where: { topicRef_partition: { topicRef, partition } } });
  if (!row) return null;
  const opened = box.open(row.sealed, sampleName(topicRef, partition));
  if (!opened.ok) throw new Error(opened.error);
  return { bytes: opened.value, formatVersion: row.formatVersion, madeAt: row.madeAt.getTime() };
}

/**
 * Thins out history: of a topic, one row a quarter of an hour after a day and one a day after 30 days; of a partition,
 * nothing after a day but the newest.
 */
export async function thinHistory(db: DbSession, now: number): Promise<number> {
  const dayAgo = new Date(now - 86_400_000);
  const monthAgo = new Date(now - 30 * 86_400_000);
  return db.$executeRaw`
    DELETE FROM measurement USING (
      SELECT id, row_number() OVER (
        PARTITION BY topic_ref, mode, date_bin(CASE WHEN measured_at < ${monthAgo} THEN interval '1 day'
          ELSE interval '15 minutes' END, measured_at, timestamptz '2000-01-01') ORDER BY measured_at DESC) AS place
      FROM measurement WHERE partition = -1 AND NOT newest AND measured_at < ${dayAgo}
      UNION ALL
      SELECT id, 2 FROM measurement WHERE partition >= 0 AND NOT newest AND measured_at < ${dayAgo}
    ) AS old
    WHERE measurement.id = old.id AND old.place > 1`;
}

/** A partition that failed keeps the log end and size of its last success, so that it still counts as changed. */
export async function markProbed(
  tx: DbSession,
  due: DueTopic,
  probedAt: number,
  errorOf: (partition: number) => string | null,
): Promise<void> {
  const rows = due.partitions.map(({ partition, logEnd, bytes }) => {
    const error = errorOf(partition);
    return error === null ? { partition, logEnd, bytes, error } : { partition, logEnd: null, bytes: null, error };
  });
  await tx.$executeRaw`
    UPDATE partition_state AS p SET
      probed_at = ${new Date(probedAt)}, probe_error = row.error,
      probed_end = CASE WHEN row.error IS NULL THEN row."logEnd" ELSE p.probed_end END,
      probed_bytes = CASE WHEN row.error IS NULL THEN row.bytes ELSE p.probed_bytes END
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS row(partition int, "logEnd" bigint, bytes bigint, error text)
    WHERE p.topic_ref = ${due.topicRef} AND p.partition = row.partition`;
}
