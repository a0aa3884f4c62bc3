// A command that has an end (install, build): logged to a file, its whole process group ended where the start is aborted.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import path from "node:path";
import { readLogTail } from "./log-files.mjs";

/** Runs a command to its end. Throws with the end of its output where it fails. */
export async function runCommand({ name, command, args, cwd, env, logFile, signal, uid, gid }) {
  signal?.throwIfAborted();
  mkdirSync(path.dirname(logFile), { recursive: true });
  const log = openSync(logFile, "w");
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", log, log], detached: true, uid, gid });
  closeSync(log);
  const end = () => endGroup(child);
  signal?.addEventListener("abort", end, { once: true });
  const how = await new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, by) => resolve(code === 0 ? null : by ? `signal ${by}` : `exit code ${code}`));
  });
  signal?.removeEventListener("abort", end);
  signal?.throwIfAborted();
  if (how !== null) throw new Error(`${name} failed (${how}), log ${logFile}:\n${readLogTail(logFile)}`);
}

function endGroup(child) {
  if (child.pid === undefined) return;
  const kill = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // Already gone.
    }
  };
  kill("SIGTERM");
  const timer = setTimeout(() => kill("SIGKILL"), 3000);
  child.once("exit", () => {
    clearTimeout(timer);
    kill("SIGKILL");
  });
}
