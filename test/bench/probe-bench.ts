/** What a probe of many partitions costs: requests, fetches and bytes a partition. */
import { randomBytes } from "node:crypto";
import { Kafka, logLevel } from "kafkajs";
import { openBroker } from "#lib/brokers/open-broker.ts";
import { ByteBudget } from "#lib/compaction/byte-budget.ts";
import { probeTopic } from "#lib/compaction/probe/probe-topic.ts";
import type { KafkaCluster } from "../support/kafka-cluster.ts";
import { createTopic } from "../support/topic-admin.ts";
import { waitForCleaner } from "../support/truth.ts";
import { benchCluster } from "./bench-cluster.ts";
import { mebibytes, median, seconds } from "./timed-command.ts";

const TOPIC = "bench-probe";
const SMALL_RECORDS = 300;
const LARGE_RECORDS = 24_000;
/** Every so manieth partition is large enough to roll segments and be cleaned. */
const LARGE_EVERY = 10;

export async function benchProbe(cluster: KafkaCluster, { partitions }: { partitions: number }): Promise<void> {
  console.log(
    `\n# Probe, ${partitions} partitions: ${SMALL_RECORDS} records each in one segment, every ${LARGE_EVERY}th ${LARGE_RECORDS} records, cleaned`,
  );
  await createTopic(cluster, {
    topic: TOPIC,
    partitions,
    configs: { "cleanup.policy": "compact", "segment.bytes": "1048576", "min.cleanable.dirty.ratio": "0.2" },
  });
  await fill(cluster, partitions);
  await waitForCleaner(cluster.dataDirs, [TOPIC]);
  const broker = await openBroker(benchCluster(cluster.servers), { clientId: "keyfold-probe" });
  const before = broker.traffic();
  const startedAt = performance.now();
  const clock = { now: () => performance.now(), sleep: async () => {} };
  const { partitions: probed, failed } = await probeTopic({
    broker,
    topic: TOPIC,
    clientId: "keyfold-probe",
    seed: randomBytes(16),
    budget: new ByteBudget(null, clock),
    signal: new AbortController().signal,
    random: Math.random,
    now: Date.now,
    probeFollowers: true,
    onPartition: () => {},
  });
  const ms = performance.now() - startedAt;
  const after = broker.traffic();
  await broker.close();
  if (failed.length > 0) throw new Error(`${failed.length} partitions failed: ${failed[0]!.message}`);
  const requests = (after.requests - before.requests) / partitions;
  const bytes = (after.receivedBytes - before.receivedBytes + after.sentBytes - before.sentBytes) / partitions;
  console.log(
    `all: ${seconds(ms)}, ${requests.toFixed(1)} requests and ${(bytes / 1024).toFixed(0)} KiB a partition, both ways`,
  );
  for (const [name, group] of [
    ["small", probed.filter(({ partition }) => partition % LARGE_EVERY !== 0)],
    ["large", probed.filter(({ partition }) => partition % LARGE_EVERY === 0)],
  ] as const) {
    const sizes = group.map(({ bytes: size }) => size ?? 0);
    const fetched = group.map(({ fetchedBytes }) => fetchedBytes);
    console.log(
      `${name}: ${mebibytes(median(sizes))} each; fetches ${spread(group.map(({ fetches }) => fetches))}; ` +
        `KiB ${spread(fetched.map((one) => Math.round(one / 1024)))} (median, largest)`,
    );
  }
}

const spread = (values: readonly number[]): string => `${median(values)}, ${Math.max(...values)}`;

async function fill(cluster: KafkaCluster, partitions: number): Promise<void> {
  const kafka = new Kafka({ brokers: [cluster.servers], clientId: "bench-producer", logLevel: logLevel.ERROR });
  const producer = kafka.producer();
  await producer.connect();
  const value = randomBytes(100);
  for (let partition = 0; partition < partitions; partition++) {
    const records = partition % LARGE_EVERY === 0 ? LARGE_RECORDS : SMALL_RECORDS;
    for (let from = 0; from < records; from += 300) {
      const messages = Array.from({ length: 300 }, (_, i) => ({
        partition,
        key: `k-${((from + i) * 7919) % 900}`,
        value,
      }));
      await producer.send({ topic: TOPIC, messages, acks: 1 });
    }
  }
  await producer.disconnect();
}
