/** Says that this worker lives, and notices when the database does not any more. */
import { beat, forgetWorkers, type WorkerIdentity } from "#lib/jobs/store.ts";
import { waitMs } from "#lib/platform/clock.ts";
import type { Db } from "#lib/platform/db.ts";
import { withDeadline } from "#lib/platform/deadline.ts";
import { describeError, type Log } from "#lib/platform/log.ts";

const BEAT_MS = 5_000;
const SILENCE_MAX_MS = 60_000;

export class DatabaseLostError extends Error {
  override readonly name = "DatabaseLostError";
}

/** Ends when `signal` is aborted. @throws DatabaseLostError after a minute of retries */
export async function beatForever(
  { db, log, worker }: { db: Db; log: Log; worker: WorkerIdentity },
  signal: AbortSignal,
): Promise<void> {
  let heardAt = performance.now();
  while (!signal.aborted) {
    try {
      await withDeadline(beat(db, worker, Date.now()), BEAT_MS, "Postgres did not answer");
      heardAt = performance.now();
    } catch (error) {
      log.warn("a heartbeat could not be stored", { error: describeError(error) });
      if (performance.now() - heardAt > SILENCE_MAX_MS) {
        throw new DatabaseLostError("Postgres was not reached for a minute. Check DATABASE_URL and the server.");
      }
    }
    await forgetWorkers(db, Date.now()).catch(() => undefined);
    await waitMs(BEAT_MS, signal);
  }
}
