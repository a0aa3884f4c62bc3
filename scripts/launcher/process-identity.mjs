// Who a process id is: a bare pid may have been given to another program since it was written down, so it is always kept
// together with the start time that the kernel reports for it.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The process's start time as an opaque text, or null where there is no such process (a zombie counts as gone). */
export function readStartTime(pid) {
  if (process.platform !== "linux") return readStartTimeFromPs(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name, in brackets, may itself hold brackets and blanks: fields are counted after the last one (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? null : fields[19];
  } catch {
    return null;
  }
}

function readStartTimeFromPs(pid) {
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", stdio: "pipe" }).trim() || null;
  } catch {
    return null;
  }
}

/** Whether the process that was recorded as {pid, startTime} still runs. */
export function isSameProcess(recorded) {
  return recorded !== null && readStartTime(recorded.pid) === recorded.startTime;
}
