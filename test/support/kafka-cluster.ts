/** Real Kafka clusters for tests: one or three brokers on free ports of 127.0.0.1, in a temporary folder. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fetchBrokerIds } from "../../scripts/kafka/broker-metadata.mjs";
import { ensureKafka } from "../../scripts/kafka/install-kafka.mjs";
import { createClusterId, findFreePorts, startBroker } from "../../scripts/kafka/kafka-process.mjs";

export type KafkaVersion = "4.4" | "3.9";

export interface SecureListener {
  /** Upper case, for example `CLIENT_TLS`. */
  name: string;
  protocol: "SSL" | "SASL_SSL" | "SASL_PLAINTEXT";
  /** Of this listener only: `ssl.keystore.type`, `sasl.enabled.mechanisms`, `plain.sasl.jaas.config`, ... */
  properties?: Record<string, string>;
}

export interface ClusterSecurity {
  /** Besides the PLAINTEXT listener that the test and the brokers themselves use. */
  listeners: SecureListener[];
  scramUsers?: { mechanism: "SCRAM-SHA-256" | "SCRAM-SHA-512"; name: string; password: string }[];
  /** Turns ACLs on; who comes over the PLAINTEXT listener stays allowed everything. */
  acls?: boolean;
}

export interface KafkaOptions {
  version: KafkaVersion;
  brokers?: 1 | 3;
  /** server.properties of all brokers. */
  broker?: Record<string, string>;
  /** server.properties by broker id. */
  perBroker?: Record<number, Record<string, string>>;
  security?: ClusterSecurity;
  heapMegabytes?: number;
  logLevel?: "warn" | "info";
}

export interface KafkaBroker {
  id: number;
  readonly pid: number;
  port: number;
  dataDir: string;
  logFile: string;
  /** Ports of the secure listeners by name. */
  listeners: Record<string, number>;
  /** Orderly, then `start` brings it back on the same ports and data. */
  stop(): Promise<void>;
  /** As by `kill -9`. */
  kill(): Promise<void>;
  /** Resolves when it answers again; `properties` replace those of `perBroker`. */
  start(properties?: Record<string, string>): Promise<void>;
  /** Freezes the process: it keeps its connections and answers nothing. */
  pause(): void;
  resume(): void;
}

export interface KafkaCluster {
  version: KafkaVersion;
  /** `host:port,...` of the PLAINTEXT listeners. */
  servers: string;
  /** `host:port,...` of a secure listener. */
  serversOf(listener: string): string;
  dataDirs: string[];
  brokers: KafkaBroker[];
  /** Ends all brokers and deletes the folder. */
  stop(): Promise<void>;
}

const CLEANER_FOR_TESTS = {
  "log.cleaner.backoff.ms": "1000",
  "log.cleaner.dedupe.buffer.size": String(32 * 1024 * 1024),
  "log.cleaner.min.compaction.lag.ms": "0",
  // The checkpoints that the truth is read from; by default once a minute.
  "log.flush.start.offset.checkpoint.interval.ms": "1000",
  "log.retention.check.interval.ms": "1000",
  "group.min.session.timeout.ms": "1000",
};

type RunningBroker = Awaited<ReturnType<typeof startBroker>>;
type BrokerOptions = Parameters<typeof startBroker>[0];

/** One broker of a cluster, over all its lives. */
class ClusterBroker implements KafkaBroker {
  readonly id: number;
  readonly port: number;
  readonly listeners: Record<string, number>;
  readonly dataDir: string;
  readonly logFile: string;
  #options: BrokerOptions;
  #base: Record<string, string>;
  #running: RunningBroker | null = null;

  constructor(options: BrokerOptions, base: Record<string, string>) {
    this.#options = options;
    this.#base = base;
    this.id = options.nodeId ?? 1;
    this.port = options.port;
    this.listeners = Object.fromEntries((options.listeners ?? []).map(({ name, port }) => [name, port]));
    this.dataDir = path.join(options.dir, "data");
    this.logFile = path.join(options.dir, "broker.log");
  }

  get pid(): number {
    if (!this.#running) throw new Error(`broker ${this.id} is not running`);
    return this.#running.pid;
  }

  async start(properties?: Record<string, string>): Promise<void> {
    if (properties) this.#options = { ...this.#options, properties: { ...this.#base, ...properties } };
    this.#running = await startBroker(this.#options);
    // A broker that answers at one listener may not have opened the next one yet.
    for (const port of Object.values(this.listeners)) await waitUntilListening(port);
  }

  async stop(): Promise<void> {
    this.resume();
    await this.#running?.stop();
    this.#running = null;
  }

  async kill(): Promise<void> {
    await this.#running?.kill();
    this.#running = null;
  }

  pause(): void {
    process.kill(this.pid, "SIGSTOP");
  }

  resume(): void {
    if (this.#running) process.kill(this.#running.pid, "SIGCONT");
  }
}

async function waitUntilListening(port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const socket = connect({ host: "127.0.0.1", port });
    const outcome = await once(socket, "connect").then(
      () => "listening" as const,
      (error: unknown) => error,
    );
    socket.destroy();
    if (outcome === "listening") return;
    if (tries === 300) throw outcome;
    await sleep(50);
  }
}

function securityProperties(security: ClusterSecurity | undefined): Record<string, string> {
  if (!security) return {};
  const properties: Record<string, string> = {};
  for (const listener of security.listeners)
    for (const [name, value] of Object.entries(listener.properties ?? {}))
      properties[`listener.name.${listener.name.toLowerCase()}.${name}`] = value;
  if (security.acls) {
    properties["authorizer.class.name"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer";
    properties["super.users"] = "User:ANONYMOUS";
  }
  return properties;
}

const scramArguments = (security: ClusterSecurity | undefined): string[] =>
  (security?.scramUsers ?? []).flatMap(({ mechanism, name, password }) => [
    "--add-scram",
    `${mechanism}=[name=${name},password=${password}]`,
  ]);

async function planBrokers(options: KafkaOptions, folder: string): Promise<ClusterBroker[]> {
  const kafka = await ensureKafka(options.version, { log: (line) => console.log(line) });
  const count = options.brokers ?? 1;
  const secure = options.security?.listeners ?? [];
  const perBroker = 2 + secure.length;
  const ports = await findFreePorts(count * perBroker);
  const clusterId = createClusterId();
  const ids = Array.from({ length: count }, (_, i) => i + 1);
  const voters = ids.map((nodeId, i) => ({ nodeId, controllerPort: ports[i * perBroker + 1]! }));
  return ids.map((nodeId, i) => {
    const own = ports.slice(i * perBroker, (i + 1) * perBroker);
    const base = { ...CLEANER_FOR_TESTS, ...securityProperties(options.security), ...options.broker };
    return new ClusterBroker(
      {
        kafka,
        clusterId,
        nodeId,
        voters,
        dir: path.join(folder, `broker-${nodeId}`),
        port: own[0]!,
        controllerPort: own[1]!,
        listeners: secure.map(({ name, protocol }, at) => ({ name, protocol, port: own[2 + at]! })),
        properties: { ...base, ...options.perBroker?.[nodeId] },
        heapMegabytes: options.heapMegabytes ?? 384,
        logLevel: options.logLevel,
        formatArguments: scramArguments(options.security),
        whenParentDies: "kill",
        removeWhenParentDies: folder,
      },
      base,
    );
  });
}

async function waitUntilAllSeeEachOther(brokers: readonly KafkaBroker[]): Promise<void> {
  for (const broker of brokers)
    for (let tries = 0; ; tries++) {
      if ((await fetchBrokerIds(broker.port)).length === brokers.length) break;
      if (tries === 600) throw new Error(`broker ${broker.id} does not see all ${brokers.length} brokers`);
      await sleep(100);
    }
}

/**
 * Starts a cluster and resolves when all its brokers answer and see each other. The brokers end with this process,
 * however it ends; `stop` also deletes their folder.
 */
export async function startKafka(options: KafkaOptions): Promise<KafkaCluster> {
  const folder = await mkdtemp(path.join(tmpdir(), "keyfold-kafka-"));
  const brokers = await planBrokers(options, folder);
  const stop = async () => {
    await Promise.all(brokers.map((broker) => broker.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  const started = await Promise.allSettled(brokers.map((broker) => broker.start()));
  try {
    for (const result of started) if (result.status === "rejected") throw result.reason;
    await waitUntilAllSeeEachOther(brokers);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    version: options.version,
    servers: brokers.map(({ port }) => `127.0.0.1:${port}`).join(","),
    serversOf: (listener) => brokers.map((broker) => `127.0.0.1:${broker.listeners[listener]}`).join(","),
    dataDirs: brokers.map(({ dataDir }) => dataDir),
    brokers,
    stop,
  };
}
