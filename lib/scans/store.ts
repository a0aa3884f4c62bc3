/** Writes of scan requests. Every write of a worker names its epoch, so that one that was replaced can't change a thing. */

import { announceChange } from "#lib/platform/change-event.ts";
import type { Db, DbSession } from "#lib/platform/db.ts";
import type { SealedBox } from "#lib/platform/sealed-box.ts";
import type { ScanAction } from "#lib/scans/scan-states.ts";
import { nextScanState, statesFor } from "#lib/scans/scan-states.ts";
import type { ScanState, ScanView } from "#lib/scans/scan-view.ts";

/** A scan in the hands of a worker. */
export interface ClaimedScan {
  id: string;
  epoch: number;
  topicRef: bigint;
  clusterId: string;
  topic: string;
  topicId: string;
  partitionCount: number;
}

/** What a worker tells while it scans. */
export type ScanProgress = Pick<
  ScanView,
  "progress" | "recordsScanned" | "bytesRead" | "partitionsDone" | "partitionCount" | "remainingMs"
>;

/** Why a worker must stop: the scan is to be cancelled, or is no longer its own. */
export type ScanOrder = "go-on" | "cancel" | "stop";

/**
 * Takes a scan that waits or whose worker is no longer heard of. A scan that was to be cancelled is cancelled by it.
 * Null where there is nothing to do.
 */
export async function claimScan(db: Db, scanId: string, workerId: string, now: number): Promise<ClaimedScan | null> {
  return db.$transaction(async (tx) => {
    const row = await lockScan(tx, scanId);
    if (!row) return null;
    if (row.state === "cancelling") await endScan(tx, row, "confirmCancellation", null, now);
    if (nextScanState(row.state, "claim") === null) return null;
    const epoch = row.epoch + 1;
    await tx.scanRequest.update({
      where: { id: scanId },
      data: {
        state: "running",
        epoch,
        workerId,
        reportedAt: new Date(now),
        startedAt: row.startedAt ?? new Date(now),
        error: null,
      },
    });
    await announceScan(tx, row);
    const { topicRef, clusterId, topic, topicId, partitionCount } = row;
    return { id: scanId, epoch, topicRef, clusterId, topic, topicId, partitionCount };
  });
}

/** Stores how far a scan is, and answers what its worker has to do. */
export async function reportScan(db: Db, scan: ClaimedScan, progress: ScanProgress, now: number): Promise<ScanOrder> {
  return db.$transaction(async (tx) => {
    const row = await lockScan(tx, scan.id);
    if (!row || row.epoch !== scan.epoch || nextScanState(row.state, "report") === null) return "stop";
    await tx.scanRequest.update({
      where: { id: scan.id },
      data: {
        progress: Math.min(1, Math.max(0, progress.progress)),
        recordsScanned: BigInt(progress.recordsScanned),
        bytesRead: BigInt(progress.bytesRead),
        partitionsDone: progress.partitionsDone,
        partitionCount: progress.partitionCount,
        remainingMs: progress.remainingMs === null ? null : BigInt(Math.round(progress.remainingMs)),
        reportedAt: new Date(now),
      },
    });
    await announceScan(tx, row);
    return row.state === "cancelling" ? "cancel" : "go-on";
  });
}

const checkpointName = (scanId: string): string => `scan-checkpoint:${scanId}`;

/** A checkpoint holds hashes of keys: sealed like a sample, and dropped with the scan's end. */
export async function storeCheckpoint(
  db: Db,
  box: SealedBox,
  scan: ClaimedScan,
  bytes: Uint8Array,
  now: number,
): Promise<void> {
  await db.scanRequest.updateMany({
    where: { id: scan.id, epoch: scan.epoch, state: { in: statesFor("report") } },
    data: { checkpointSealed: box.seal(bytes, checkpointName(scan.id)), checkpointAt: new Date(now) },
  });
}

/** Null where there is none, or where it was sealed with another secret: then the scan begins anew. */
export async function readCheckpoint(db: DbSession, box: SealedBox, scanId: string): Promise<Uint8Array | null> {
  const row = await db.scanRequest.findUnique({ where: { id: scanId }, select: { checkpointSealed: true } });
  if (!row?.checkpointSealed) return null;
  const opened = box.open(row.checkpointSealed, checkpointName(scanId));
  return opened.ok ? opened.value : null;
}

type Ending = Extract<ScanAction, "succeed" | "fail" | "confirmCancellation">;

/**
 * Ends a scan within `tx`, which may store its result beside. False where it is not the caller's any more or `ending`
 * is not allowed in its state: then nothing else may be stored either.
 */
export async function finishScan(
  tx: DbSession,
  scan: ClaimedScan,
  ending: Ending,
  error: string | null,
  now: number,
): Promise<boolean> {
  const row = await lockScan(tx, scan.id);
  if (!row || row.epoch !== scan.epoch || nextScanState(row.state, ending) === null) return false;
  await endScan(tx, row, ending, error, now);
  return true;
}

export interface LockedScan {
  id: string;
  state: ScanState;
  epoch: number;
  startedAt: Date | null;
  topicRef: bigint;
  clusterId: string;
  topic: string;
  topicId: string;
  partitionCount: number;
}

/** Locks the row until the transaction ends. */
export async function lockScan(tx: DbSession, scanId: string): Promise<LockedScan | null> {
  const locked = await tx.$queryRaw<
    { id: string }[]
  >`SELECT id FROM scan_request WHERE id = ${scanId}::uuid FOR UPDATE`;
  if (locked.length === 0) return null;
  const row = await tx.scanRequest.findUniqueOrThrow({ where: { id: scanId }, include: { topic: true } });
  return {
    id: row.id,
    state: row.state as ScanState,
    epoch: row.epoch,
    startedAt: row.startedAt,
    topicRef: row.topicRef,
    clusterId: row.topic.clusterId,
    topic: row.topic.name,
    topicId: row.topic.topicId,
    partitionCount: row.topic.partitionCount,
  };
}

/** Throws where `action` is not allowed in the row's state: check first. */
export async function endScan(
  tx: DbSession,
  row: LockedScan,
  action: ScanAction,
  error: string | null,
  now: number,
): Promise<void> {
  const state = nextScanState(row.state, action);
  if (state === null) throw new Error(`A scan that is ${row.state} does not allow ${action}.`);
  await tx.scanRequest.update({
    where: { id: row.id },
    data: {
      state,
      error,
      endedAt: new Date(now),
      remainingMs: null,
      checkpointSealed: null,
      ...(state === "succeeded" ? { progress: 1 } : {}),
    },
  });
  await announceScan(tx, row);
}

export const announceScan = (tx: DbSession, row: { clusterId: string; topic: string; id: string }): Promise<void> =>
  announceChange(tx, { kind: "scan", clusterId: row.clusterId, topic: row.topic, scanId: row.id });
