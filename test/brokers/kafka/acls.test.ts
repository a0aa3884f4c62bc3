/** ACLs of a real broker: what each right is needed for, and that what is missing is told. */
import { AclOperations, AclPermissionTypes, Admin, ResourcePatternTypes, ResourceTypes } from "@platformatic/kafka";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RightReport } from "#lib/brokers/access-report.ts";
import { checkAccess, openBroker } from "#lib/brokers/open-broker.ts";
import type { ClusterConfig } from "#lib/platform/cluster-config.ts";
import { clusterConfig } from "../../support/cluster-config.ts";
import { PASSWORDS, type SecuredKafka, startSecuredKafka } from "../../support/secured-kafka.ts";
import { createTopic } from "../../support/topic-admin.ts";

let admin: Admin;
let secured: SecuredKafka;

beforeAll(async () => {
  secured = await startSecuredKafka();
  admin = new Admin({ clientId: "test", bootstrapBrokers: secured.kafka.servers.split(",") });
  await createTopic(secured.kafka, { topic: "open-orders", configs: { "cleanup.policy": "compact" } });
  await createTopic(secured.kafka, { topic: "closed-orders", configs: { "cleanup.policy": "compact" } });
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

afterAll(async () => {
  await admin?.close();
  await secured?.stop();
});

const as = async (user: keyof typeof PASSWORDS): Promise<ClusterConfig> =>
  secured.at("CLEAR_SASL", { sasl: await secured.password("plain", user, PASSWORDS[user]) });

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
  const broker = await openBroker(clusterConfig(secured.kafka.servers), { clientId: "keyfold-poll" });
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
