// The steps of a start, for the terminal and the progress page alike.

const SYMBOLS = { running: "…", done: "✓", failed: "✗", skipped: "–" };
const COLORS = { running: 36, done: 32, failed: 31, skipped: 33 };

/** Shows lines on a terminal; colours only where the terminal has them and NO_COLOR is not set. */
export function createTerminal(stream, env) {
  const colored = Boolean(stream.isTTY) && !env.NO_COLOR;
  const paint = (text, code) => (colored ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    line: (text) => stream.write(`${text}\n`),
    mark: (state, text) => stream.write(`${paint(SYMBOLS[state], COLORS[state])} ${text}\n`),
  };
}

/**
 * Keeps the steps. A step is {id, title, state: running|done|failed|skipped, startedAt, endedAt, detail}; times are epoch
 * milliseconds.
 *
 * @param {{mark: (state: string, text: string) => void}} terminal
 * @param {{resumed?: {startedAt: number, steps: object[]}, now?: () => number}} [options] `resumed`: snapshot of the process that
 *   went before, where the launcher re-executed itself
 */
export function createProgress(terminal, { resumed, now = Date.now } = {}) {
  const startedAt = resumed?.startedAt ?? now();
  const steps = resumed?.steps ?? [];
  const find = (id) => steps.find((step) => step.id === id);

  function begin(id, title) {
    const step = find(id);
    const fresh = { id, title, state: "running", startedAt: now(), endedAt: null, detail: "" };
    if (step) Object.assign(step, fresh);
    else steps.push(fresh);
    terminal.mark("running", title);
  }

  function end(id, state, detail = "") {
    const step = find(id);
    Object.assign(step, { state, detail, endedAt: now() });
    const took = formatSeconds(step.endedAt - step.startedAt);
    terminal.mark(state, `${step.title} (${took})${detail && `: ${detail}`}`);
  }

  /** Runs a step: done when the action returns (its text, if any, is the detail), failed when it throws. */
  async function run(id, title, action) {
    begin(id, title);
    try {
      const result = await action((detail) => Object.assign(find(id), { detail }));
      end(id, "done", typeof result === "string" ? result : "");
      return result;
    } catch (error) {
      if (error.name === "AbortError") end(id, "skipped", "stopped");
      else end(id, "failed", error.message);
      throw error;
    }
  }

  return { begin, end, run, snapshot: () => ({ startedAt, now: now(), steps: steps.map((step) => ({ ...step })) }) };
}

export function formatSeconds(durationMs) {
  const seconds = durationMs / 1000;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}
