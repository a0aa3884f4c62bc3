import { type DbSession, getDb } from "#lib/platform/db.ts";
import { isScanId } from "#lib/scans/scan-id.ts";
import { toScanView } from "#lib/scans/scan-row.ts";
import type { ScanView } from "#lib/scans/scan-view.ts";

/** Null where there is no such scan of this topic. */
export async function getScanView(
  { clusterId, topic, scanId }: { clusterId: string; topic: string; scanId: string },
  db: DbSession = getDb(),
): Promise<ScanView | null> {
  if (!isScanId(scanId) || topic.includes("\0")) return null;
  const row = await db.scanRequest.findFirst({ where: { id: scanId, topic: { clusterId, name: topic } } });
  return row ? toScanView(row, { clusterId, topic }) : null;
}
