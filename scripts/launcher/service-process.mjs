// A long-running child process: started in a group of its own, logged to a file, recorded in a pid file, and ended in order.
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { watchParent } from "../kafka/parent-watch.mjs";
import { readLivePidFile, removePidFile, writePidFile } from "./pid-file.mjs";
import { isSameProcess, readStartTime } from "./process-identity.mjs";

/**
 * @typedef {object} ServiceProcess
 * @property {number} pid
 * @property {Promise<string>} exited settles with how it ended, as text
 * @property {(graceMs: number, signal?: NodeJS.Signals) => Promise<void>} stop asks, waits, then kills the whole group
 * @property {import("node:child_process").ChildProcess} [child] where it is a child of this process
 */

/** Where the pid file of a service stands. */
export const pidFileOf = (dataFolder, name) => path.join(dataFolder, "run", `${name}.json`);

/**
 * Starts a service. Its own process group keeps a Ctrl-C on the terminal from reaching it before the launcher decides;
 * the watch ends it where the launcher itself is killed.
 *
 * @returns {Promise<ServiceProcess>}
 */
export async function spawnService({ command, args, cwd, env, logFile, pidFile, stdio = [], uid, gid, facts }) {
  const log = openSync(logFile, "a");
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", log, log, ...stdio], detached: true, uid, gid });
  closeSync(log);
  const exited = new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  if (child.pid === undefined) throw new Error(`${command} could not be started: ${await exited}`);
  writePidFile(pidFile, child.pid, facts);
  const watch = watchParent(child.pid);
  exited.then(() => {
    watch.release();
    removePidFile(pidFile, child.pid);
  });
  return { pid: child.pid, child, exited, stop: (graceMs, signal) => endProcess(child.pid, exited, graceMs, signal) };
}

/** A process that an earlier launcher started: it is no child of this one, so its end is seen by looking. */
export function adoptProcess(pid) {
  const recorded = { pid, startTime: readStartTime(pid) };
  const watch = watchParent(pid);
  const exited = waitForEnd(recorded).then(() => {
    watch.release();
    return "ended";
  });
  return { pid, exited, stop: (graceMs, signal) => endProcess(pid, exited, graceMs, signal) };
}

/** Ends what a pid file records, where exactly that process still runs. */
export async function endRecorded(pidFile, graceMs) {
  const recorded = readLivePidFile(pidFile);
  if (recorded === null) return false;
  await endProcess(recorded.pid, waitForEnd(recorded), graceMs);
  removePidFile(pidFile, recorded.pid);
  return true;
}

async function waitForEnd(recorded) {
  while (isSameProcess(recorded)) await sleep(200);
}

async function endProcess(pid, exited, graceMs, signal = "SIGTERM") {
  send(pid, signal);
  const timer = setTimeout(() => killGroup(pid), graceMs);
  await exited;
  clearTimeout(timer);
}

function killGroup(pid) {
  if (!send(-pid, "SIGKILL")) send(pid, "SIGKILL");
}

function send(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
