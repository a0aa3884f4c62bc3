import { json, route } from "#lib/http/route.ts";
import { getFleetView } from "#lib/topics/queries.ts";

export const dynamic = "force-dynamic";

export const GET = route(async () => json(await getFleetView()));
