import { problem } from "#lib/http/problem.ts";
import { json, route } from "#lib/http/route.ts";
import { topicUnknown } from "#lib/http/topic-request.ts";
import { getTopicView } from "#lib/topics/queries.ts";

export const dynamic = "force-dynamic";

/** One topic by `?name=`: for names that can't be a segment of a path, such as `..`. */
export const GET = route<{ params: Promise<{ cluster: string }> }>(async (request, { params }) => {
  const { cluster } = await params;
  const name = new URL(request.url).searchParams.get("name");
  if (name === null) {
    return problem({
      status: 400,
      title: "The topic's name is missing.",
      detail: "Give it as ?name=…; GET /api/v1/fleet lists all topics.",
      field: "name",
    });
  }
  const view = await getTopicView(cluster, name);
  return view ? json(view) : topicUnknown(cluster);
});
