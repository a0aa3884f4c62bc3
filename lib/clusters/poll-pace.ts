/** When a cluster is polled next. Pure. */
export const DEFAULT_POLL_INTERVAL_MS = 15_000;
const BACK_OFF_FIRST_MS = 2_000;
const BACK_OFF_MAX_MS = 30_000;

/** @param failures in a row; a cluster that comes back is seen within half a minute */
export function pauseBeforePollMs(failures: number, pollIntervalMs: number, tookMs: number): number {
  if (failures === 0) return Math.max(0, pollIntervalMs - tookMs);
  return Math.min(BACK_OFF_MAX_MS, BACK_OFF_FIRST_MS * 2 ** Math.min(failures - 1, 10));
}
