import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { Admin } from "@platformatic/kafka";
import { beforeAll, describe, expect, test } from "vitest";
import { deserialiseSample } from "#lib/compaction/keys/sample-format.ts";
import type { PartitionMeasurement } from "#lib/compaction/measurement.ts";
import { runTopicScan, type ScanOptions } from "#lib/compaction/scan/run-scan-thread.ts";
import type { ScanProgress } from "#lib/compaction/scan/scan-progress.ts";
import type { ClusterConfig } from "#lib/platform/cluster-config.ts";
import { clusterConfig } from "../support/cluster-config.ts";
import type { KafkaCluster } from "../support/kafka-cluster.ts";
import { type ProducePhase, produce } from "../support/producer.ts";
import { sharedKafka } from "../support/shared-kafka.ts";
import { createTopic, deleteTopic } from "../support/topic-admin.ts";
import { countReadCommitted, type ReadCommittedCounts } from "../support/truth.ts";

/** Nothing is old enough to be cleaned: the truth stays the same while it is measured. */
const COMPACT = { "cleanup.policy": "compact", "min.compaction.lag.ms": "86400000", "segment.bytes": "4194304" };
const SEED = randomBytes(16);
const ROOT = new URL("../..", import.meta.url).pathname;

/** No budget that a test would wait for. */
const quickCluster = (servers: string): ClusterConfig =>
  clusterConfig(servers, {
    budgets: { scanBytesPerSecond: 1e9, scanBytesPerDay: null, requestsPerSecond: null },
  });

interface CommandRun {
  code: number | null;
  lines: Record<string, unknown>[];
  output: string;
  errors: string;
}

function startCommand(args: string[]) {
  const child = spawn(process.execPath, ["lib/cli/keyfold.ts", "measure", ...args], { cwd: ROOT });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = once(child, "close").then(([code]): CommandRun => {
    const lines = output.split("\n").filter((line) => line.startsWith("{"));
    return { code, lines: lines.map((line) => JSON.parse(line)), output, errors };
  });
  return { child, ended };
}

const measure = (...args: string[]): Promise<CommandRun> => startCommand(args).ended;

const asCounts = (truth: ReadCommittedCounts) => ({
  retainedRecords: exact(truth.retained_records),
  distinctKeys: exact(truth.distinct_keys),
  liveKeys: exact(truth.live_keys),
  tombstones: exact(truth.tombstones),
  nullKeyRecords: exact(truth.null_key_records),
  supersededRecords: exact(truth.superseded_records),
});

const exact = (value: number) => ({ value, low: value, high: value, exact: true });

async function fill(cluster: KafkaCluster, topic: string, phases: ProducePhase[], partition = 0) {
  return produce({ servers: cluster.servers, topic, partition, seed: 7 + partition, phases });
}

/** About 20 MB, so that a scan at a few MB a second is under way for some seconds. */
const LONG: ProducePhase[] = [
  { records: 80_000, keys: { kind: "uniform", count: 20_000 }, value_bytes: [200, 300], tombstone_share: 0.1 },
];
const LONG_BYTES_PER_SECOND = 4_000_000;

describe("measure", () => {
  let cluster: KafkaCluster;

  beforeAll(async () => {
    cluster = await sharedKafka("4.4");
  });

  /** A scan whose progress can be waited for. */
  function startScan(topic: string, options: Partial<ScanOptions> = {}, servers = cluster.servers) {
    let isUnderWay = () => {};
    const underWay = new Promise<void>((resolve) => {
      isUnderWay = resolve;
    });
    const progress: ScanProgress[] = [];
    const ended = runTopicScan({
      cluster: quickCluster(servers),
      topic,
      seed: SEED,
      ...options,
      onProgress: (one) => {
        progress.push(one);
        if (one.recordsScanned > 0) isUnderWay();
      },
    });
    ended.catch(() => {});
    return {
      ended,
      underWay: Promise.race([
        underWay,
        ended.then(
          () => {},
          () => {},
        ),
      ]),
      progress,
    };
  }

  test("counts by scan what an independent read_committed consumer gets, partition by partition and merged", async () => {
    const topic = "measure-counts";
    await createTopic(cluster, { topic, partitions: 3, configs: COMPACT });
    const phases: ProducePhase[] = [
      { records: 20_000, keys: { kind: "zipf", count: 3_000 }, tombstone_share: 0.2, compression: "lz4" },
      { records: 6_000, keys: { kind: "uniform", count: 2_000 }, transaction: { records: 100, abort_share: 0.3 } },
    ];
    await fill(cluster, topic, phases, 0);
    await fill(cluster, topic, [{ ...phases[0]!, keys: { kind: "uniform", count: 500, form: "json" } }], 1);
    await fill(
      cluster,
      topic,
      [
        { ...phases[0]!, compression: "zstd" },
        { records: 300, keys: { kind: "uniform", count: 9 }, transaction: { records: 300, leave_open: true } },
      ],
      2,
    );
    const truths = await countReadCommitted(cluster.servers, topic, [0, 1, 2]);
    const { code, lines, errors } = await measure(
      "--brokers",
      cluster.servers,
      "--topic",
      topic,
      "--mode",
      "scan",
      "--json",
    );
    expect(errors).toBe("");
    expect(code).toBe(0);
    expect(lines.map(({ partition }) => partition)).toEqual([0, 1, 2, null]);
    for (const [partition, truth] of truths.entries()) {
      expect(lines[partition]).toMatchObject({
        ...asCounts(truth),
        heldRecords: partition === 2 ? 300 : 0,
        mode: "scan",
      });
    }
    const keys = lines[3] as Record<string, { value: number; exact: boolean }>;
    const sumOf = (pick: (truth: ReadCommittedCounts) => number) => truths.reduce((sum, truth) => sum + pick(truth), 0);
    expect(keys.retainedRecords).toEqual(exact(sumOf((truth) => truth.retained_records)));
    expect(keys.distinctKeys!.exact).toBe(true);
    const doubled = keys.keysInSeveralPartitions!.value;
    expect(doubled).toBeGreaterThan(1_000);
    expect(keys.distinctKeys!.value + doubled).toBe(sumOf((truth) => truth.distinct_keys));
    expect((lines[2]!.warnings as { code: string }[]).map(({ code }) => code)).toContain("held-by-transaction");
  });

  test("agrees with itself: the probe's figures hold what the scan counts", async () => {
    const topic = "measure-both";
    await createTopic(cluster, { topic, configs: COMPACT });
    await fill(cluster, topic, [{ records: 30_000, keys: { kind: "uniform", count: 4_000 } }]);
    const [probe, scan] = await Promise.all(
      ["probe", "scan"].map((mode) =>
        measure("--brokers", cluster.servers, "--topic", topic, "--mode", mode, "--json"),
      ),
    );
    const [probed, scanned] = [probe!.lines[0]!, scan!.lines[0]!] as unknown as [
      PartitionMeasurement,
      PartitionMeasurement,
    ];
    expect(probed.distinctKeys).toBeNull();
    expect(probed.retainedRecords!.low).toBeLessThanOrEqual(scanned.retainedRecords!.value!);
    expect(probed.retainedRecords!.high).toBeGreaterThanOrEqual(scanned.retainedRecords!.value!);
    expect(probed.removableShare!.low).toBeLessThanOrEqual(scanned.removableShare!.value!);
    expect(probed.removableShare!.high).toBeGreaterThanOrEqual(scanned.removableShare!.value!);
    expect(scanned.cleanPoint!.low).toBeGreaterThanOrEqual(probed.cleanPoint!.low);
    expect(scanned.cleanPoint!.high).toBeLessThanOrEqual(probed.cleanPoint!.high);
    expect(Object.keys(probed)).toEqual(Object.keys(scanned));
  });

  test("prints a table for people, and nothing on the error stream that is no terminal", async () => {
    const topic = "measure-both";
    const { code, output, errors } = await measure("--brokers", cluster.servers, "--topic", topic, "--mode", "scan");
    expect(code).toBe(0);
    expect(errors).toBe("");
    expect(output).toMatch(/Distinct keys +3\u202f9\d\d\n/);
    expect(output).toMatch(/≤ 30\u202f000/);
  });

  test("says what is wrong, with 2 for wrong use and 1 for a failure", async () => {
    const noMode = await measure("--brokers", cluster.servers, "--topic", "x");
    expect(noMode).toMatchObject({ code: 2, output: "" });
    expect(noMode.errors).toContain("--mode probe or --mode scan");
    const rate = await measure(
      "--brokers",
      cluster.servers,
      "--topic",
      "x",
      "--mode",
      "scan",
      "--max-bytes-per-second",
      "-1",
    );
    expect(rate.code).toBe(2);
    const noTopic = await measure("--brokers", cluster.servers, "--topic", "not-there", "--mode", "scan", "--json");
    expect(noTopic).toMatchObject({ code: 1, output: "" });
    expect(noTopic.errors).toContain('There is no topic "not-there"');
    const noBroker = await measure("--brokers", "127.0.0.1:1", "--topic", "x", "--mode", "probe");
    expect(noBroker.code).toBe(1);
    expect(noBroker.errors).toContain("127.0.0.1:1");
  });

  describe("while a long scan is under way", () => {
    const topic = "measure-long";
    let truth: ReadCommittedCounts;

    beforeAll(async () => {
      await createTopic(cluster, { topic, configs: COMPACT });
      await fill(cluster, topic, LONG);
      [truth] = (await countReadCommitted(cluster.servers, topic, [0])) as [ReadCommittedCounts];
    });

    test("progress goes forward to its end, and it keeps to its bytes per second", async () => {
      const startedAt = performance.now();
      const { ended, progress } = startScan(topic, { maxBytesPerSecond: LONG_BYTES_PER_SECOND });
      const { partitions } = await ended;
      const seconds = (performance.now() - startedAt) / 1_000;
      expect(partitions[0]).toMatchObject(asCounts(truth));
      expect(partitions[0]!.fetchedBytes / seconds).toBeLessThan(LONG_BYTES_PER_SECOND * 1.5);
      expect(progress.length).toBeGreaterThan(3);
      for (const [i, one] of progress.slice(1).entries()) {
        expect(one.progress).toBeGreaterThanOrEqual(progress[i]!.progress);
        expect(one.recordsScanned).toBeGreaterThanOrEqual(progress[i]!.recordsScanned);
      }
      expect(progress.some(({ remainingMs }) => remainingMs !== null && remainingMs > 0)).toBe(true);
      expect(progress.at(-1)).toMatchObject({ progress: 1, partitionsDone: 1, recordsScanned: truth.retained_records });
    });

    test("cancelling ends it within a second", async () => {
      const cancel = new AbortController();
      const { ended, underWay } = startScan(topic, { maxBytesPerSecond: LONG_BYTES_PER_SECOND, signal: cancel.signal });
      await underWay;
      const cancelledAt = performance.now();
      cancel.abort();
      await expect(ended).rejects.toMatchObject({ code: "cancelled" });
      expect(performance.now() - cancelledAt).toBeLessThan(1_000);
    });

    test("a killed thread's scan goes on from its checkpoint, reads the rest, and is not called exact", async () => {
      let thread: Worker | undefined;
      let checkpoint: Uint8Array | undefined;
      const first = startScan(topic, {
        maxBytesPerSecond: 1_500_000,
        onThread: (started) => {
          thread = started;
        },
        onCheckpoint: (bytes) => {
          checkpoint ??= bytes;
          void thread!.terminate();
        },
      });
      await expect(first.ended).rejects.toThrow("ended early");
      const second = startScan(topic, { resumeFrom: checkpoint! });
      const { partitions, sample } = await second.ended;
      expect(second.progress[0]!.progress).toBeGreaterThan(0.1);
      const [measured] = partitions as [PartitionMeasurement];
      expect(measured.warnings.map(({ code }) => code)).toContain("resumed");
      expect(measured.retainedRecords).toEqual({ ...exact(truth.retained_records), exact: false });
      expect(measured.tombstones!.value).toBe(truth.tombstones);
      expect(measured.distinctKeys).toEqual({ ...exact(truth.distinct_keys), exact: false });
      expect(measured.liveKeys!.value).toBe(truth.live_keys);
      expect(deserialiseSample(sample).size).toBe(truth.distinct_keys);
      await expect(startScan(topic, { resumeFrom: checkpoint!.subarray(0, 40) }).ended).rejects.toThrow("cut short");
    });

    test("a quota on its client id slows it down and loses nothing", async () => {
      const admin = new Admin({ clientId: "test-admin", bootstrapBrokers: cluster.servers.split(",") });
      const entities = [{ entityType: "client-id" as const, entityName: "keyfold-scan" }];
      const key = "consumer_byte_rate";
      await admin.alterClientQuotas({ entries: [{ entities, ops: [{ key, value: 1_000_000, remove: false }] }] });
      try {
        const { partitions } = await startScan(topic).ended;
        expect(partitions[0]).toMatchObject(asCounts(truth));
        expect(partitions[0]!.warnings.map(({ code }) => code)).toContain("throttled");
      } finally {
        await admin.alterClientQuotas({ entries: [{ entities, ops: [{ key, remove: true }] }] });
        await admin.close();
      }
    });
  });

  test("Ctrl-C ends the command with 130; what it had measured by then stands in whole lines", async () => {
    const topic = "measure-interrupted";
    await createTopic(cluster, { topic, partitions: 2, configs: COMPACT });
    await fill(cluster, topic, [{ records: 500, keys: { kind: "uniform", count: 50 } }], 0);
    await fill(cluster, topic, LONG, 1);
    const args = ["--brokers", cluster.servers, "--topic", topic, "--mode", "scan", "--json"];
    const { child, ended } = startCommand([...args, "--max-bytes-per-second", "1000000"]);
    await once(child.stdout, "data");
    child.kill("SIGINT");
    const { code, lines, output, errors } = await ended;
    expect(code).toBe(130);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ partition: 0, retainedRecords: exact(500) });
    expect(output.endsWith("\n")).toBe(true);
    expect(errors).toContain("Interrupted");
  });

  test.each(["deleted", "recreated"] as const)("a topic that is %s while it is read is told so", async (fate) => {
    const topic = `measure-${fate}`;
    await createTopic(cluster, { topic, configs: COMPACT });
    await fill(cluster, topic, LONG);
    const { ended, underWay } = startScan(topic, { maxBytesPerSecond: 1_000_000 });
    await underWay;
    await deleteTopic(cluster, topic);
    if (fate === "recreated") await createTopic(cluster, { topic, configs: COMPACT });
    const code = fate === "deleted" ? "topic-not-found" : "topic-recreated";
    await expect(ended).rejects.toMatchObject({ code, message: expect.stringContaining("deleted") });
  });
});
