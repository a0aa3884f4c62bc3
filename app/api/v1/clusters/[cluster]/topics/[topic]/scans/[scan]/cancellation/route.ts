import { json, route } from "#lib/http/route.ts";
import { answerRefusal, type ScanContext, scanUnknown } from "#lib/http/topic-request.ts";
import { cancelScan } from "#lib/scans/commands.ts";
import { getScanView } from "#lib/scans/queries.ts";

export const dynamic = "force-dynamic";

export const POST = route<ScanContext>(async (_request, { params }) => {
  const { cluster, topic, scan } = await params;
  if (!(await getScanView({ clusterId: cluster, topic, scanId: scan }))) return scanUnknown();
  const cancelled = await cancelScan(scan);
  return cancelled.ok ? json(cancelled.value, 202) : answerRefusal(cancelled.error, cluster);
});
