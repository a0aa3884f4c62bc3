import { json, route } from "#lib/http/route.ts";
import { answerRefusal, type TopicContext } from "#lib/http/topic-request.ts";
import { requestScan } from "#lib/scans/commands.ts";

export const dynamic = "force-dynamic";

/** Until there is a sign-in, whoever sits at this machine. */
const REQUESTED_BY = "local";

export const POST = route<TopicContext>(async (_request, { params }) => {
  const { cluster, topic } = await params;
  const scan = await requestScan({ clusterId: cluster, topic, requestedBy: REQUESTED_BY });
  return scan.ok ? json(scan.value, 202) : answerRefusal(scan.error, cluster);
});
