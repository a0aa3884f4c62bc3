import { json, route } from "#lib/http/route.ts";
import { type TopicContext, topicUnknown } from "#lib/http/topic-request.ts";
import { getTopicView } from "#lib/topics/queries.ts";

export const dynamic = "force-dynamic";

export const GET = route<TopicContext>(async (_request, { params }) => {
  const { cluster, topic } = await params;
  const view = await getTopicView(cluster, topic);
  return view ? json(view) : topicUnknown(cluster);
});
