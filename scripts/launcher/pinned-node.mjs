// Goes on with the start on the Node that package-lock.json pins. The port, the lock and the progress go along.
import { spawn } from "node:child_process";
import { findPinnedNode } from "./install.mjs";
import { HANDOVER_VARIABLE } from "./instance.mjs";

/** Runs the launcher's second half to its end. @returns {Promise<number>} its exit code */
export async function continueOnPinnedNode(instance, argv) {
  const handover = { port: instance.port, progress: instance.progress.snapshot() };
  const child = spawn(findPinnedNode(instance.options.root), argv, {
    // The channel tells the child when this process is gone; the listening socket is its file descriptor 3.
    stdio: ["inherit", "inherit", "inherit", instance.server.fd(), "ipc"],
    env: { ...process.env, [HANDOVER_VARIABLE]: JSON.stringify(handover) },
  });
  child.once("message", () => instance.server.close());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (signal) instance.terminal.line(`The launcher was ended by ${signal}.`);
      resolve(code ?? 1);
    });
  });
}

/** In the child: the first process may close its side of the port; its end is a wish to stop. */
export function acceptHandover() {
  process.send("listening");
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}
