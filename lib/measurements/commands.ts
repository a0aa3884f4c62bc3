/** Stores what was found, whole or not at all. */
import { SAMPLE_FORMAT_VERSION } from "#lib/compaction/keys/sample-format.ts";
import { holdLease, type Lease } from "#lib/jobs/lease.ts";
import { TOPIC_LINE } from "#lib/measurements/figures.ts";
import type { DueTopic } from "#lib/measurements/probe-schedule.ts";
import type { ProbedTopic } from "#lib/measurements/probe-topic.ts";
import { type MeasuredTopic, markProbed, storeKeySample, storeMeasurements } from "#lib/measurements/store.ts";
import { announceChange } from "#lib/platform/change-event.ts";
import type { Db, DbSession } from "#lib/platform/db.ts";
import type { SealedBox } from "#lib/platform/sealed-box.ts";

interface Probe {
  clusterId: string;
  due: DueTopic;
  probedAt: number;
}

/** Throws `LeaseLostError` where another worker watches the cluster by now. */
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

/**
 * Within the transaction that ends the scan.
 * @param sample of the topic's keys; not kept where the topic is gone by now
 */
export async function storeScanned(
  tx: DbSession,
  box: SealedBox,
  scanned: Omit<MeasuredTopic, "mode"> & { clusterId: string; sample: Uint8Array },
): Promise<void> {
  const { clusterId, sample, ...measured } = scanned;
  const { topicRef, topic } = measured;
  await storeMeasurements(tx, { ...measured, mode: "scan" });
  const { goneAt } = await tx.topic.findUniqueOrThrow({ where: { id: topicRef }, select: { goneAt: true } });
  if (goneAt === null) {
    await storeKeySample(tx, box, {
      topicRef,
      partition: TOPIC_LINE,
      bytes: sample,
      formatVersion: SAMPLE_FORMAT_VERSION,
      madeAt: topic.measuredAt,
    });
  }
  await announceChange(tx, { kind: "topic", clusterId, topic: topic.topic });
}
