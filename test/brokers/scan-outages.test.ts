import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runTopicScan } from "#lib/compaction/scan/run-scan-thread.ts";
import { type KafkaCluster, startKafka } from "../support/kafka-cluster.ts";
import { produce } from "../support/producer.ts";
import { createTopic } from "../support/topic-admin.ts";
import { countReadCommitted } from "../support/truth.ts";

const CONFIGS = { "cleanup.policy": "compact", "min.compaction.lag.ms": "86400000", "segment.bytes": "4194304" };

describe("a scan on three brokers", () => {
  let cluster: KafkaCluster;

  beforeAll(async () => {
    cluster = await startKafka({ version: "4.4", brokers: 3, heapMegabytes: 256 });
  });
  afterAll(() => cluster?.stop());

  async function fill(topic: string, replicas: number[]) {
    await createTopic(cluster, { topic, assignments: [replicas], configs: CONFIGS });
    const keys = { kind: "uniform", count: 10_000 } as const;
    const phases = [{ records: 50_000, keys, value_bytes: [200, 300] as [number, number], tombstone_share: 0.1 }];
    await produce({ servers: cluster.servers, topic, partition: 0, seed: 3, phases });
    const [truth] = await countReadCommitted(cluster.servers, topic, [0]);
    return truth!;
  }

  /** Scans slowly, and lets `interfere` run once records arrive. */
  async function scanWhile(topic: string, interfere: () => Promise<void>) {
    let interfering: Promise<void> | null = null;
    const scan = await runTopicScan({
      cluster: {
        id: "test",
        aliases: [],
        system: "kafka",
        servers: cluster.brokers.map(({ port }) => ({ host: "127.0.0.1", port })),
        tls: null,
        sasl: null,
        changes: null,
        readOnly: true,
        budgets: { scanBytesPerSecond: 1e9, scanBytesPerDay: null, requestsPerSecond: null },
      },
      topic,
      seed: randomBytes(16),
      maxBytesPerSecond: 1_500_000,
      onProgress: ({ recordsScanned, progress }) => {
        if (recordsScanned > 0 && progress < 0.7) interfering ??= interfere();
      },
    });
    expect(interfering).not.toBeNull();
    await interfering;
    return scan.partitions[0]!;
  }

  test("follows the leader to another broker, counts every record once, and says that it moved", async () => {
    const truth = await fill("scan-leader", [2, 3]);
    const broker = cluster.brokers[1]!;
    const measured = await scanWhile("scan-leader", () => broker.kill());
    await broker.start();
    expect(measured).toMatchObject({
      retainedRecords: { value: truth.retained_records, exact: true },
      distinctKeys: { value: truth.distinct_keys, exact: true },
      liveKeys: { value: truth.live_keys, exact: true },
      tombstones: { value: truth.tombstones, exact: true },
    });
    expect(measured.warnings.map(({ code }) => code)).toContain("leader-moved");
  });

  test("waits for the only replica's broker to come back", async () => {
    const truth = await fill("scan-restart", [3]);
    const broker = cluster.brokers[2]!;
    const measured = await scanWhile("scan-restart", async () => {
      await broker.stop();
      await broker.start();
    });
    expect(measured).toMatchObject({
      retainedRecords: { value: truth.retained_records, exact: true },
      distinctKeys: { value: truth.distinct_keys, exact: true },
    });
    expect(measured.warnings.map(({ code }) => code)).not.toContain("leader-moved");
  });
});
