// @ts-check
/**
 * Ends a child process when the process that started it is gone, however it went (kill -9 included): the watch reads
 * a pipe that only the parent holds open, so the end of the parent is the end of the pipe.
 */
import { spawn } from "node:child_process";

const END = {
  kill: 'kill -KILL "$1" 2>/dev/null',
  // Twelve seconds to close its files, then the hard way.
  terminate:
    'kill -TERM "$1" 2>/dev/null; i=0; while kill -0 "$1" 2>/dev/null && [ $i -lt 120 ]; do sleep 0.1; i=$((i+1)); done; kill -KILL "$1" 2>/dev/null',
};

/**
 * @param {number} pid process to end
 * @param {{how?: "kill" | "terminate", remove?: string}} [options] `remove`: folder to delete afterwards
 * @returns {{release: () => void}} `release` ends the watch and leaves the process alone
 */
export function watchParent(pid, { how = "terminate", remove = "" } = {}) {
  const script = `cat >/dev/null; kill -CONT "$1" 2>/dev/null; ${END[how]}; [ -z "$2" ] || rm -rf -- "$2"`;
  const watch = spawn("/bin/sh", ["-c", script, "parent-watch", String(pid), remove], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watch.unref();
  watch.on("error", () => {});
  watch.stdin.on("error", () => {});
  /** @type {{unref?: () => void}} */ (watch.stdin).unref?.();
  return {
    release() {
      // The whole group: the shell and its `cat`.
      if (watch.pid !== undefined && watch.exitCode === null && watch.signalCode === null) {
        try {
          process.kill(-watch.pid, "SIGKILL");
        } catch {
          // Already gone.
        }
      }
    },
  };
}
