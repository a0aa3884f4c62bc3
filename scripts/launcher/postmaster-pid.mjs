// The pid file that Postgres keeps in its data folder: line 1 the pid, line 4 the port.
// https://github.com/postgres/postgres/blob/REL_18_0/src/include/utils/pidfile.h
import { readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { readStartTime } from "./process-identity.mjs";

const fileOf = (dataFolder) => path.join(dataFolder, "postmaster.pid");

/**
 * Looks at who holds the data folder: {state: "none"} | {state: "stale", pid} (the pid is now another program's, which
 * would keep Postgres from ever starting) | {state: "running", pid, port}. A pid of no process is "none": Postgres clears it by itself.
 */
export function readPostmaster(dataFolder) {
  let lines;
  try {
    lines = readFileSync(fileOf(dataFolder), "utf8").split("\n");
  } catch {
    return { state: "none" };
  }
  const pid = Number.parseInt(lines[0], 10);
  const port = Number.parseInt(lines[3], 10);
  if (!Number.isInteger(pid) || readStartTime(pid) === null) return { state: "none" };
  if (!isPostmasterOf(pid, dataFolder)) return { state: "stale", pid };
  return { state: "running", pid, port };
}

export function removeStalePidFile(dataFolder) {
  rmSync(fileOf(dataFolder), { force: true });
}

/** A postmaster works inside its data folder; where /proc can't tell, the file is believed. */
function isPostmasterOf(pid, dataFolder) {
  if (process.platform !== "linux") return true;
  try {
    if (readFileSync(`/proc/${pid}/comm`, "utf8").trim() !== "postgres") return false;
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataFolder);
  } catch {
    return readStartTime(pid) !== null;
  }
}
