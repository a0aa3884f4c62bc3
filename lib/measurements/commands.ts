/** Writes of what probes found, refused where another worker watches the cluster by now. */
import { holdLease, type Lease } from "#lib/jobs/lease.ts";
import type { DueTopic } from "#lib/measurements/probe-schedule.ts";
import type { ProbedTopic } from "#lib/measurements/probe-topic.ts";
import { storeMeasurements } from "#lib/measurements/store.ts";
import { announceChange } from "#lib/platform/change-event.ts";
import type { Db, DbSession } from "#lib/platform/db.ts";

interface Probe {
  clusterId: string;
  due: DueTopic;
  probedAt: number;
}

/** Throws `LeaseLostError`. */
export async function storeProbe(db: Db, lease: Lease, probe: Probe & { probed: ProbedTopic }): Promise<void> {
  const { clusterId, due, probed, probedAt } = probe;
  await db.$transaction(
    async (tx) => {
      await holdLease(tx, lease);
      await storeMeasurements(tx, {
        topicRef: due.topicRef,
        mode: "probe",
        partitions: probed.partitions,
        topic: probed.topic,
        written: probed.written,
      });
      const failures = new Map(probed.failed.map(({ partition, message }) => [partition, message]));
      await markProbed(tx, due, probedAt, (partition) => failures.get(partition) ?? null);
      await announceChange(tx, { kind: "topic", clusterId, topic: due.topic });
    },
    { timeout: 30_000, maxWait: 10_000 },
  );
}

/** What was measured before stays. Throws `LeaseLostError`. */
export async function storeProbeFailure(db: Db, lease: Lease, failure: Probe & { error: string }): Promise<void> {
  await db.$transaction(async (tx) => {
    await holdLease(tx, lease);
    await markProbed(tx, failure.due, failure.probedAt, () => failure.error);
    await announceChange(tx, { kind: "topic", clusterId: failure.clusterId, topic: failure.due.topic });
  });
}

/** A partition that failed keeps the log end and size of its last success, so that it still counts as changed. */
async function markProbed(
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
