// The parts that run, and the order in which they end: those that use others first.
import { supervise } from "./supervisor.mjs";

// How long each may take before it is killed. Both ranks together stay below the 15 s in which everything has to be gone.
const RANKS = [
  { names: ["web", "worker", "demo writer"], graceMs: 5000 },
  { names: ["demo broker", "database"], graceMs: 7000 },
];

export function createParts(terminal) {
  /** @type {Map<string, {stop: (graceMs: number, signal?: NodeJS.Signals) => Promise<void>, signal?: NodeJS.Signals}>} */
  const running = new Map();
  /** Starts that have not come to their end. */
  const starting = new Map();
  let closing = false;

  /** Starts and supervises a part. @see supervise */
  async function add({ name, start, onDown, signal, details }) {
    // After a failure of one part the starts of others are still under way: nothing may come up behind the back of stopAll.
    if (closing) throw new Error("the launcher is stopping");
    const report = (state, text) => terminal.mark(state, details && state === "failed" ? `${text} ${details}` : text);
    const promise = supervise({ name, start, onDown, report });
    starting.set(name, promise);
    try {
      running.set(name, { ...(await promise), signal });
    } finally {
      starting.delete(name);
    }
    return running.get(name);
  }

  async function stopAll() {
    closing = true;
    for (const { names, graceMs } of RANKS) await Promise.all(names.map((name) => stopOne(name, graceMs)));
  }

  async function stopOne(name, graceMs) {
    const pending = starting.get(name);
    if (pending) await Promise.race([pending.catch(() => {}), delay(graceMs)]);
    const part = running.get(name);
    running.delete(name);
    await part?.stop(graceMs, part.signal);
  }

  return { add, stopAll };
}

const delay = (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs).unref());
