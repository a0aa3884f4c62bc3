// The web process, and the port while it does not answer.
import path from "node:path";
import { readLogTail } from "./log-files.mjs";
import { openProgressServer } from "./progress-server.mjs";
import { pidFileOf, spawnService } from "./service-process.mjs";

const START_WAIT_MS = 60_000;

export async function startWeb(instance, parts, env, replaced) {
  const { options, progress, logFile } = instance;
  const command = path.join(options.root, "node_modules", ".bin", "node");
  const program = replaced ?? { command, args: [path.join("scripts", "launcher", "web-process.mjs")] };
  let page = instance.server;
  instance.server = { close: () => page?.close() };

  async function start() {
    page ??= await openProgressServer({ port: instance.port }, progress);
    const running = await spawnService({
      ...program,
      ...{ cwd: options.root, env, logFile: logFile("web"), pidFile: pidFileOf(options.dataFolder, "web") },
      stdio: [page.fd(), "ipc"],
    });
    await waitUntilListening(running, logFile("web"));
    // Both accept from one queue now: closing this side loses no request.
    await page.close();
    page = null;
    if (progress.snapshot().steps.some((step) => step.id === "web" && step.state === "failed"))
      progress.end("web", "done");
    return running;
  }

  await progress.run("web", "Start the pages", async () => {
    await parts.add({
      name: "web",
      details: `Log: ${logFile("web")}`,
      start,
      onDown: async () => {
        progress.end("web", "failed", "the web process ended and is started again");
        page = await openProgressServer({ port: instance.port }, progress).catch(() => null);
      },
    });
  });
}

async function waitUntilListening(running, logFile) {
  let timer;
  const outcome = await Promise.race([
    new Promise((resolve) => running.child.once("message", () => resolve(null))),
    running.exited,
    new Promise((resolve) => {
      timer = setTimeout(resolve, START_WAIT_MS, `no answer within ${START_WAIT_MS / 1000} s`);
    }),
  ]);
  clearTimeout(timer);
  if (outcome === null) return;
  await running.stop(2000);
  throw new Error(`The web process did not start (${outcome}), log ${logFile}:\n${readLogTail(logFile)}`);
}
