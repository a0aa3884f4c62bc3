/**
 * Writes an invented fleet through the store's own functions, as workers do: every state of the pages occurs in it. Times
 * are relative to now, so that the pages show it as live.
 */
import { randomUUID } from "node:crypto";
import type { ConfigEntries, PartitionDescription, ReplicaSize, TopicDescription } from "#lib/brokers/broker-port.ts";
import { partitionKey } from "#lib/brokers/broker-port.ts";
import { registerClusters, storePoll, storePollFailure } from "#lib/clusters/commands.ts";
import type { PollSnapshot } from "#lib/clusters/poll-snapshot.ts";
import { mergeTopic } from "#lib/compaction/measure-topic.ts";
import { exactly, type PartitionMeasurement, type TopicMeasurement } from "#lib/compaction/measurement.ts";
import { acquireLease } from "#lib/jobs/lease.ts";
import { storeMeasurements } from "#lib/measurements/store.ts";
import type { Db } from "#lib/platform/db.ts";
import { ok } from "#lib/platform/result.ts";
import { aPartition, between, HOSTILE_NAMES, MIB, MINUTE } from "#test/support/view-fixtures.ts";

export interface SeededTopic {
  name: string;
  cluster: string;
  policy?: string;
  settings?: ConfigEntries;
  /** Newest probe of each partition; empty: not measured yet. */
  partitions: PartitionMeasurement[];
  /** Bytes of followers by partition and broker. */
  followers?: Record<number, Record<number, number>>;
  /** A scan with these counts was made as well. */
  scan?: {
    distinctKeys: number;
    retainedRecords: number;
    tombstones: number;
    removableShare: number;
    nullKeys?: number;
  };
  historyDays?: number;
}

export const HELD_TOPIC = "customer.shipping-address.v2";
export const UNMEASURED_TOPIC = "geo.zone";

const DEFAULTS: ConfigEntries = {
  "min.cleanable.dirty.ratio": { value: "0.5", source: "default" },
  "min.compaction.lag.ms": { value: "0", source: "default" },
  "max.compaction.lag.ms": { value: "9223372036854775807", source: "default" },
  "delete.retention.ms": { value: "86400000", source: "default" },
  "segment.ms": { value: "604800000", source: "topic" },
  "segment.bytes": { value: "134217728", source: "topic" },
  "retention.ms": { value: "604800000", source: "default" },
  "retention.bytes": { value: "-1", source: "default" },
};

function heldTopic(): SeededTopic {
  const sizes = [269, 285, 246, 778, 294, 280];
  const partitions = sizes.map((mib, partition) =>
    partition === 3
      ? aPartition({
          partition,
          bytes: mib * MIB,
          clean: 0.27,
          cleanable: 0.004,
          active: 0.11,
          cleanTo: 0.9233,
          heldFrom: 0.9234,
        })
      : aPartition({
          partition,
          bytes: mib * MIB,
          clean: 0.78 - partition * 0.02,
          cleanable: 0.12 + partition * 0.02,
          active: 0.1,
        }),
  );
  const [, , , , , last] = partitions as [unknown, unknown, unknown, unknown, unknown, PartitionMeasurement];
  last.replicas = [
    { brokerId: 1, leader: true, bytes: 280 * MIB, cleanPoint: { low: 24_556_310, high: 24_556_310 }, state: "ok" },
    {
      brokerId: 2,
      leader: false,
      bytes: 951 * MIB,
      cleanPoint: { low: 12_168_940, high: 12_168_940 },
      state: "quarantined",
    },
    { brokerId: 3, leader: false, bytes: 283 * MIB, cleanPoint: { low: 24_556_310, high: 24_556_310 }, state: "ok" },
  ];
  return {
    name: HELD_TOPIC,
    cluster: "prod-eu1",
    partitions,
    followers: Object.fromEntries(
      sizes.map((mib, partition) => [partition, { 2: (partition === 5 ? 951 : mib + 2) * MIB, 3: (mib + 3) * MIB }]),
    ),
    scan: { distinctKeys: 4_188_204, retainedRecords: 6_204_881, tombstones: 85_827, removableShare: 0.41 },
    historyDays: 60,
  };
}

export function seededTopics(): SeededTopic[] {
  return [
    heldTopic(),
    {
      name: "iam.entitlement.grants",
      cluster: "prod-eu1",
      policy: "compact,delete",
      partitions: [aPartition({ logStart: 61_204, clean: 0.6, cleanable: 0.14, active: 0.26 })],
      scan: { distinctKeys: 1_210_044, retainedRecords: 1_440_871, tombstones: 1204, removableShare: 0.16 },
    },
    {
      name: "platform.feature-flags",
      cluster: "prod-ap1",
      partitions: [
        aPartition(
          { logEnd: 61_300, bytes: 41 * MIB, clean: 0, cleanable: 0, active: 1, cleanTo: 0, activeFrom: 0 },
          { removableShare: exactly(0.98) },
        ),
      ],
      scan: { distinctKeys: 1180, retainedRecords: 61_300, tombstones: 0, removableShare: 0.98 },
    },
    {
      name: "pricing.catalog.by-sku",
      cluster: "prod-ap1",
      partitions: [aPartition({ clean: 0.38, cleanable: 0.52, active: 0.1, cleanTo: 0.62, activeFrom: 0.95 })],
    },
    {
      name: "orders.order.state",
      cluster: "prod-eu1",
      partitions: [
        aPartition(
          { clean: 0.44, cleanable: 0.41, active: 0.15, cleanTo: [0, 0.85], activeFrom: 0.86, density: [0.96, 0.97] },
          {
            removableShare: between(0, 0.85),
            warnings: [
              {
                code: "no-rewrites",
                message: "Nothing was rewritten in between, so that nobody outside can tell where the cleaner stands.",
              },
            ],
          },
        ),
      ],
    },
    {
      name: "ledger.account.balance",
      cluster: "prod-eu1",
      partitions: [aPartition({ clean: 0.63, cleanable: 0.28, active: 0.09 })],
    },
    {
      name: "crm.contact.preferences",
      cluster: "prod-ap1",
      partitions: [aPartition({ clean: 0.78, cleanable: 0.13, active: 0.09 }, { nullKeyRecords: exactly(4112) })],
    },
    { name: UNMEASURED_TOPIC, cluster: "prod-ap1", partitions: [] },
    {
      name: "partner.feed.assets",
      cluster: "stage-eu1",
      partitions: [aPartition({ clean: 0.5, cleanable: 0.3, active: 0.2 })],
    },
    ...HOSTILE_NAMES.map((name) => ({
      name,
      cluster: "prod-eu1",
      partitions: [aPartition({ clean: 0.82, cleanable: 0.1, active: 0.08 })],
    })),
  ];
}

/** @param topics what is there; the cluster `lab` is configured and was never reached */
export async function seedFleet(db: Db, topics: readonly SeededTopic[] = seededTopics()): Promise<void> {
  const now = Date.now();
  const clusters = ["prod-eu1", "prod-ap1", "stage-eu1", "lab"];
  // One poll a minute: what is seeded stays live for as long as a test looks at it.
  await registerClusters(
    db,
    clusters.map((id) => ({ id, system: "kafka", pollIntervalMs: 10 * MINUTE })),
  );
  const ages: Record<string, number> = { "prod-eu1": 9_000, "prod-ap1": 7_000, "stage-eu1": 22 * MINUTE };
  for (const [cluster, ageMs] of Object.entries(ages)) {
    await pollOnce(
      db,
      cluster,
      topics.filter((topic) => topic.cluster === cluster),
      now - ageMs,
    );
  }
  for (const topic of topics) await storeTopic(db, topic, now);
  await failPoll(
    db,
    "stage-eu1",
    "Broker 2 (stage-2:9092) refuses connections. Check that it runs and that the worker may reach this port.",
  );
  await failPoll(
    db,
    "lab",
    "No address of lab.internal:9092 answers. Check the servers of this cluster in the configuration file.",
  );
}

async function failPoll(db: Db, cluster: string, error: string): Promise<void> {
  const lease = await acquireLease(db, `poll:${cluster}`, "seed", 60_000);
  if (lease === null) throw new Error(`no lease for ${cluster}`);
  await storePollFailure(db, cluster, lease, { at: Date.now() - 12_000, error });
}

/** A poll that finds these topics; called again with fewer, it finds the others gone. */
export async function pollOnce(db: Db, cluster: string, topics: readonly SeededTopic[], at: number): Promise<void> {
  const lease = await acquireLease(db, `poll:${cluster}`, "seed", 60_000);
  if (lease === null) throw new Error(`no lease for ${cluster}`);
  await storePoll(db, cluster, lease, snapshotOf(cluster, topics, at));
}

function snapshotOf(cluster: string, topics: readonly SeededTopic[], at: number): PollSnapshot {
  const replicas: ReplicaSize[] = [];
  const offsets: PollSnapshot["offsets"] = new Map();
  for (const topic of topics) {
    for (const measured of partitionsOf(topic)) {
      const { partition } = measured;
      offsets.set(
        partitionKey(topic.name, partition),
        ok({
          logStart: measured.logStartOffset,
          logEnd: measured.logEndOffset,
          lastStable: measured.shape?.lastStableOffset ?? measured.logEndOffset,
        }),
      );
      const sizes = { 1: measured.bytes ?? 0, ...topic.followers?.[partition] };
      for (const [brokerId, bytes] of Object.entries(sizes)) {
        replicas.push({
          topic: topic.name,
          partition,
          brokerId: Number(brokerId),
          logDir: "/data",
          bytes,
          offsetLag: 0,
        });
      }
    }
  }
  return {
    at,
    cluster: {
      clusterId: `id-of-${cluster}`,
      controllerId: 1,
      kind: { name: "apache-kafka", version: "4.4", evidence: "feature levels" },
      brokers: [1, 2, 3].map((brokerId) => ({ brokerId, host: `b${brokerId}.${cluster}`, port: 9092, rack: null })),
    },
    topics: topics.map(describeTopic),
    settings: new Map(
      topics.map((topic) => [
        topic.name,
        ok({
          ...DEFAULTS,
          ...topic.settings,
          "cleanup.policy": { value: topic.policy ?? "compact", source: "topic" as const },
        }),
      ]),
    ),
    compacted: new Set(topics.map((topic) => topic.name)),
    offsets,
    sizes: { replicas, directories: [], failures: [] },
  };
}

/** A topic without a measurement still has a partition. */
const partitionsOf = (topic: SeededTopic): PartitionMeasurement[] =>
  topic.partitions.length > 0 ? topic.partitions : [aPartition({ logEnd: 18_204_551 })];

const topicIds = new Map<string, string>();

function describeTopic(topic: SeededTopic): TopicDescription {
  const key = `${topic.cluster}/${topic.name}`;
  const topicId = topicIds.get(key) ?? randomUUID();
  topicIds.set(key, topicId);
  return {
    name: topic.name,
    topicId,
    internal: false,
    partitions: partitionsOf(topic).map(({ partition }): PartitionDescription => {
      const replicas = [1, ...Object.keys(topic.followers?.[partition] ?? {}).map(Number)];
      return { partition, leader: 1, leaderEpoch: 4, replicas, inSyncReplicas: replicas };
    }),
  };
}

async function storeTopic(db: Db, topic: SeededTopic, now: number): Promise<void> {
  if (topic.partitions.length === 0) return;
  const { id: topicRef } = await db.topic.findFirstOrThrow({ where: { clusterId: topic.cluster, name: topic.name } });
  const days = topic.historyDays ?? 0;
  for (let day = days; day >= 0; day -= 1) {
    const measuredAt = now - day * 24 * 60 * MINUTE - 3 * MINUTE;
    await store(db, topicRef, topic, { mode: "probe", measuredAt, age: days === 0 ? 0 : day / days });
    if (topic.scan && day % 4 === 0)
      await store(db, topicRef, topic, { mode: "scan", measuredAt, age: days === 0 ? 0 : day / days });
  }
}

interface Moment {
  mode: "probe" | "scan";
  measuredAt: number;
  /** 1: the oldest, 0: now. */
  age: number;
}

async function store(db: Db, topicRef: bigint, topic: SeededTopic, moment: Moment): Promise<void> {
  const { mode, measuredAt, age } = moment;
  const partitions = topic.partitions.map((partition) =>
    agePartition({ ...partition, topic: topic.name, mode, measuredAt }, age),
  );
  const merged = mergeTopic({ topic: topic.name, mode, measuredAt, durationMs: 900 }, partitions, null);
  const written = partitions.reduce((sum, partition) => sum + partition.logEndOffset, 0) * (1 - 0.6 * age);
  const line: TopicMeasurement = mode === "scan" && topic.scan ? { ...merged, ...countsOf(topic.scan, age) } : merged;
  await storeMeasurements(db, { topicRef, mode, partitions, topic: line, written: Math.round(written) });
}

/** The cleaner ran every fifth step of the way; in between the ratio rose. */
function agePartition(partition: PartitionMeasurement, age: number): PartitionMeasurement {
  if (age === 0 || partition.dirtyRatio?.value == null) return partition;
  const retained = (partition.retainedRecords?.value ?? 0) * (1 - 0.3 * age);
  return {
    ...partition,
    retainedRecords: { value: retained, low: retained * 0.98, high: retained * 1.02, exact: false },
    dirtyRatio: exactly(0.05 + 0.09 * (Math.round((1 - age) * 60) % 6)),
  };
}

function countsOf(scan: NonNullable<SeededTopic["scan"]>, age: number): Partial<TopicMeasurement> {
  const keys = Math.round(scan.distinctKeys * (1 - 0.02 * age));
  const kept = Math.round(scan.retainedRecords * (1 - 0.3 * age));
  return {
    distinctKeys: exactly(keys),
    liveKeys: exactly(keys - scan.tombstones),
    retainedRecords: exactly(kept),
    supersededRecords: exactly(kept - keys),
    tombstones: exactly(scan.tombstones),
    removableShare: exactly(scan.removableShare * (1 - 0.8 * age)),
    nullKeyRecords: exactly(scan.nullKeys ?? 0),
  };
}
