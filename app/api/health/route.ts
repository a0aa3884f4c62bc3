import { json, route } from "#lib/http/route.ts";

export const dynamic = "force-dynamic";

/** The web process is alive; nothing else is looked at. */
export const GET = route(async () => json({ status: "alive" }));
