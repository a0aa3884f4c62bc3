import { getChangeFeed } from "#lib/http/change-feed.ts";
import { streamChanges } from "#lib/http/event-stream.ts";
import { route } from "#lib/http/route.ts";

export const dynamic = "force-dynamic";

export const GET = route(async (request) =>
  streamChanges(getChangeFeed(), request.headers.get("last-event-id"), request.signal),
);
