"use client";
import { createContext, type ReactNode, use, useEffect, useMemo, useSyncExternalStore } from "react";

/** The server's clock as the page knows it: the time of the last answer, moved on by the browser's own clock. */
interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  subscribe(listener: () => void): () => void;
  readAt: number;
}

const ClockContext = createContext<Clock | null>(null);

const TICK_MS = 1000;

/** Starts one timer for all that shows an age; a browser whose clock is wrong still shows right ages. */
function startClock(readAt: number): Clock & { stop(): void } {
  const listeners = new Set<() => void>();
  let startedAt: number | null = null;
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    readAt,
    stop,
    now: () => (startedAt === null ? readAt : readAt + performance.now() - startedAt),
    subscribe: (listener) => {
      startedAt ??= performance.now();
      listeners.add(listener);
      timer ??= setInterval(() => {
        for (const each of listeners) each();
      }, TICK_MS);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
  };
}

/** @param readAt when the server read what the page shows, milliseconds since the epoch */
export function ClockProvider({ readAt, children }: { readAt: number; children: ReactNode }) {
  const clock = useMemo(() => startClock(readAt), [readAt]);
  useEffect(() => clock.stop, [clock]);
  return <ClockContext value={clock}>{children}</ClockContext>;
}

/** Something derived from the time, which renders again only when it changes. */
export function useAtNow<T extends string | number | boolean>(derive: (now: number) => T): T {
  const clock = use(ClockContext);
  if (clock === null) throw new Error("useAtNow needs a ClockProvider above it.");
  return useSyncExternalStore(
    clock.subscribe,
    () => derive(clock.now()),
    () => derive(clock.readAt),
  );
}
