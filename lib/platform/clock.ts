import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** Resolves after `ms`, or at once when `signal` is aborted; never rejects. */
export async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
