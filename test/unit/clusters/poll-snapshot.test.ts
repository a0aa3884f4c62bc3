import { describe, expect, it } from "vitest";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { partitionKey } from "#lib/brokers/broker-port.ts";
import { pauseBeforePollMs } from "#lib/clusters/poll-pace.ts";
import {
  type PollSnapshot,
  replicaKey,
  toPartitionRows,
  toSettingsRows,
  toTopicRows,
} from "#lib/clusters/poll-snapshot.ts";
import { fail, ok } from "#lib/platform/result.ts";

const TOPIC_ID = "11111111-1111-4111-8111-111111111111";
const snapshot: PollSnapshot = {
  at: 2000,
  cluster: {
    clusterId: "c",
    controllerId: 1,
    kind: { name: "apache-kafka", version: "4.4", evidence: "" },
    brokers: [],
  },
  topics: [
    {
      name: "customers",
      topicId: TOPIC_ID,
      internal: false,
      partitions: [{ partition: 0, leader: 1, leaderEpoch: 3, replicas: [1, 2], inSyncReplicas: [1] }],
    },
  ],
  settings: new Map(),
  compacted: new Set(["customers"]),
  offsets: new Map([[partitionKey("customers", 0), ok({ logStart: 0, logEnd: 9, lastStable: 8 })]]),
  sizes: {
    replicas: [{ topic: "customers", partition: 0, brokerId: 1, logDir: "/d", bytes: 700, offsetLag: 0 }],
    directories: [],
    failures: [],
  },
};

describe("what a poll becomes", () => {
  it("keeps the size of a replica that was not told this time, with the age it has", () => {
    const known = new Map([[replicaKey(TOPIC_ID, 0, 2), { brokerId: 2, inSync: true, bytes: "500", sizedAt: 1000 }]]);
    expect(toPartitionRows(snapshot, known)[0]?.replicas).toEqual([
      { brokerId: 1, inSync: true, bytes: "700", sizedAt: 2000 },
      { brokerId: 2, inSync: false, bytes: "500", sizedAt: 1000 },
    ]);
  });

  it("leaves offsets that could not be read empty, so that the stored ones keep their age", () => {
    const offsets = new Map([[partitionKey("customers", 0), fail(new BrokerError("leader-moved", "moved"))]]);
    expect(toPartitionRows({ ...snapshot, offsets }, new Map())[0]).toMatchObject({ log_end: null, last_stable: null });
  });

  it("stores why settings can't be read beside what they were", () => {
    const settings = new Map([
      ["customers", fail(new BrokerError("authorization-failed", "DescribeConfigs is missing"))],
    ]);
    expect(toSettingsRows({ ...snapshot, settings })).toEqual([
      { topic_id: TOPIC_ID, settings: null, cleanup_policy: null, error: "DescribeConfigs is missing" },
    ]);
  });

  it("leaves out a name that Postgres can't hold, and keeps every other hostile one", () => {
    const names = ["a\0b", "<script>", "\u202Eevil", "x".repeat(249), "\u0007"];
    const topics = names.map((name) => ({ name, topicId: name, internal: false, partitions: [] }));
    expect(toTopicRows(topics).map((row) => row.name)).toEqual(names.slice(1));
  });
});

describe("the pace of polls", () => {
  it("backs off while a cluster is away, never longer than half a minute", () => {
    expect([1, 2, 3, 4, 5, 50].map((failures) => pauseBeforePollMs(failures, 15_000, 0))).toEqual([
      2000, 4000, 8000, 16_000, 30_000, 30_000,
    ]);
  });

  it("counts what the poll took into its interval", () => {
    expect(pauseBeforePollMs(0, 15_000, 4_000)).toBe(11_000);
    expect(pauseBeforePollMs(0, 15_000, 40_000)).toBe(0);
  });
});
