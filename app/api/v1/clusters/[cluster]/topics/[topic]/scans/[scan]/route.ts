import { json, route } from "#lib/http/route.ts";
import { type ScanContext, scanUnknown } from "#lib/http/topic-request.ts";
import { getScanView } from "#lib/scans/queries.ts";

export const dynamic = "force-dynamic";

export const GET = route<ScanContext>(async (_request, { params }) => {
  const { cluster, topic, scan } = await params;
  const view = await getScanView({ clusterId: cluster, topic, scanId: scan });
  return view ? json(view) : scanUnknown();
});
