import { json, route } from "#lib/http/route.ts";
import { getReadiness } from "#lib/jobs/queries.ts";

export const dynamic = "force-dynamic";

export const GET = route(async () => {
  const readiness = await getReadiness();
  return json(readiness, readiness.ready ? 200 : 503);
});
