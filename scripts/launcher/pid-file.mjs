// Pid files of everything that the launcher starts, so that a later launcher finds what an earlier one left behind.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isSameProcess, readStartTime } from "./process-identity.mjs";

/** Records a running process. Extra facts (a port, say) may ride along. */
export function writePidFile(file, pid, facts = {}) {
  const startTime = readStartTime(pid);
  if (startTime === null) return;
  writeFileSync(`${file}.new`, `${JSON.stringify({ pid, startTime, ...facts })}\n`);
  renameSync(`${file}.new`, file);
}

/** What the file records if exactly that process still runs, else null. */
export function readLivePidFile(file) {
  const recorded = readPidFile(file);
  return isSameProcess(recorded) ? recorded : null;
}

function readPidFile(file) {
  try {
    const recorded = JSON.parse(readFileSync(file, "utf8"));
    return Number.isInteger(recorded?.pid) ? recorded : null;
  } catch {
    return null;
  }
}

/** Removes the file unless it meanwhile records another process. */
export function removePidFile(file, pid) {
  if (readPidFile(file)?.pid === pid) rmSync(file, { force: true });
}
