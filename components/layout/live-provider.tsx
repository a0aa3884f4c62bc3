"use client";
import { QueryClient, QueryClientProvider, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useState } from "react";
import { callApi } from "#components/layout/fetch-view.ts";
import { followEvents, type LiveMessage } from "#components/layout/live-events.ts";

/** Without the event stream views are read again this often; with it, rarely, in case an event was lost. */
const POLL_MS = 10_000;
const SAFETY_POLL_MS = 60_000;
/** Changes come in bursts (a poll touches many topics); a view is read once for all of them. */
const BURST_MS = 750;
/** A view that takes long to read is read less often: at most this part of the time is spent on it. */
const READING_SHARE_MAX = 0.1;

/** How long reading a view took last, by its key. */
const readingMs = new Map<string, number>();
const nameOf = (key: readonly string[]): string => key.join("\u0000");

async function readTimed<T>(key: readonly string[], path: string): Promise<T> {
  const startedAt = performance.now();
  try {
    return await callApi<T>(path);
  } finally {
    readingMs.set(nameOf(key), performance.now() - startedAt);
  }
}

const LiveContext = createContext(false);

export function LiveProvider({ children }: { children: ReactNode }) {
  const [client] = useState(
    () => new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 5_000, networkMode: "always" } } }),
  );
  return (
    <QueryClientProvider client={client}>
      <EventFollower>{children}</EventFollower>
    </QueryClientProvider>
  );
}

function EventFollower({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [live, setLive] = useState(false);
  useEffect(() => {
    // From here on buttons answer; tests wait for it.
    document.documentElement.dataset.interactive = "true";
    const timers = new Map<string, ReturnType<typeof setTimeout>>();
    const touch = (queryKey: readonly string[]): void => {
      const name = nameOf(queryKey);
      if (timers.has(name)) return;
      const wait = Math.max(BURST_MS, (readingMs.get(name) ?? 0) / READING_SHARE_MAX);
      const read = (): void => {
        timers.delete(name);
        void client.invalidateQueries({ queryKey });
      };
      timers.set(name, setTimeout(read, wait));
    };
    const stop = followEvents((message) => {
      if (message.type === "live") setLive(message.live);
      for (const key of keysOf(message)) touch(key);
    });
    return () => {
      stop();
      for (const timer of timers.values()) clearTimeout(timer);
    };
  }, [client]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

/** The views that a message makes old. */
function keysOf(message: LiveMessage): (readonly string[])[] {
  if (message.type === "live") return [];
  if (message.type === "resync") return [["fleet"], ["topic"]];
  const { kind, clusterId, topic } = message.event;
  const topicKey = topic === undefined ? ["topic", clusterId] : ["topic", clusterId, topic];
  return kind === "scan" ? [topicKey] : [["fleet"], topicKey];
}

export interface LiveView<T> {
  view: T;
  /** Why the last try to read it failed; null where it is fresh. */
  error: string | null;
  refresh: () => void;
}

interface LiveViewOptions<T> {
  key: readonly string[];
  path: string;
  initial: T;
  /** `initial` is only the part that is seen first. */
  partial?: boolean;
  /** How often to read again whatever the stream does, by what was read last; null: as usual. */
  everyMs?: (view: T) => number | null;
}

/** A view that came with the page and is kept fresh from then on. */
export function useLiveView<T>({ key, path, initial, partial = false, everyMs }: LiveViewOptions<T>): LiveView<T> {
  const live = use(LiveContext);
  const query = useQuery({
    queryKey: key,
    queryFn: () => readTimed<T>(key, path),
    initialData: initial,
    // A part of the view is read in full at once.
    initialDataUpdatedAt: partial ? 0 : undefined,
    refetchInterval: ({ state }) => everyMs?.(state.data as T) ?? (live ? SAFETY_POLL_MS : POLL_MS),
  });
  return { view: query.data ?? initial, error: query.error?.message ?? null, refresh: () => void query.refetch() };
}
