/** Measures every partition of made shapes by probe and by scan, with the truth read before and after. */
import { setTimeout as sleep } from "node:timers/promises";
import { openBroker } from "#lib/brokers/open-broker.ts";
import { resolveClusterTarget } from "#lib/cli/cluster-target.ts";
import { ByteBudget } from "#lib/compaction/byte-budget.ts";
import type { PartitionMeasurement } from "#lib/compaction/measurement.ts";
import { probeTopic } from "#lib/compaction/probe/probe-topic.ts";
import { runTopicScan } from "#lib/compaction/scan/run-scan-thread.ts";
import { countsOf, type TruthCase } from "../brokers/truth/truth-case.ts";
import { readBatchSizes } from "./batch-sizes.ts";
import type { KafkaCluster } from "./kafka-cluster.ts";
import { createRandom } from "./random.ts";
import type { MadeShapes, ShapePartitionTruth } from "./shape-topics.ts";

const UNLIMITED = { now: () => performance.now(), sleep: (ms: number) => sleep(ms) };
const HASH_SEED = new Uint8Array(16).map((_, index) => index * 17 + 3);

const keyOf = (topic: string, partition: number): string => `${topic}-${partition}`;

async function probeAll(cluster: KafkaCluster, made: MadeShapes): Promise<Map<string, PartitionMeasurement>> {
  const target = resolveClusterTarget({ brokers: cluster.servers });
  const broker = await openBroker(target, { clientId: "keyfold-probe" });
  const probes = new Map<string, PartitionMeasurement>();
  try {
    for (const { topic } of made.topics) {
      const measured = await probeTopic({
        broker,
        topic,
        clientId: "keyfold-probe",
        seed: HASH_SEED,
        signal: new AbortController().signal,
        budget: new ByteBudget(null, UNLIMITED),
        random: createRandom(made.seed, topic),
        now: Date.now,
        probeFollowers: true,
        onPartition: () => {},
      });
      if (measured.failed.length > 0) throw new Error(`${topic}: ${JSON.stringify(measured.failed)}`);
      for (const one of measured.partitions) probes.set(keyOf(topic, one.partition), one);
    }
  } finally {
    await broker.close();
  }
  return probes;
}

async function scanAll(cluster: KafkaCluster, made: MadeShapes): Promise<Map<string, PartitionMeasurement>> {
  const target = resolveClusterTarget({ brokers: cluster.servers });
  const scans = new Map<string, PartitionMeasurement>();
  for (const { topic } of made.topics) {
    const measured = await runTopicScan({ cluster: target, topic, seed: HASH_SEED });
    if (measured.failed.length > 0) throw new Error(`${topic}: ${JSON.stringify(measured.failed)}`);
    for (const one of measured.partitions) scans.set(keyOf(topic, one.partition), one);
  }
  return scans;
}

const countsOfTruth = ({ log, readCommitted }: ShapePartitionTruth) => countsOf(readCommitted ?? log);

function heldRecords({ shape, log, readCommitted }: ShapePartitionTruth): number | null {
  if (shape.name === "open-transaction") return log.retained_records - readCommitted!.retained_records;
  return shape.expect.counts === "disk" ? 0 : null;
}

export async function measureShapes(cluster: KafkaCluster, made: MadeShapes): Promise<TruthCase[]> {
  const before = await made.readTruth();
  const probes = await probeAll(cluster, made);
  const scans = await scanAll(cluster, made);
  const after = await made.readTruth();
  const [dataDir] = cluster.dataDirs;
  return Promise.all(
    before.map(async (old, index): Promise<TruthCase> => {
      const now = after[index]!;
      const name = keyOf(old.topic, old.partition);
      return {
        name,
        expect: old.shape.expect,
        old: old.log,
        now: now.log,
        counts: { old: countsOfTruth(old), now: countsOfTruth(now) },
        heldRecords: heldRecords(old),
        probe: probes.get(name)!,
        scan: scans.get(name)!,
        ...(await readBatchSizes(dataDir!, name)),
      };
    }),
  );
}
