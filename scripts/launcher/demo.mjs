// The demo: a Kafka broker with topics that keep being written. Nothing in it may keep web and worker from starting.
import { createDemoCluster, writeDemoConfig } from "../demo/demo-cluster.mjs";
import { ensureKafka, MissingProgramsError } from "../kafka/install-kafka.mjs";
import { canInstallPackages, installDebianPackages } from "./debian-packages.mjs";
import { pidFileOf, spawnService } from "./service-process.mjs";

/**
 * @returns {{configured: Promise<Record<string, string>>, settled: Promise<void>}} `configured`: environment that names the demo
 *   cluster, empty where there is none; `settled`: the broker is up, or it is told why there is none. Neither rejects but on a stop.
 */
export function startDemo(instance, parts, env) {
  if (instance.options.demo === "none") return { configured: Promise.resolve({}), settled: Promise.resolve() };
  const prepared = prepareDemo(instance).catch((error) => turnOff(instance, error));
  const configured = prepared.then((cluster) => (cluster ? { KEYFOLD_CONFIG: cluster.configFile } : {}));
  const settled = prepared.then((cluster) => cluster && runDemo(instance, parts, env, cluster));
  return { configured, settled: settled.then(() => {}) };
}

function turnOff({ progress, stopping }, error) {
  stopping.throwIfAborted();
  progress.end("demo", "skipped", `the demo is off: ${error.message}`);
  return null;
}

async function prepareDemo({ options, progress, stopping, logFile }) {
  const { dataFolder } = options;
  progress.begin("demo", "Prepare the demo's Kafka broker");
  const kafka = await ensureKafka("4.4", { dataDir: dataFolder }).catch(async (missing) => {
    if (!(missing instanceof MissingProgramsError) || !canInstallPackages()) throw missing;
    await installDebianPackages(missing.packages, { logFile: logFile("apt"), signal: stopping }).catch((error) => {
      stopping.throwIfAborted();
      throw new Error(`${missing.message} (tried, and ${error.message.split("\n")[0]})`);
    });
    return ensureKafka("4.4", { dataDir: dataFolder });
  });
  const cluster = await createDemoCluster({ dataFolder, kafka });
  await writeDemoConfig(cluster);
  progress.end("demo", "done");
  return cluster;
}

async function runDemo(instance, parts, env, cluster) {
  const { options, progress, stopping, logFile } = instance;
  try {
    stopping.throwIfAborted();
    await progress.run("broker", "Start the demo's Kafka broker", async () => {
      const pidFile = pidFileOf(options.dataFolder, "demo-kafka");
      const details = `Log: ${cluster.logFile}`;
      await parts.add({ name: "demo broker", details, start: () => cluster.start(pidFile) });
    });
    stopping.throwIfAborted();
    await startWriter({ options, logFile }, parts, { ...env, KEYFOLD_DEMO_BROKER: cluster.address });
  } catch {
    // Told by its step, on the terminal and the page; web and worker go on and show the cluster as unreachable.
    stopping.throwIfAborted();
  }
}

async function startWriter({ options, logFile }, parts, env) {
  await parts.add({
    name: "demo writer",
    details: `Log: ${logFile("demo-writer")}`,
    start: () =>
      spawnService({
        ...{
          command: `${options.root}/node_modules/.bin/node`,
          args: ["--max-old-space-size=160", "--disable-warning=TimeoutNegativeWarning", "scripts/demo/writer.mjs"],
          cwd: options.root,
          env,
        },
        ...{ logFile: logFile("demo-writer"), pidFile: pidFileOf(options.dataFolder, "demo-writer") },
      }),
  });
}
