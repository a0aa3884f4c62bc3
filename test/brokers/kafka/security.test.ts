/** TLS, SASL and ACLs against a real broker: what works, and that every refusal names its cause and the remedy. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { AclOperations, AclPermissionTypes, Admin, ResourcePatternTypes, ResourceTypes } from "@platformatic/kafka";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { RightReport } from "#lib/brokers/access-report.ts";
import type { BrokerError } from "#lib/brokers/broker-error.ts";
import { checkAccess, openBroker } from "#lib/brokers/open-broker.ts";
import type { ClusterConfig, SaslConfig, TlsConfig } from "#lib/platform/cluster-config.ts";
import type { SecretReference } from "#lib/platform/secret.ts";
import { type Authority, createAuthority, type IssuedCertificate } from "../../support/certificates.ts";
import { type KafkaCluster, type SecureListener, startKafka } from "../../support/kafka-cluster.ts";
import {
  clusterConfig,
  saslListener,
  startTokenEndpoint,
  type TokenEndpoint,
  tlsListener,
  unsecuredToken,
} from "../../support/kafka-security.ts";
import { createTopic } from "../../support/topic-admin.ts";

const PASSWORDS = { reader: "reader's password", limited: "limited-password", nobody: "nobody-password" };
const WRONG = "not-the-password";

let folder: string;
let authority: Authority;
let stranger: Authority;
let client: IssuedCertificate;
let strangersClient: IssuedCertificate;
let kafka: KafkaCluster;
let admin: Admin;
let tokens: TokenEndpoint;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "keyfold-security-"));
  authority = await createAuthority(path.join(folder, "ours"));
  stranger = await createAuthority(path.join(folder, "theirs"));
  client = await authority.issue("client", {});
  strangersClient = await stranger.issue("client", {});
  const server = await authority.issue("server", {});
  tokens = await startTokenEndpoint("keyfold", "client-secret");
  kafka = await startKafka({
    version: "4.4",
    heapMegabytes: 320,
    security: {
      listeners: [
        tlsListener("OUR_TLS", server),
        tlsListener("OUR_MTLS", server, authority),
        tlsListener("NAMED_TLS", await authority.issue("named", { subjectAltName: "DNS:kafka.test" })),
        tlsListener("EXPIRED_TLS", await authority.issue("expired", { isExpired: true })),
        saslListener("OUR_SASL", PASSWORDS, server),
        saslListener("CLEAR_SASL", PASSWORDS, null),
        shortSession(saslListener("SHORT_SASL", PASSWORDS, null)),
      ],
      scramUsers: [
        { mechanism: "SCRAM-SHA-256", name: "scram-user", password: PASSWORDS.reader },
        { mechanism: "SCRAM-SHA-512", name: "scram-user", password: PASSWORDS.reader },
      ],
      acls: true,
    },
  });
  admin = new Admin({ clientId: "test", bootstrapBrokers: kafka.servers.split(",") });
});

afterAll(async () => {
  await admin?.close();
  await kafka?.stop();
  await tokens?.close();
  await rm(folder, { recursive: true, force: true });
});

async function secret(text: string): Promise<SecretReference> {
  const file = path.join(folder, `secret-${Buffer.from(text).toString("hex")}`);
  await writeFile(file, text);
  return { file };
}

/** Authentication counts for two seconds (KIP-368). */
const shortSession = (listener: SecureListener): SecureListener => ({
  ...listener,
  properties: { ...listener.properties, "connections.max.reauth.ms": "2000" },
});

const at = (listener: string, security: Partial<ClusterConfig> = {}): ClusterConfig =>
  clusterConfig(kafka.serversOf(listener), security);

const trusted = (more: Partial<TlsConfig> = {}): TlsConfig => ({ ca: { file: authority.caPath }, ...more });

/** Connects, authenticates and asks something that needs no right. */
async function clusterIdAt(config: ClusterConfig): Promise<string> {
  const broker = await openBroker(config, { clientId: "keyfold-poll" });
  try {
    return (await broker.describeCluster()).clusterId;
  } finally {
    await broker.close();
  }
}

async function refusalAt(config: ClusterConfig): Promise<Pick<BrokerError, "code" | "message">> {
  try {
    await clusterIdAt(config);
  } catch (error) {
    const { code, message } = error as BrokerError;
    for (const password of [...Object.values(PASSWORDS), WRONG, "client-secret"])
      expect(message).not.toContain(password);
    return { code, message };
  }
  throw new Error("the connection was accepted");
}

const password = async (
  mechanism: "plain" | "scram-sha-256" | "scram-sha-512",
  username: string,
  text: string,
): Promise<SaslConfig> => ({ mechanism, username, password: await secret(text) });

describe("TLS", () => {
  test("a broker of an own authority is reached when `tls.ca` names it", async () => {
    expect(await clusterIdAt(at("OUR_TLS", { tls: trusted() }))).toMatch(/^[\w-]{22}$/);
  });

  test("an authority that is not named is told, with `tls.ca` as the remedy", async () => {
    const refusal = await refusalAt(at("OUR_TLS", { tls: {} }));
    expect(refusal.code).toBe("tls-failed");
    expect(refusal.message).toMatch(
      /TLS with 127\.0\.0\.1:\d+ failed: .*authority that is not trusted here.*`tls\.ca`/,
    );
  });

  test("the wrong authority is told", async () => {
    const refusal = await refusalAt(at("OUR_TLS", { tls: { ca: { file: stranger.caPath } } }));
    expect(refusal).toMatchObject({ code: "tls-failed", message: expect.stringMatching(/authority.*`tls\.ca`/) });
  });

  test("an expired certificate is told", async () => {
    const refusal = await refusalAt(at("EXPIRED_TLS", { tls: trusted() }));
    expect(refusal).toMatchObject({ code: "tls-failed", message: expect.stringMatching(/has expired\. Renew it/) });
  });

  test("a certificate for another name is told, and `tls.serverName` helps", async () => {
    const refusal = await refusalAt(at("NAMED_TLS", { tls: trusted() }));
    expect(refusal).toMatchObject({
      code: "tls-failed",
      message: expect.stringMatching(/does not hold the name.*`tls\.serverName`/),
    });
    await clusterIdAt(at("NAMED_TLS", { tls: trusted({ serverName: "kafka.test" }) }));
  });

  test("a plain client at the TLS port is told to add `tls`", async () => {
    const refusal = await refusalAt(at("OUR_TLS"));
    expect(refusal).toMatchObject({
      code: "tls-failed",
      message: expect.stringMatching(/speaks TLS.*Add a `tls` section/),
    });
  });

  test("a plain client with SASL at the TLS port is told to add `tls`", async () => {
    const refusal = await refusalAt(at("OUR_SASL", { sasl: await password("plain", "reader", PASSWORDS.reader) }));
    expect(refusal.message).toMatch(/speaks? TLS.*`tls` section/);
  });

  test("a TLS client at the plain port is told so", async () => {
    const refusal = await refusalAt(clusterConfig(kafka.servers, { tls: trusted() }));
    expect(refusal).toMatchObject({
      code: "tls-failed",
      message: expect.stringMatching(/does not speak TLS.*take the `tls` section away/),
    });
  });

  test("a client certificate that the broker trusts is accepted", async () => {
    const pair = { cert: { file: client.certPath }, key: { file: client.keyPath } };
    expect(await clusterIdAt(at("OUR_MTLS", { tls: trusted(pair) }))).toMatch(/^[\w-]{22}$/);
  });

  test("a client certificate that is missing is told", async () => {
    const refusal = await refusalAt(at("OUR_MTLS", { tls: trusted() }));
    expect(refusal).toMatchObject({
      code: "tls-failed",
      message: expect.stringMatching(/client certificate.*`tls\.cert` and `tls\.key`/),
    });
  });

  test("a client certificate of an authority that the broker does not trust is told", async () => {
    const pair = { cert: { file: strangersClient.certPath }, key: { file: strangersClient.keyPath } };
    const refusal = await refusalAt(at("OUR_MTLS", { tls: trusted(pair) }));
    expect(refusal).toMatchObject({
      code: "tls-failed",
      message: expect.stringMatching(/client certificate.*`tls\.cert` and `tls\.key`/),
    });
  });

  test("a key that does not belong to the certificate is told", async () => {
    const pair = { cert: { file: client.certPath }, key: { file: strangersClient.keyPath } };
    const refusal = await refusalAt(at("OUR_MTLS", { tls: trusted(pair) }));
    expect(refusal).toMatchObject({
      code: "tls-failed",
      message: expect.stringMatching(/`tls\.key` does not belong to `tls\.cert`/),
    });
  });

  test("a file that is no PEM is told", async () => {
    const refusal = await refusalAt(at("OUR_TLS", { tls: { ca: await secret("no certificate") } }));
    expect(refusal).toMatchObject({ code: "tls-failed", message: expect.stringMatching(/`tls\.ca`/) });
  });
});

describe("SASL", () => {
  test("PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512 over TLS", async () => {
    await clusterIdAt(at("OUR_SASL", { tls: trusted(), sasl: await password("plain", "reader", PASSWORDS.reader) }));
    for (const mechanism of ["scram-sha-256", "scram-sha-512"] as const) {
      await clusterIdAt(
        at("OUR_SASL", { tls: trusted(), sasl: await password(mechanism, "scram-user", PASSWORDS.reader) }),
      );
    }
  });

  test.each(["plain", "scram-sha-256", "scram-sha-512"] as const)("a wrong password is told: %s", async (mechanism) => {
    const user = mechanism === "plain" ? "reader" : "scram-user";
    const refusal = await refusalAt(at("OUR_SASL", { tls: trusted(), sasl: await password(mechanism, user, WRONG) }));
    expect(refusal).toMatchObject({
      code: "authentication-failed",
      message: expect.stringMatching(/refused the credentials\. Check user name, password or token in `sasl`/),
    });
  });

  test("a password that was changed in its file counts at the next connection", async () => {
    const file = path.join(folder, "rotated");
    await writeFile(file, WRONG);
    const config = at("CLEAR_SASL", { sasl: { mechanism: "plain", username: "reader", password: { file } } });
    expect((await refusalAt(config)).code).toBe("authentication-failed");
    await writeFile(file, `${PASSWORDS.reader}\n`);
    await clusterIdAt(config);
  });

  test("a client without SASL at a SASL port is told to add `sasl`", async () => {
    const refusal = await refusalAt(at("OUR_SASL", { tls: trusted() }));
    expect(refusal.message).toMatch(/`sasl` section/);
  });

  test.each(["plain", "scram-sha-512"] as const)("a session that ends is renewed: %s", async (mechanism) => {
    const user = mechanism === "plain" ? "reader" : "scram-user";
    const config = at("SHORT_SASL", { sasl: await password(mechanism, user, PASSWORDS.reader) });
    const broker = await openBroker(config, { clientId: "keyfold-poll" });
    try {
      for (let renewals = 0; renewals < 2; renewals++) {
        const { requests } = broker.traffic();
        // Nothing is asked meanwhile: these are the requests of another authentication.
        await expect.poll(() => broker.traffic().requests, { timeout: 10_000 }).toBeGreaterThan(requests);
        await broker.describeCluster();
      }
    } finally {
      await broker.close();
    }
  });

  test("requests that meet the renewal of a session lose nothing", async () => {
    const sasl = await password("scram-sha-256", "scram-user", PASSWORDS.reader);
    const broker = await openBroker(at("SHORT_SASL", { sasl }), { clientId: "keyfold-poll" });
    try {
      const before = broker.traffic().requests;
      let asked = 0;
      // Handshake and two messages each time; three renewals make nine requests that were not asked for here.
      while (broker.traffic().requests - before - asked < 9) {
        const clusters = await Promise.all([1, 2, 3].map(() => broker.describeCluster()));
        asked += clusters.length;
        expect(clusters.map(({ brokers }) => brokers.length)).toEqual([1, 1, 1]);
      }
    } finally {
      await broker.close();
    }
  });

  test("SASL at a port without it is told", async () => {
    const sasl = await password("plain", "reader", PASSWORDS.reader);
    const refusal = await refusalAt(clusterConfig(kafka.servers, { sasl }));
    expect(refusal).toMatchObject({
      code: "authentication-failed",
      message: expect.stringMatching(/expects no SASL.*take the `sasl` section away/),
    });
  });
});

describe("SASL OAUTHBEARER", () => {
  const oauth = (oauthbearer: Extract<SaslConfig, { mechanism: "oauthbearer" }>["oauthbearer"]) =>
    at("OUR_SASL", { tls: trusted(), sasl: { mechanism: "oauthbearer", oauthbearer } });

  test("a token endpoint is asked once for many connections", async () => {
    const clientSecret = await secret("client-secret");
    const before = tokens.given();
    const broker = await openBroker(oauth({ tokenEndpoint: tokens.url, clientId: "keyfold", clientSecret }), {
      clientId: "keyfold-poll",
    });
    const { brokers } = await broker.describeCluster();
    const logs = brokers.map(({ brokerId }) => broker.describeBrokerConfigs([brokerId], ["log.cleaner.threads"]));
    await Promise.all(logs);
    await broker.close();
    expect(tokens.given() - before).toBe(1);
  });

  test("a command that prints a bare token, or JSON", async () => {
    const token = unsecuredToken("keyfold", 600);
    for (const output of [token, JSON.stringify({ access_token: token, expires_in: 600 })]) {
      await clusterIdAt(oauth({ command: [process.execPath, "-e", `console.log(${JSON.stringify(output)})`] }));
    }
  });

  test("an expired token is refused by the broker, and told", async () => {
    const command = [process.execPath, "-e", `console.log(${JSON.stringify(unsecuredToken("keyfold", -60))})`];
    const refusal = await refusalAt(oauth({ command }));
    expect(refusal).toMatchObject({
      code: "authentication-failed",
      message: expect.stringMatching(/refused the credentials/),
    });
  });

  test("a client that the token endpoint does not know is told", async () => {
    const clientSecret = await secret(WRONG);
    const refusal = await refusalAt(oauth({ tokenEndpoint: tokens.url, clientId: "keyfold", clientSecret }));
    expect(refusal.code).toBe("authentication-failed");
    expect(refusal.message).toMatch(/token endpoint .* answered 401\. Check `clientId`, `clientSecret` and `scope`/);
  });

  test("a token endpoint that is down is told as such", async () => {
    const closed = await startTokenEndpoint("keyfold", "client-secret");
    await closed.close();
    const clientSecret = await secret("client-secret");
    const refusal = await refusalAt(oauth({ tokenEndpoint: closed.url, clientId: "keyfold", clientSecret }));
    expect(refusal).toMatchObject({
      code: "unreachable",
      message: expect.stringMatching(/token endpoint .*can't be reached \(ECONNREFUSED\)/),
    });
  });

  test("a command that fails is told without its output", async () => {
    const command = [process.execPath, "-e", "console.log('tok-3n'); process.exit(3)"];
    const refusal = await refusalAt(oauth({ command }));
    expect(refusal.message).toMatch(/token command .* failed \(3\)/);
    expect(refusal.message).not.toContain("tok-3n");
  });
});

describe("ACLs", () => {
  const as = async (user: keyof typeof PASSWORDS): Promise<ClusterConfig> =>
    at("CLEAR_SASL", { sasl: await password("plain", user, PASSWORDS[user]) });

  const allow = (
    user: string,
    operation: keyof typeof AclOperations,
    resourceType: keyof typeof ResourceTypes,
    resourceName: string,
  ) => ({
    resourceType: ResourceTypes[resourceType],
    resourceName,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: `User:${user}`,
    host: "*",
    operation: AclOperations[operation],
    permissionType: AclPermissionTypes.ALLOW,
  });

  const outcomes = (reports: readonly RightReport[]) =>
    Object.fromEntries(reports.map(({ id, outcome }) => [id, outcome]));

  beforeAll(async () => {
    await createTopic(kafka, { topic: "open-orders", configs: { "cleanup.policy": "compact" } });
    await createTopic(kafka, { topic: "closed-orders", configs: { "cleanup.policy": "compact" } });
    for (const groupId of ["open-group", "closed-group"]) {
      await admin.alterConsumerGroupOffsets({
        groupId,
        topics: [{ name: "open-orders", partitionOffsets: [{ partition: 0, offset: 0n }] }],
      });
    }
    await admin.createAcls({
      creations: [
        allow("reader", "DESCRIBE", "TOPIC", "*"),
        allow("reader", "READ", "TOPIC", "*"),
        allow("reader", "DESCRIBE_CONFIGS", "TOPIC", "*"),
        allow("reader", "DESCRIBE", "CLUSTER", "kafka-cluster"),
        allow("reader", "DESCRIBE_CONFIGS", "CLUSTER", "kafka-cluster"),
        allow("reader", "DESCRIBE", "GROUP", "*"),
        allow("reader", "DESCRIBE", "TRANSACTIONAL_ID", "*"),
        allow("limited", "DESCRIBE", "TOPIC", "*"),
        allow("limited", "READ", "TOPIC", "open-orders"),
        allow("limited", "DESCRIBE_CONFIGS", "TOPIC", "open-orders"),
        allow("limited", "READ", "GROUP", "open-group"),
        allow("limited", "DELETE", "GROUP", "open-group"),
        allow("limited", "ALTER_CONFIGS", "TOPIC", "open-orders"),
      ],
    });
  });

  test("who may read everything lacks nothing for reading, and is told what changes would need", async () => {
    await vi.waitFor(
      async () =>
        expect(outcomes(await checkAccess(await as("reader"), "keyfold-poll"))).toEqual({
          "describe-topics": "granted",
          "read-topics": "granted",
          "describe-configs-topics": "granted",
          "describe-cluster": "granted",
          "describe-configs-cluster": "granted",
          "describe-groups": "granted",
          "describe-transactional-ids": "granted",
          "commit-groups": "missing",
          "commit-topics": "granted",
          "delete-groups": "missing",
          "alter-configs-topics": "missing",
        }),
      { timeout: 60_000, interval: 250 },
    );
  });

  test("who may do some of it is told on which topics and groups it is missing", async () => {
    const reports = await checkAccess(await as("limited"), "keyfold-poll");
    expect(outcomes(reports)).toEqual({
      "describe-topics": "granted",
      "read-topics": "partly",
      "describe-configs-topics": "partly",
      "describe-cluster": "missing",
      "describe-configs-cluster": "missing",
      "describe-groups": "granted",
      "describe-transactional-ids": "missing",
      "commit-groups": "granted",
      "commit-topics": "partly",
      "delete-groups": "granted",
      "alter-configs-topics": "partly",
    });
    expect(reports.find(({ id }) => id === "read-topics")?.detail).toBe('on 1 of 2 topics, not on "closed-orders"');
  });

  test("who may do nothing is told so for each right", async () => {
    const reports = await checkAccess(await as("nobody"), "keyfold-poll");
    expect(outcomes(reports)).toEqual({
      "describe-topics": "missing",
      "read-topics": "not-tried",
      "describe-configs-topics": "not-tried",
      "describe-cluster": "missing",
      "describe-configs-cluster": "missing",
      "describe-groups": "missing",
      "describe-transactional-ids": "missing",
      "commit-groups": "not-tried",
      "commit-topics": "not-tried",
      "delete-groups": "not-tried",
      "alter-configs-topics": "not-tried",
    });
  });

  test("changes are tried with their own credentials, and not at all where the cluster is read-only", async () => {
    const limited = await as("limited");
    const config = { ...(await as("reader")), changes: { tls: null, sasl: limited.sasl } };
    expect(outcomes(await checkAccess(config, "keyfold-poll"))).toMatchObject({
      "read-topics": "granted",
      "alter-configs-topics": "partly",
    });
    const readOnly = await checkAccess({ ...config, readOnly: true }, "keyfold-poll");
    expect(outcomes(readOnly)).toMatchObject({ "read-topics": "granted", "alter-configs-topics": "not-tried" });
  });

  test("nothing was changed by trying", async () => {
    const broker = await openBroker(clusterConfig(kafka.servers), { clientId: "keyfold-poll" });
    try {
      const topics = await broker.describeTopics();
      expect(topics.filter(({ internal }) => !internal).map(({ name }) => name)).toEqual(
        expect.arrayContaining(["closed-orders", "open-orders"]),
      );
      expect(topics.map(({ name }) => name)).not.toContain("__transaction_state");
      expect((await broker.listGroups()).map(({ group }) => group)).toEqual(["closed-group", "open-group"]);
      expect(await broker.listGroupOffsets("open-group")).toHaveLength(1);
    } finally {
      await broker.close();
    }
  });

  test("a poll with few rights fails only in the parts that are refused", async () => {
    const broker = await openBroker(await as("limited"), { clientId: "keyfold-poll" });
    try {
      const topics = await broker.describeTopics();
      expect(topics.map(({ name }) => name)).toEqual(expect.arrayContaining(["open-orders", "closed-orders"]));
      const configs = await broker.describeTopicConfigs(["open-orders", "closed-orders"], ["cleanup.policy"]);
      expect(configs.get("open-orders")?.ok).toBe(true);
      expect(configs.get("closed-orders")).toMatchObject({ ok: false, error: { code: "authorization-failed" } });
      const { replicas, failures } = await broker.describeReplicaSizes();
      expect(replicas).toEqual([]);
      expect(failures).toMatchObject([{ brokerId: 1, error: { code: "authorization-failed" } }]);
      expect((await broker.describeBrokerConfigs([1], ["log.cleaner.threads"])).get(1)?.ok).toBe(false);
      expect(await broker.describeConsumerByteRate("keyfold-scan")).toBe("unknown");
      expect((await broker.listGroups()).map(({ group }) => group)).toEqual(["open-group"]);
      await expect(broker.listGroupOffsets("closed-group")).rejects.toMatchObject({ code: "authorization-failed" });
      const offsets = await broker.listOffsets([{ topic: "closed-orders", partition: 0 }]);
      expect([...offsets.values()]).toMatchObject([{ ok: true }]);
    } finally {
      await broker.close();
    }
  });

  test("a named topic that may not be seen is told apart from one that is not there", async () => {
    const broker = await openBroker(await as("nobody"), { clientId: "keyfold-poll" });
    try {
      await expect(broker.describeTopics(["open-orders"])).rejects.toMatchObject({ code: "authorization-failed" });
      expect(await broker.describeTopics()).toEqual([]);
    } finally {
      await broker.close();
    }
  });
});
