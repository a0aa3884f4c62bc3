// The log files of the parts. They are written by the parts themselves (opened for appending), so they can be cut from here.
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import path from "node:path";

const LIMIT_BYTES = 5 * 1024 * 1024;
const CHECK_EVERY_MS = 60_000;

/** Keeps the named files at most about 5 MiB each, with one older copy beside them. */
export function keepLogsSmall(files) {
  for (const file of files) mkdirSync(path.dirname(file), { recursive: true });
  const check = () => files.forEach(cutWhereLong);
  check();
  const timer = setInterval(check, CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function cutWhereLong(file) {
  if (!existsSync(file) || statSync(file).size < LIMIT_BYTES) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
}

/** The last lines of a log, to show beside a failure. */
export function readLogTail(file, lines = 12) {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
  } catch {
    return "";
  }
}
