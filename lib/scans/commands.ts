/** What people order about measurements. */
import { randomUUID } from "node:crypto";
import { type Db, getDb } from "#lib/platform/db.ts";
import { fail, ok, type Result } from "#lib/platform/result.ts";
import { enqueueScan, openScanSender } from "#lib/scans/queue.ts";
import { isScanId } from "#lib/scans/scan-id.ts";
import { toScanView } from "#lib/scans/scan-row.ts";
import { nextScanState, OPEN_SCAN_STATES } from "#lib/scans/scan-states.ts";
import type { ScanView } from "#lib/scans/scan-view.ts";
import { announceScan, endScan, lockScan } from "#lib/scans/store.ts";
import { findTopicByName } from "#lib/topics/queries.ts";

export type ScanRefusal =
  | { reason: "topic-unknown" | "topic-gone" | "scan-unknown" }
  | { reason: "scan-open" | "scan-ended"; scan: ScanView };

export interface ScanOrderInput {
  clusterId: string;
  topic: string;
  requestedBy: string;
}

/** Orders a scan of every partition; one of a topic at a time. */
export async function requestScan(
  { clusterId, topic: name, requestedBy }: ScanOrderInput,
  db: Db = getDb(),
  now: number = Date.now(),
): Promise<Result<ScanView, ScanRefusal>> {
  const topic = await findTopicByName(db, clusterId, name);
  if (!topic) return fail({ reason: "topic-unknown" });
  if (topic.goneAt) return fail({ reason: "topic-gone" });
  const of = { clusterId, topic: name };
  const sender = await openScanSender(db);
  return db.$transaction(async (tx) => {
    // The topic's row is the lock: two orders of the same moment come one after the other.
    await tx.$queryRaw`SELECT id FROM topic WHERE id = ${topic.id} FOR UPDATE`;
    const open = await tx.scanRequest.findFirst({
      where: { topicRef: topic.id, state: { in: [...OPEN_SCAN_STATES] } },
    });
    if (open) return fail({ reason: "scan-open" as const, scan: toScanView(open, of) });
    const row = await tx.scanRequest.create({
      data: {
        id: randomUUID(),
        topicRef: topic.id,
        state: "queued",
        requestedAt: new Date(now),
        requestedBy,
        partitionCount: topic.partitionCount,
      },
    });
    await enqueueScan(sender, tx, { scanId: row.id }, clusterId);
    await announceScan(tx, { ...of, id: row.id });
    return ok(toScanView(row, of));
  });
}

/** A scan that waits is cancelled at once, one that runs when its worker has stopped (within seconds). */
export async function cancelScan(
  scanId: string,
  db: Db = getDb(),
  now: number = Date.now(),
): Promise<Result<ScanView, ScanRefusal>> {
  if (!isScanId(scanId)) return fail({ reason: "scan-unknown" });
  return db.$transaction(async (tx) => {
    const row = await lockScan(tx, scanId);
    if (!row) return fail({ reason: "scan-unknown" as const });
    const state = nextScanState(row.state, "requestCancellation");
    const of = { clusterId: row.clusterId, topic: row.topic };
    if (state === "cancelled") await endScan(tx, row, "requestCancellation", null, now);
    if (state === "cancelling") {
      await tx.scanRequest.update({ where: { id: scanId }, data: { state } });
      await announceScan(tx, row);
    }
    const view = toScanView(await tx.scanRequest.findUniqueOrThrow({ where: { id: scanId } }), of);
    // Asking twice is no mistake.
    if (state === null && row.state !== "cancelling") return fail({ reason: "scan-ended" as const, scan: view });
    return ok(view);
  });
}
