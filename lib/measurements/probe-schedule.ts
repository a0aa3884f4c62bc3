/** When a partition is probed again, and how fast probes follow each other. Pure. */

/** A partition that changes is not probed more often than this. */
export const PAUSE_MIN_MS = 30_000;
/** A partition that changes is probed at least this often, whatever changes more. */
export const PAUSE_MAX_MS = 5 * 60_000;
/** One that does not change is still looked at: what an outside view can't see may have happened. */
export const PAUSE_IDLE_MS = 60 * 60_000;
/** After a failure. */
export const PAUSE_FAILED_MS = 60_000;

export interface DueTopic {
  topicRef: bigint;
  topic: string;
  topicId: string;
  /** Those that are due, with where they stood at the last poll; the bytes are those of all replicas, the leader's twice. */
  partitions: { partition: number; logEnd: number | null; bytes: number | null }[];
}

/**
 * How long to wait so that `requests` since `startedAt` stay within the budget.
 * @param requestsPerSecond null: no limit
 */
export function pauseForBudgetMs(
  requests: number,
  requestsPerSecond: number | null,
  startedAt: number,
  now: number,
): number {
  if (requestsPerSecond === null) return 0;
  return Math.max(0, startedAt + (requests / requestsPerSecond) * 1000 - now);
}
