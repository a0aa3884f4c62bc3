/**
 * Server-sent events: `change` (a ChangeEvent as data) and `resync` (read everything anew; sent first, unless the browser
 * names the last event that it got and nothing after it was missed). A comment every 15 seconds keeps proxies from
 * closing the connection and tells the server of browsers that are gone.
 */
import type { ChangeFeed, FeedMessage } from "#lib/http/change-feed.ts";
import { openStreamClosers } from "#lib/http/stream-closers.ts";

const HEARTBEAT_MS = 15_000;
/** What the browser waits before it reconnects. */
const RETRY_MS = 2_000;

export function streamChanges(feed: ChangeFeed, lastEventId: string | null, signal: AbortSignal): Response {
  const encoder = new TextEncoder();
  let close = (): void => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      send(`retry: ${RETRY_MS}\n\n${openingMessages(feed, lastEventId).map(formatMessage).join("")}`);
      const unsubscribe = feed.subscribe((message) => send(formatMessage(message)));
      const heartbeat = setInterval(() => send(": still here\n\n"), HEARTBEAT_MS);
      close = () => {
        unsubscribe();
        clearInterval(heartbeat);
        openStreamClosers().delete(close);
        try {
          controller.close();
        } catch {
          // The browser closed it first.
        }
      };
      openStreamClosers().add(close);
      signal.addEventListener("abort", close, { once: true });
      if (signal.aborted) close();
    },
    cancel: () => close(),
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    },
  });
}

function openingMessages(feed: ChangeFeed, lastEventId: string | null): FeedMessage[] {
  const missed = lastEventId !== null && /^\d{1,15}$/.test(lastEventId) ? feed.since(Number(lastEventId)) : null;
  return missed === null ? [{ type: "resync" }] : missed.map((event) => ({ type: "change", event }));
}

/** JSON never holds a line break, so that a hostile name can't end the event's data. */
const formatMessage = (message: FeedMessage): string =>
  message.type === "resync"
    ? "event: resync\ndata: {}\n\n"
    : `id: ${message.event.id}\nevent: change\ndata: ${JSON.stringify(message.event)}\n\n`;
