// The worker process.
import path from "node:path";
import { pidFileOf, spawnService } from "./service-process.mjs";

export async function startWorker({ options, progress, logFile }, parts, env, replaced) {
  const command = path.join(options.root, "node_modules", ".bin", "node");
  const program = replaced ?? { command, args: [path.join("lib", "jobs", "worker.ts")] };
  await progress.run("worker", "Start the worker", async () => {
    await parts.add({
      name: "worker",
      details: `Log: ${logFile("worker")}`,
      start: () =>
        spawnService({
          ...program,
          ...{ cwd: options.root, env, logFile: logFile("worker"), pidFile: pidFileOf(options.dataFolder, "worker") },
        }),
    });
  });
}
