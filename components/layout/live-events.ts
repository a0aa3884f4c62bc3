/**
 * One event stream per browser, not per tab: over HTTP/1.1 a browser opens six connections to a server, so that a
 * seventh tab would hang. The tab that holds the lock reads the stream and tells the others over a channel; when it
 * closes, the lock passes on. Where locks or the stream fail, `live` is false and pages poll.
 */
import { paths } from "#lib/http/paths.ts";
import type { ChangeEvent } from "#lib/platform/change-event.ts";

export type LiveMessage = { type: "change"; event: ChangeEvent } | { type: "resync" } | { type: "live"; live: boolean };

const LOCK = "keyfold-events";
const CHANNEL = "keyfold-events";
/** After the server refused the stream; a lost connection is retried by the browser itself. */
const REOPEN_MS = 5_000;

/** @returns a function that stops following */
export function followEvents(tell: (message: LiveMessage) => void): () => void {
  // Locks exist in secure contexts only: https, or http on this machine.
  if (!("locks" in navigator) || typeof BroadcastChannel === "undefined") return () => undefined;
  const stopped = new AbortController();
  const channel = new BroadcastChannel(CHANNEL);
  let lead: ((asked: "state") => void) | null = null;
  channel.onmessage = ({ data }: MessageEvent<LiveMessage | "state?">) => {
    if (data === "state?") lead?.("state");
    else tell(data);
  };
  // A leader answers with its state; without one the lock below is granted at once.
  channel.postMessage("state?");
  const say = (message: LiveMessage): void => {
    tell(message);
    if (!stopped.signal.aborted) channel.postMessage(message);
  };
  navigator.locks
    .request(LOCK, { signal: stopped.signal }, () => readStream(say, stopped.signal, (answer) => (lead = answer)))
    .catch(() => undefined);
  return () => {
    stopped.abort();
    channel.close();
  };
}

/** Resolves when this tab stops, which gives the lock to the next one. */
function readStream(
  say: (message: LiveMessage) => void,
  stopped: AbortSignal,
  lead: (answer: (asked: "state") => void) => void,
): Promise<void> {
  return new Promise((resolve) => {
    let live = false;
    let source: EventSource | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const setLive = (next: boolean): void => {
      live = next;
      say({ type: "live", live });
    };
    const open = (): void => {
      source = new EventSource(paths.api.events());
      source.onopen = () => setLive(true);
      source.addEventListener("change", ({ data }) => say({ type: "change", event: JSON.parse(data) as ChangeEvent }));
      source.addEventListener("resync", () => say({ type: "resync" }));
      source.onerror = () => {
        setLive(false);
        if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, REOPEN_MS);
      };
    };
    lead(() => say({ type: "live", live }));
    stopped.addEventListener("abort", () => {
      clearTimeout(timer);
      source?.close();
      resolve();
    });
    open();
  });
}
