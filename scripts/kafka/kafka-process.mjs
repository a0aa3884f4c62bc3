// @ts-check
/** Runs one Apache Kafka broker in combined KRaft mode (broker and controller in one process). */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, stat, writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fetchBrokerIds } from "./broker-metadata.mjs";
import { runProgram } from "./install-kafka.mjs";
import { watchParent } from "./parent-watch.mjs";

/**
 * @typedef {object} BrokerOptions
 * @property {{release: string, libDir: string}} kafka what `ensureKafka` gave
 * @property {string} dir folder of this broker: `data/`, `server.properties`, `broker.log`; reused where it exists
 * @property {number} port of the PLAINTEXT listener on 127.0.0.1
 * @property {number} controllerPort
 * @property {string} [clusterId] 22 characters, from `createClusterId`; only used when the folder is new
 * @property {number} [nodeId] default 1
 * @property {{nodeId: number, controllerPort: number}[]} [voters] all controllers; default this one alone
 * @property {{name: string, protocol: string, port: number}[]} [listeners] further listeners on 127.0.0.1
 * @property {Record<string, string>} [properties] of server.properties, over the defaults
 * @property {number} [heapMegabytes] default 384
 * @property {string[]} [jvmArguments]
 * @property {"warn" | "info"} [logLevel] default warn
 * @property {string[]} [formatArguments] for StorageTool, for example `["--add-scram", "SCRAM-SHA-256=[name=a,password=b]"]`
 * @property {"kill" | "terminate"} [whenParentDies] default terminate
 * @property {string} [removeWhenParentDies] folder to delete then
 * @property {number} [readyTimeoutMs] default 90,000
 *
 * @typedef {object} BrokerProcess
 * @property {number} pid
 * @property {number} port
 * @property {string} dir
 * @property {string} dataDir where the topic folders are
 * @property {string} logFile
 * @property {Promise<{code: number | null, signal: string | null}>} exited settles when the process has ended
 * @property {(timeoutMs?: number) => Promise<void>} stop SIGTERM, after `timeoutMs` (default 15,000) SIGKILL
 * @property {() => Promise<void>} kill SIGKILL
 */

/** A random cluster id as Kafka writes it. */
export const createClusterId = () => `K${randomBytes(16).toString("base64url").slice(1)}`;

/** @param {number} count @returns {Promise<number[]>} ports that are free on 127.0.0.1 now */
export async function findFreePorts(count) {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = net.createServer();
      return /** @type {Promise<net.Server>} */ (
        new Promise((resolve, reject) => {
          server.on("error", reject);
          server.listen(0, "127.0.0.1", () => resolve(server));
        })
      );
    }),
  );
  const ports = servers.map((server) => /** @type {net.AddressInfo} */ (server.address()).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Runs a Java tool of Kafka, for example `runKafkaTool(libDir, "org.apache.kafka.tools.TopicCommand", [...])`. @param {string} libDir @param {string} mainClass @param {string[]} args */
export async function runKafkaTool(libDir, mainClass, args) {
  const { code, output } = await runProgram("java", [
    "-Xmx256m",
    "-XX:TieredStopAtLevel=1",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
    "-cp",
    `${libDir}/*`,
    mainClass,
    ...args,
  ]);
  if (code !== 0) throw new Error(`${mainClass} failed:\n${output.trim()}`);
  return output;
}

/** @param {BrokerOptions & {nodeId: number, dataDir: string}} options @returns {Record<string, string>} */
function writeProperties(options) {
  const voters = options.voters ?? [{ nodeId: options.nodeId, controllerPort: options.controllerPort }];
  const listeners = [{ name: "PLAINTEXT", protocol: "PLAINTEXT", port: options.port }, ...(options.listeners ?? [])];
  const addresses = listeners.map(({ name, port }) => `${name}://127.0.0.1:${port}`);
  const protocols = listeners.map(({ name, protocol }) => `${name}:${protocol}`);
  const copies = String(Math.min(voters.length, 3));
  return {
    "process.roles": "broker,controller",
    "node.id": String(options.nodeId),
    "controller.quorum.voters": voters.map((v) => `${v.nodeId}@127.0.0.1:${v.controllerPort}`).join(","),
    listeners: [...addresses, `CONTROLLER://127.0.0.1:${options.controllerPort}`].join(","),
    "advertised.listeners": addresses.join(","),
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "PLAINTEXT",
    "listener.security.protocol.map": [...protocols, "CONTROLLER:PLAINTEXT"].join(","),
    "log.dirs": options.dataDir,
    "num.partitions": "1",
    "auto.create.topics.enable": "false",
    "offsets.topic.replication.factor": copies,
    "offsets.topic.num.partitions": "5",
    "transaction.state.log.replication.factor": copies,
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "5",
    "share.coordinator.state.topic.replication.factor": copies,
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    // 4.x has both protocols on by itself, and warns where this is set.
    ...(options.kafka.release.startsWith("3.") ? { "group.coordinator.rebalance.protocols": "classic,consumer" } : {}),
    "group.initial.rebalance.delay.ms": "0",
    ...options.properties,
  };
}

/** @param {Record<string, string>} properties */
const formatProperties = (properties) =>
  `${Object.entries(properties)
    .map(([name, value]) => `${name}=${value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`)
    .join("\n")}\n`;

/** @param {string} file @param {number} lines */
const readTail = async (file, lines) =>
  (await readFile(file, "utf8").catch(() => "")).trimEnd().split("\n").slice(-lines).join("\n");

/** @param {BrokerOptions} options @param {string} dataDir @param {string} propertiesFile */
async function formatStorage(options, dataDir, propertiesFile) {
  if (await stat(path.join(dataDir, "meta.properties")).catch(() => null)) return;
  await runKafkaTool(options.kafka.libDir, "kafka.tools.StorageTool", [
    "format",
    `--cluster-id=${options.clusterId ?? createClusterId()}`,
    `--config=${propertiesFile}`,
    "--ignore-formatted",
    ...(options.formatArguments ?? []),
  ]);
}

/** @param {BrokerOptions} options @param {string} propertiesFile @param {string} logFile */
async function spawnJava(options, propertiesFile, logFile) {
  const log = await open(logFile, "a");
  const heap = options.heapMegabytes ?? 384;
  const child = spawn(
    "java",
    [
      `-Xmx${heap}m`,
      `-Xms${Math.min(heap, 128)}m`,
      // Ready 2 s sooner on two cores, and the tests' brokers live for minutes only.
      "-XX:TieredStopAtLevel=1",
      "-XX:+UseSerialGC",
      "-Djava.awt.headless=true",
      `-Dorg.slf4j.simpleLogger.defaultLogLevel=${options.logLevel ?? "warn"}`,
      "-Dorg.slf4j.simpleLogger.showDateTime=true",
      "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
      ...(options.jvmArguments ?? []),
      "-cp",
      `${options.kafka.libDir}/*`,
      "kafka.Kafka",
      propertiesFile,
    ],
    // A group of its own, so that Ctrl-C reaches the launcher alone and the broker is stopped in order.
    { stdio: ["ignore", log.fd, log.fd], detached: true },
  );
  await log.close();
  return child;
}

/**
 * Starts a broker and resolves once it answers requests and counts itself among the brokers that are up.
 *
 * @param {BrokerOptions} options
 * @returns {Promise<BrokerProcess>} rejects with the end of the broker's log where it does not come up
 */
export async function startBroker(options) {
  const nodeId = options.nodeId ?? 1;
  const dataDir = path.join(options.dir, "data");
  const logFile = path.join(options.dir, "broker.log");
  const propertiesFile = path.join(options.dir, "server.properties");
  await mkdir(dataDir, { recursive: true });
  await writeFile(propertiesFile, formatProperties(writeProperties({ ...options, nodeId, dataDir })), { mode: 0o600 });
  await formatStorage(options, dataDir, propertiesFile);
  const child = await spawnJava(options, propertiesFile, logFile);
  const exited = /** @type {Promise<{code: number | null, signal: string | null}>} */ (
    new Promise((resolve) => {
      child.on("exit", (code, signal) => resolve({ code, signal }));
      child.on("error", (error) => resolve({ code: null, signal: error.message }));
    })
  );
  const pid = child.pid;
  if (pid === undefined) throw new Error(`java could not be started: ${(await exited).signal}`);
  const watch = watchParent(pid, { how: options.whenParentDies, remove: options.removeWhenParentDies });
  exited.then(() => watch.release());
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  const stop = async (timeoutMs = 15_000) => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    await exited;
    clearTimeout(timer);
  };
  try {
    await waitUntilReady(options.port, nodeId, exited, options.readyTimeoutMs ?? 90_000);
  } catch (error) {
    await kill();
    throw new Error(`Kafka broker ${nodeId}: ${/** @type {Error} */ (error).message}\n${await readTail(logFile, 20)}`);
  }
  return { pid, port: options.port, dir: options.dir, dataDir, logFile, exited, stop, kill };
}

/** @param {number} port @param {number} nodeId @param {Promise<{code: number | null, signal: string | null}>} exited @param {number} timeoutMs */
async function waitUntilReady(port, nodeId, exited, timeoutMs) {
  const deadline = Date.now() + timeoutMs;
  let ended = /** @type {{code: number | null, signal: string | null} | null} */ (null);
  exited.then((how) => {
    ended = how;
  });
  while (Date.now() < deadline) {
    const ids = await fetchBrokerIds(port).catch(() => /** @type {number[]} */ ([]));
    if (ids.includes(nodeId)) return;
    if (ended) throw new Error(`ended before it was ready (code ${ended.code}, signal ${ended.signal})`);
    await Promise.race([sleep(100), exited]);
  }
  throw new Error(`did not answer on port ${port} within ${timeoutMs / 1000} s`);
}
