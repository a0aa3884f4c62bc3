/**
 * The connections of one broker object: one for each broker, opened when first needed and again when lost. A broker
 * that is down costs only the requests that go to it.
 */
import { type Connection, metadataV12 } from "@platformatic/kafka";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { Traffic } from "#lib/brokers/broker-port.ts";
import { describeFailure, explainFailure, openConnection, REQUEST_TIMEOUT_MS } from "#lib/brokers/kafka/connection.ts";
import type { KafkaSecurity } from "#lib/brokers/kafka/security.ts";
import { TrafficMeter } from "#lib/brokers/kafka/traffic-meter.ts";
import {
  chooseVersion,
  negotiateVersions,
  type OfferedVersions,
  sendTolerantly,
  type WireApi,
} from "#lib/brokers/kafka/wire-api.ts";
import { formatAddress, type ServerAddress } from "#lib/platform/cluster-config.ts";

export interface ConnectionsSettings {
  servers: readonly ServerAddress[];
  clientId: string;
  security: KafkaSecurity;
  /** Broker's own cluster id that is expected; null: the first one that is seen. */
  expectedClusterId: string | null;
}

interface OpenLink {
  connection: Connection;
  offered: OfferedVersions;
}

export type MetadataAnswer = Awaited<ReturnType<typeof metadataV12.api.async>>;

const METADATA: WireApi<[topics: string[] | null, allowAutoTopicCreation: boolean], MetadataAnswer> = [
  metadataV12.api as never,
];

export class BrokerConnections {
  readonly #settings: ConnectionsSettings;
  readonly #meter = new TrafficMeter();
  readonly #links = new Map<string, Promise<OpenLink>>();
  /** Every connection that is open, dedicated ones included. */
  readonly #open = new Set<Connection>();
  /** When the broker at this address wants to be asked again (throttle_time_ms), milliseconds since the epoch. */
  readonly #mutedUntilMs = new Map<string, number>();
  #nodes = new Map<number, ServerAddress>();
  /** Brokers that held a replica when all topics were last described: those that are down are not among the nodes. */
  #replicaHolders: ReadonlySet<number> = new Set();
  #clusterId: string | null;
  #isClosed = false;

  constructor(settings: ConnectionsSettings) {
    this.#settings = settings;
    this.#clusterId = settings.expectedClusterId;
  }

  get clientId(): string {
    return this.#settings.clientId;
  }

  traffic(): Traffic {
    return this.#meter.read();
  }

  /** Broker ids of the last metadata answer. */
  async brokerIds(): Promise<number[]> {
    if (this.#nodes.size === 0) await this.metadata([]);
    return [...this.#nodes.keys()];
  }

  /** Those and the ones that hold a replica and are down, as far as known from the last description of all topics. */
  async brokerIdsWithAbsent(): Promise<number[]> {
    return [...new Set([...(await this.brokerIds()), ...this.#replicaHolders])];
  }

  /**
   * Asks any broker, and remembers where the brokers are. Never makes a topic.
   * @param topics null: all
   * @throws BrokerError `cluster-id-changed` where another cluster answers than the one that was opened
   */
  async metadata(topics: string[] | null): Promise<MetadataAnswer> {
    const answer = await this.requestAny("asking for the cluster's metadata", METADATA, [topics, false]);
    // A broker names itself at least; an answer without brokers is an error in disguise, not an empty cluster.
    if (answer.brokers.length === 0) {
      throw new BrokerError("unreachable", "A broker answered without naming any broker of its cluster. Try again.");
    }
    this.#checkClusterId(answer.clusterId);
    this.#nodes = new Map(answer.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));
    if (topics === null) this.#replicaHolders = listReplicaHolders(answer);
    return answer;
  }

  /** What the broker that answers first offers. */
  async offeredVersions(): Promise<OfferedVersions> {
    return this.#atAnyAddress(async (address) => (await this.#link(address)).offered);
  }

  /**
   * One request to one broker. Reads only: it is sent once more where an idle connection turns out to be lost.
   * @param doing what is asked, so that it can stand after "while": `listing groups`
   */
  async request<Args extends unknown[], Answer>(
    brokerId: number,
    doing: string,
    api: WireApi<Args, Answer>,
    args: Args,
  ): Promise<Answer> {
    return this.#requestAt(await this.#addressOf(brokerId), doing, api, args);
  }

  /** One request to whichever broker answers. */
  requestAny<Args extends unknown[], Answer>(doing: string, api: WireApi<Args, Answer>, args: Args): Promise<Answer> {
    return this.#atAnyAddress((address) => this.#requestAt(address, doing, api, args));
  }

  /** A connection of the caller's own, counted in `traffic()` and closed with this object. */
  async openDedicated(brokerId: number): Promise<Connection> {
    return this.#connect(await this.#addressOf(brokerId));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#links.clear();
    await Promise.allSettled([...this.#open].map((connection) => connection.close()));
  }

  async #addressOf(brokerId: number): Promise<ServerAddress> {
    if (!this.#nodes.has(brokerId)) await this.metadata([]);
    const address = this.#nodes.get(brokerId);
    if (address) return address;
    throw new BrokerError(
      "unreachable",
      `Broker ${brokerId} is not in the cluster right now: it is down, or was removed. The others are ${[...this.#nodes.keys()].join(", ")}.`,
    );
  }

  async #requestAt<Args extends unknown[], Answer>(
    address: ServerAddress,
    doing: string,
    api: WireApi<Args, Answer>,
    args: Args,
    isRepeated = false,
  ): Promise<Answer> {
    const key = formatAddress(address);
    const existing = this.#links.get(key);
    const opening = existing ?? this.#startLink(address);
    const link = await opening;
    await this.#waitWhileMuted(key);
    const chosen = chooseVersion(api, link.offered, doing);
    try {
      const answer = await sendTolerantly(chosen, link.connection, args);
      this.#noteThrottle(key, answer);
      return answer;
    } catch (error) {
      const failure = explainFailure(link.connection, error, describeFailure(this.#settings.security, address, doing));
      if (link.connection.isConnected() || this.#isClosed) throw failure;
      this.#forget(key, opening);
      void link.connection.close();
      if (!existing || isRepeated || failure.code !== "unreachable") throw failure;
      return this.#requestAt(address, doing, api, args, true);
    }
  }

  async #atAnyAddress<T>(attempt: (address: ServerAddress) => Promise<T>): Promise<T> {
    const failures: BrokerError[] = [];
    for (const address of this.#addressesToTry()) {
      try {
        return await attempt(address);
      } catch (error) {
        if (!(error instanceof BrokerError)) throw error;
        failures.push(error);
        // Another server would say the same; asking on would only lock an account faster.
        if (error.code === "authentication-failed" || error.code === "cancelled") break;
      }
    }
    throw failures.find((failure) => failure.code !== "unreachable") ?? failures[0]!;
  }

  /** Open links first, then the brokers that were seen, then the configured servers. */
  #addressesToTry(): ServerAddress[] {
    const known = [...this.#nodes.values(), ...this.#settings.servers];
    const unique = [...new Map(known.map((address) => [formatAddress(address), address])).values()];
    const isOpen = (address: ServerAddress) => this.#links.has(formatAddress(address));
    return [...unique.filter(isOpen), ...unique.filter((address) => !isOpen(address))];
  }

  #link(address: ServerAddress): Promise<OpenLink> {
    return this.#links.get(formatAddress(address)) ?? this.#startLink(address);
  }

  #startLink(address: ServerAddress): Promise<OpenLink> {
    const key = formatAddress(address);
    const opening = this.#openLink(address);
    this.#links.set(key, opening);
    const forget = () => this.#forget(key, opening);
    opening.then(({ connection }) => {
      connection.once("close", forget);
      if (connection.socket.destroyed) forget();
    }, forget);
    return opening;
  }

  #forget(key: string, link: Promise<OpenLink>): void {
    if (this.#links.get(key) === link) this.#links.delete(key);
  }

  async #openLink(address: ServerAddress): Promise<OpenLink> {
    const connection = await this.#connect(address);
    try {
      return { connection, offered: await negotiateVersions(connection) };
    } catch (error) {
      void connection.close();
      const doing = "asking which requests it offers";
      throw explainFailure(connection, error, describeFailure(this.#settings.security, address, doing));
    }
  }

  async #connect(address: ServerAddress): Promise<Connection> {
    this.#throwIfClosed();
    const connection = await openConnection(address, { ...this.#settings, meter: this.#meter });
    this.#open.add(connection);
    connection.once("close", () => this.#open.delete(connection));
    if (this.#isClosed) void connection.close();
    this.#throwIfClosed();
    return connection;
  }

  #throwIfClosed(): void {
    if (this.#isClosed) throw new BrokerError("cancelled", "The connections to this cluster were closed by Keyfold.");
  }

  #checkClusterId(clusterId: string | null | undefined): void {
    if (!clusterId) return;
    this.#clusterId ??= clusterId;
    if (this.#clusterId === clusterId) return;
    throw new BrokerError(
      "cluster-id-changed",
      `Cluster ${clusterId} answers where cluster ${this.#clusterId} is expected. Check \`servers\`; where the cluster was really made anew, configure it under another \`id\`.`,
    );
  }

  #noteThrottle(key: string, answer: unknown): void {
    const { throttleTimeMs } = answer as { throttleTimeMs?: number };
    if (throttleTimeMs) this.#mutedUntilMs.set(key, Date.now() + throttleTimeMs);
  }

  async #waitWhileMuted(key: string): Promise<void> {
    const waitMs = (this.#mutedUntilMs.get(key) ?? 0) - Date.now();
    if (waitMs <= 0) return;
    if (waitMs > REQUEST_TIMEOUT_MS) {
      throw new BrokerError(
        "throttled-too-long",
        `${key} asks client id ${this.#settings.clientId} to wait ${Math.round(waitMs / 1000)} s. Raise this client's quota.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

const listReplicaHolders = ({ topics }: MetadataAnswer): ReadonlySet<number> =>
  new Set(topics.flatMap(({ partitions }) => partitions.flatMap(({ replicaNodes }) => replicaNodes)));
