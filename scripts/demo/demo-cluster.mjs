// The demo's broker: its folder, its ports, and the configuration file that names it to Keyfold.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { findFreePorts, startBroker } from "../kafka/kafka-process.mjs";
import { removePidFile, writePidFile } from "../launcher/pid-file.mjs";

const HEAP_MEGABYTES = 384;
const PROPERTIES = {
  // Seconds, not the 15 s of the default, so that a newcomer sees the cleaner at work.
  "log.cleaner.backoff.ms": "1000",
  // One cleaner, and a map that fits the heap (the default is 128 MiB).
  "log.cleaner.dedupe.buffer.size": String(32 * 1024 * 1024),
  "log.retention.check.interval.ms": "30000",
  // Index files are made at full size: a tenth of the default is plenty, and the folder looks as small as it is.
  "log.index.size.max.bytes": String(1024 * 1024),
  "offsets.topic.segment.bytes": String(1024 * 1024),
  // The group without members keeps its offsets for a month.
  "offsets.retention.minutes": String(30 * 24 * 60),
  // The open transaction of the demo stays open for hours.
  "transaction.max.timeout.ms": String(24 * 60 * 60 * 1000),
};

/** Settles ports (the same as at the last start where they are still free) and paths. */
export async function createDemoCluster({ dataFolder, kafka }) {
  const folder = path.join(dataFolder, "demo-kafka");
  await mkdir(folder, { recursive: true });
  const { port, controllerPort } = await choosePorts(path.join(folder, "ports.json"));
  return {
    address: `127.0.0.1:${port}`,
    configFile: path.join(dataFolder, "demo.yaml"),
    logFile: path.join(folder, "broker.log"),
    start: (pidFile) => startDemoBroker({ kafka, dir: folder, port, controllerPort }, pidFile),
  };
}

export function writeDemoConfig({ address, configFile }) {
  writeFileSync(
    configFile,
    `# Written by npm start at each start of the demo; your own clusters belong in a file that KEYFOLD_CONFIG names.
clusters:
  - id: demo
    system: kafka
    servers:
      - ${address}
`,
  );
}

/** @returns {Promise<import("../launcher/service-process.mjs").ServiceProcess>} */
async function startDemoBroker(options, pidFile) {
  const broker = await startBroker({ ...options, heapMegabytes: HEAP_MEGABYTES, properties: PROPERTIES });
  writePidFile(pidFile, broker.pid);
  const exited = broker.exited.then(({ code, signal }) => {
    removePidFile(pidFile, broker.pid);
    return signal ? `signal ${signal}` : `exit code ${code}`;
  });
  return { pid: broker.pid, exited, stop: (graceMs) => broker.stop(graceMs) };
}

async function choosePorts(file) {
  const last = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
  if (last !== null && (await isFree(last.port)) && (await isFree(last.controllerPort))) return last;
  const [port, controllerPort] = await findFreePorts(2);
  writeFileSync(file, JSON.stringify({ port, controllerPort }));
  return { port, controllerPort };
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
