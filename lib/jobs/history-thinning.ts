/** Keeps history from growing without bound: once an hour, by one worker. */
import { acquireLease } from "#lib/jobs/lease.ts";
import { thinHistory } from "#lib/measurements/store.ts";
import { waitMs } from "#lib/platform/clock.ts";
import type { Db } from "#lib/platform/db.ts";
import { describeError, type Log } from "#lib/platform/log.ts";

const HOUR_MS = 60 * 60_000;

export async function thinForever(
  { db, log, workerId }: { db: Db; log: Log; workerId: string },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      // Not renewed within the hour: whoever comes first after it does the next round.
      if (await acquireLease(db, "thin-history", workerId, HOUR_MS / 2)) {
        const removed = await thinHistory(db, Date.now());
        if (removed > 0) log.info("history was thinned out", { removed });
      }
    } catch (error) {
      log.warn("history could not be thinned out", { error: describeError(error) });
    }
    await waitMs(HOUR_MS, signal);
  }
}
