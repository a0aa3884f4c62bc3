/** Reading a replica where it is encrypted, authenticated for two seconds at a time, and guarded by ACLs. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AclOperations, AclPermissionTypes, Admin, ResourcePatternTypes, ResourceTypes } from "@platformatic/kafka";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { BrokerError } from "#lib/brokers/broker-error.ts";
import type { Broker } from "#lib/brokers/broker-port.ts";
import { openBroker } from "#lib/brokers/open-broker.ts";
import type { ReplicaLog } from "#lib/brokers/replica-log-port.ts";
import { createAuthority } from "../../support/certificates.ts";
import { clusterConfig } from "../../support/cluster-config.ts";
import { type KafkaCluster, startKafka } from "../../support/kafka-cluster.ts";
import { saslListener } from "../../support/kafka-security.ts";
import { produce } from "../../support/producer.ts";
import { createTopic } from "../../support/topic-admin.ts";
import { CollectingVisitor } from "../../unit/brokers/kafka/record-sets.ts";

const PASSWORDS = { reader: "readers-password", describer: "describers-password" };
const SESSION_MS = 2000;
const REQUEST = { offset: 0, maxBytes: 1024 * 1024, isolation: "read_committed" } as const;

let folder: string;
let caPath: string;
let kafka: KafkaCluster;
let topicId: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "keyfold-secure-log-"));
  const authority = await createAuthority(folder);
  caPath = authority.caPath;
  const listener = saslListener("OUR_SASL", PASSWORDS, await authority.issue("server", {}));
  kafka = await startKafka({
    version: "4.4",
    heapMegabytes: 256,
    security: {
      acls: true,
      listeners: [
        { ...listener, properties: { ...listener.properties, "connections.max.reauth.ms": String(SESSION_MS) } },
      ],
    },
  });
  await createTopic(kafka, { topic: "orders" });
  await allow("reader", "DESCRIBE");
  await allow("reader", "READ");
  await allow("describer", "DESCRIBE");
  const keys = { kind: "uniform", count: 100 } as const;
  const phases = [{ records: 20_000, keys, value_bytes: [100, 101] as [number, number] }];
  await produce({ servers: kafka.servers, topic: "orders", partition: 0, seed: 1, phases });
  const admin = await openBroker(clusterConfig(kafka.servers), { clientId: "test" });
  topicId = (await admin.describeTopics(["orders"]))[0]!.topicId;
  await admin.close();
});

afterAll(async () => {
  await kafka?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function allow(user: string, operation: "READ" | "DESCRIBE"): Promise<void> {
  const admin = new Admin({ clientId: "test", bootstrapBrokers: kafka.servers.split(",") });
  await admin.createAcls({
    creations: [
      {
        resourceType: ResourceTypes.TOPIC,
        resourceName: "orders",
        resourcePatternType: ResourcePatternTypes.LITERAL,
        principal: `User:${user}`,
        host: "*",
        operation: AclOperations[operation],
        permissionType: AclPermissionTypes.ALLOW,
      },
    ],
  });
  await admin.close();
}

async function withLog(user: keyof typeof PASSWORDS, use: (log: ReplicaLog) => Promise<void>): Promise<void> {
  const file = path.join(folder, user);
  await writeFile(file, PASSWORDS[user]);
  const security = {
    tls: { ca: { file: caPath } },
    sasl: { mechanism: "plain" as const, username: user, password: { file } },
  };
  const broker: Broker = await openBroker(clusterConfig(kafka.serversOf("OUR_SASL"), security), { clientId: "test" });
  const log = broker.openReplicaLog({ topic: "orders", partition: 0, topicId, brokerId: 1, isLeader: true });
  try {
    await use(log);
  } finally {
    await log.close();
    await broker.close();
  }
}

test("records are fetched and heads are peeked over TLS", () =>
  withLog("reader", async (log) => {
    await vi.waitFor(() => log.offsets(), { timeout: 15_000 });
    const seen = new CollectingVisitor();
    const fetched = await log.fetch({ ...REQUEST, maxBytes: 64 * 1024 * 1024 }, seen);
    expect(seen.records).toHaveLength(20_000);
    const peeked = await log.peek(0, 64 * 1024 * 1024);
    expect(peeked).toMatchObject({ recordSetBytes: fetched.recordSetBytes, firstBaseOffset: 0, highWatermark: 20_000 });
    expect(peeked.readBatchCount).toBeGreaterThan(1);
  }));

test("a read that outlasts several sessions goes on, and its peeks leave nothing behind that fails later", () =>
  withLog("reader", async (log) => {
    const endsAt = Date.now() + 3 * SESSION_MS;
    while (Date.now() < endsAt) {
      expect((await log.fetch(REQUEST, new CollectingVisitor(false))).batchCount).toBeGreaterThan(0);
      expect((await log.peek(0, 1024 * 1024)).recordSetBytes).toBeGreaterThan(0);
      await sleep(150);
    }
  }));

test("who may describe and not read gets the offsets, and is told which right a fetch needs", () =>
  withLog("describer", async (log) => {
    expect(await log.offsets()).toEqual({ logStart: 0, lastStable: 20_000, logEnd: 20_000 });
    for (const refused of [log.fetch(REQUEST, new CollectingVisitor()), log.peek(0, 1000)]) {
      const error = (await refused.catch((thrown) => thrown)) as BrokerError;
      expect(error).toMatchObject({ name: "BrokerError", code: "authorization-failed" });
      expect(error.message).toContain('Allow Read on topic "orders"');
    }
  }));
