/** From a stored scan request to what the page and the REST API show. */
import type { ScanState, ScanView } from "#lib/scans/scan-view.ts";
import type { ScanRequest } from "../../generated/prisma/client.ts";

export function toScanView(row: ScanRequest, of: { clusterId: string; topic: string }): ScanView {
  return {
    id: row.id,
    ...of,
    state: row.state as ScanState,
    requestedAt: row.requestedAt.getTime(),
    startedAt: row.startedAt?.getTime() ?? null,
    endedAt: row.endedAt?.getTime() ?? null,
    progress: row.progress,
    recordsScanned: Number(row.recordsScanned),
    bytesRead: Number(row.bytesRead),
    partitionsDone: row.partitionsDone,
    partitionCount: row.partitionCount,
    remainingMs: row.remainingMs === null ? null : Number(row.remainingMs),
    error: row.error,
  };
}
