// Keeps a part running: what crashes is started again, after pauses that grow while it keeps crashing.
import { setTimeout as sleep } from "node:timers/promises";

const PAUSES_MS = [500, 1000, 2000, 5000, 10_000, 30_000];
// A part that ran this long has recovered: its next crash counts as the first.
const STEADY_MS = 60_000;

/**
 * Starts a part and keeps it running until `stop`.
 *
 * @param {object} part
 * @param {string} part.name for messages
 * @param {() => Promise<import("./service-process.mjs").ServiceProcess>} part.start resolves once the part works
 * @param {(state: "failed" | "done", text: string) => void} part.report told about crashes and restarts
 * @param {() => Promise<void> | void} [part.onDown] run after each crash, before the pause
 * @param {readonly number[]} [part.pausesMs]
 * @returns {Promise<{pid: () => number | null, stop: (graceMs: number, signal?: NodeJS.Signals) => Promise<void>}>} rejects where the
 *   first start fails: nothing is retried before the part has worked once
 */
export async function supervise({ name, start, report, onDown = () => {}, pausesMs = PAUSES_MS }) {
  const stopping = new AbortController();
  let running = await start();
  const loop = keepRunning();

  async function keepRunning() {
    let crashes = 0;
    while (!stopping.signal.aborted) {
      const since = Date.now();
      const how = await running.exited;
      running = null;
      if (stopping.signal.aborted) return;
      await onDown();
      if (Date.now() - since > STEADY_MS) crashes = 0;
      report("failed", `${name} ended (${how}); it is started again.`);
      while (running === null && !stopping.signal.aborted) {
        const pauseMs = pausesMs[Math.min(crashes++, pausesMs.length - 1)];
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
        if (!stopping.signal.aborted) running = await tryStart();
      }
    }
    // A start that was under way when the stop came in.
    await running?.stop(1000, "SIGKILL");
    running = null;
  }

  async function tryStart() {
    try {
      const started = await start();
      report("done", `${name} runs again.`);
      return started;
    } catch (error) {
      report("failed", `${name} could not be started: ${error.message}`);
      return null;
    }
  }

  return {
    pid: () => running?.pid ?? null,
    async stop(graceMs, signal) {
      stopping.abort();
      await running?.stop(graceMs, signal);
      await loop;
    },
  };
}
