/** The scan against `kcat | sort -u | wc -l`, in alternating rounds over the same topic. */
import type { Estimate } from "#lib/compaction/measurement.ts";
import type { KafkaCluster } from "../support/kafka-cluster.ts";
import { produce } from "../support/producer.ts";
import { createTopic } from "../support/topic-admin.ts";
import { mebibytes, median, pinning, runTimed, seconds } from "./timed-command.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const KEYS = 200_000;
const REACH = { none: 3, lz4: 1.2 } as const;

export async function benchScan(cluster: KafkaCluster, { records, rounds }: { records: number; rounds: number }) {
  console.log(
    `\n# Scan, ${records} records, ${KEYS} keys, one partition; whole processes, ${pinning}; CRC-32C checked by the scan`,
  );
  for (const compression of ["none", "lz4"] as const) {
    const topic = `bench-${compression}`;
    await fill(cluster, topic, records, compression);
    const scans: number[] = [];
    const references: number[] = [];
    const ratios: number[] = [];
    let peakBytes = 0;
    for (let round = 0; round < rounds; round++) {
      const reference = await runTimed("sh", ["-c", referenceCommand(cluster.servers, topic)], ROOT);
      const scan = await runTimed(process.execPath, ["test/bench/scan-once.ts", cluster.servers, topic], ROOT);
      const counted = JSON.parse(scan.output) as { keys: Estimate; records: Estimate; peakBytes: number };
      if (!counted.keys.exact || counted.keys.value !== Number(reference.output)) {
        throw new Error(`the scan counts ${counted.keys.value} keys, the reference ${reference.output.trim()}`);
      }
      scans.push(scan.ms);
      references.push(reference.ms);
      ratios.push(reference.ms / scan.ms);
      peakBytes = Math.max(peakBytes, counted.peakBytes);
    }
    const perSecond = (records / median(scans)) * 1000;
    console.log(
      `${compression.padEnd(4)}  scan ${seconds(median(scans))} (${(perSecond / 1e6).toFixed(2)} M records/s), ` +
        `reference ${seconds(median(references))}, times faster: ${ratios.map((ratio) => ratio.toFixed(2)).join(" ")}, ` +
        `median ${median(ratios).toFixed(2)} (to reach: ${REACH[compression]}); peak memory ${mebibytes(peakBytes)} (to keep: 400 MiB)`,
    );
  }
}

/** Not compacted while it is measured: both read the same records. */
async function fill(cluster: KafkaCluster, topic: string, records: number, compression: "none" | "lz4") {
  await createTopic(cluster, {
    topic,
    configs: { "cleanup.policy": "compact", "min.compaction.lag.ms": "86400000", "segment.bytes": "268435456" },
  });
  const keys = { kind: "uniform", count: KEYS } as const;
  const phase = {
    records,
    keys,
    compression,
    compressible: true,
    value_bytes: [60, 140] as [number, number],
    batch_records: 500,
  };
  await produce({ servers: cluster.servers, topic, partition: 0, seed: 1, phases: [phase] });
}

const referenceCommand = (servers: string, topic: string) =>
  `kcat -C -b ${servers} -t ${topic} -o beginning -e -q -f '%k\\n' | sort -u | wc -l`;
