// One launcher for one data folder. The lock is a pid file that is linked into place, which either succeeds or finds another.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isSameProcess, readStartTime } from "./process-identity.mjs";

/** Takes the lock. Returns {taken: true}, or {taken: false, holder: {pid, address}} where another launcher runs. */
export function takeInstanceLock(file, address) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, lockText(address));
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      if (tryLink(draft, file)) return { taken: true };
      const holder = readLock(file);
      if (holder !== null && isSameProcess(holder)) return { taken: false, holder };
      setAsideStaleLock(file);
    }
    return { taken: false, holder: readLock(file) ?? { pid: 0, address: "" } };
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The process that re-executes itself on another Node hands its lock to the new one. */
export function inheritInstanceLock(file, address) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, lockText(address));
  renameSync(draft, file);
}

export function releaseInstanceLock(file) {
  if (readLock(file)?.pid === process.pid) rmSync(file, { force: true });
}

const lockText = (address) =>
  `${JSON.stringify({ pid: process.pid, startTime: readStartTime(process.pid), address })}\n`;

function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/** Two launchers may find the same stale lock: what was moved aside is looked at again, and put back if it is a live one. */
function setAsideStaleLock(file) {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  const moved = readLock(aside);
  if (moved !== null && isSameProcess(moved)) tryLink(aside, file);
  rmSync(aside, { force: true });
}
