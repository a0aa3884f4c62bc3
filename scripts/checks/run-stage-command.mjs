// @ts-check
/** Runs one check to its end in a process group of its own, of which nothing is left afterwards. */
import { spawn } from "node:child_process";
import { watchParent } from "../kafka/parent-watch.mjs";

/** @type {Set<number>} */
const running = new Set();

/** @param {number} pid @param {NodeJS.Signals} signal */
function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}

/** Ends what runs now; for Ctrl-C. */
export function endRunningCommands() {
  for (const pid of running) signalGroup(pid, "SIGTERM");
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd: string, env: NodeJS.ProcessEnv, capture?: boolean, timeoutMs?: number}} options `capture`: give its
 *   standard output back instead of showing it
 * @returns {Promise<{code: number | null, output: string, problem: string | null}>}
 */
export function runStageCommand(command, args, { cwd, env, capture = false, timeoutMs = 30 * 60_000 }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ["ignore", capture ? "pipe" : "inherit", "inherit"],
      detached: true,
    });
    const pid = child.pid;
    if (pid === undefined) {
      child.on("error", (error) => resolve({ code: null, output: "", problem: error.message }));
      return;
    }
    running.add(pid);
    const watch = watchParent(pid);
    let output = "";
    let problem = /** @type {string | null} */ (null);
    child.stdout?.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
    const timer = setTimeout(() => {
      problem = `not done within ${Math.round(timeoutMs / 60_000)} minutes`;
      signalGroup(pid, "SIGTERM");
      setTimeout(() => signalGroup(pid, "SIGKILL"), 10_000).unref();
    }, timeoutMs);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      watch.release();
      running.delete(pid);
      signalGroup(pid, "SIGKILL");
      if (signal && !problem) problem = `ended by ${signal}`;
      resolve({ code, output, problem });
    });
  });
}
