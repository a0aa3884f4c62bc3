/** `measure`: the partitions of one topic and the topic as a whole, by probe or by scan. Needs no database. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleepFor } from "node:timers/promises";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { openBroker } from "#lib/brokers/open-broker.ts";
import { CLUSTER_FLAGS, CLUSTER_FLAGS_HELP, resolveClusterTarget } from "#lib/cli/cluster-target.ts";
import { CommandError } from "#lib/cli/command-error.ts";
import { parseFlags } from "#lib/cli/flags.ts";
import { toPartitionLine, toTopicLine } from "#lib/cli/measure-json.ts";
import { toText } from "#lib/cli/measure-text.ts";
import { ProgressLine } from "#lib/cli/progress-line.ts";
import { ByteBudget } from "#lib/compaction/byte-budget.ts";
import { KEY_HASH_SEED_BYTES } from "#lib/compaction/keys/key-hash.ts";
import type { MeasurementMode } from "#lib/compaction/measurement.ts";
import { type MeasuredPartitions, probeTopic } from "#lib/compaction/probe/probe-topic.ts";
import { runTopicScan } from "#lib/compaction/scan/run-scan-thread.ts";
import type { ClusterConfig } from "#lib/platform/cluster-config.ts";

const HELP = `Usage: npm run -s keyfold -- measure --brokers HOST:PORT | --config FILE --cluster ID
                                   --topic NAME --mode probe|scan [--json] [--max-bytes-per-second N]

probe: a few fetches a partition, whatever its size: where the cleaner stands, its ratio, records kept.
scan:  reads every record's key: distinct and live keys, tombstones, what compaction would remove.

${CLUSTER_FLAGS_HELP}
  --topic NAME               the topic
  --mode probe|scan
  --json                     one object a line: one per partition, then one for the topic
  --max-bytes-per-second N   read no faster than this (the broker's own quota is obeyed in any case)

Exit codes: 0 ok, 1 failure (of one partition too), 2 wrong use, 130 interrupted.
`;

const PROBE_CLIENT_ID = "keyfold-probe";
const INTERRUPTED = 130;

interface MeasureOrder {
  cluster: ClusterConfig;
  topic: string;
  mode: MeasurementMode;
  json: boolean;
  maxBytesPerSecond: number | null;
}

/** @throws CommandError, BrokerError */
export async function runMeasure(argv: string[]): Promise<number> {
  const flags = parseFlags(argv, {
    ...CLUSTER_FLAGS,
    topic: { type: "string" },
    mode: { type: "string" },
    json: { type: "boolean" },
    "max-bytes-per-second": { type: "string" },
    help: { type: "boolean", short: "h" },
  });
  if (flags.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (!flags.topic) throw CommandError.usage("No topic is named. Write --topic NAME.");
  const order: MeasureOrder = {
    topic: flags.topic,
    mode: parseMode(flags.mode),
    json: flags.json ?? false,
    maxBytesPerSecond: parseRate(flags["max-bytes-per-second"]),
    cluster: resolveClusterTarget(flags),
  };
  return measureUntilInterrupted(order);
}

function parseMode(mode: string | undefined): MeasurementMode {
  if (mode === "probe" || mode === "scan") return mode;
  throw CommandError.usage(
    mode === undefined
      ? "No mode is named. Write --mode probe or --mode scan."
      : `--mode: ${JSON.stringify(mode)} is neither probe nor scan.`,
  );
}

function parseRate(text: string | undefined): number | null {
  if (text === undefined) return null;
  const rate = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (rate > 0) return rate;
  throw CommandError.usage(
    `--max-bytes-per-second: ${JSON.stringify(text)} is no whole number above 0. Write bytes, such as 10485760.`,
  );
}

async function measureUntilInterrupted(order: MeasureOrder): Promise<number> {
  const interrupted = new AbortController();
  const onInterrupt = () => interrupted.abort(new BrokerError("cancelled", "Interrupted."));
  process.once("SIGINT", onInterrupt);
  const line = new ProgressLine();
  try {
    const measured = await measure(order, interrupted.signal, line);
    line.clear();
    if (order.json) process.stdout.write(toTopicLine(measured.topic));
    else process.stdout.write(toText(measured));
    for (const { partition, message } of order.json ? measured.failed : []) {
      process.stderr.write(`keyfold: Partition ${partition} could not be measured: ${message}\n`);
    }
    return measured.failed.length > 0 ? 1 : 0;
  } catch (error) {
    line.clear();
    if (!interrupted.signal.aborted) throw error;
    process.stderr.write("keyfold: Interrupted. Nothing was changed on the cluster.\n");
    return INTERRUPTED;
  } finally {
    process.removeListener("SIGINT", onInterrupt);
  }
}

/** Partition lines are written as they are measured: an interrupted command has said what it knew. */
function measure(order: MeasureOrder, signal: AbortSignal, line: ProgressLine): Promise<MeasuredPartitions> {
  const { cluster, topic, maxBytesPerSecond } = order;
  // The sample is not stored, so that the seed need not outlive the command.
  const seed = randomBytes(KEY_HASH_SEED_BYTES);
  if (order.mode === "probe") return probe(order, seed, signal, line);
  return runTopicScan({
    cluster,
    topic,
    seed,
    signal,
    ...(maxBytesPerSecond === null ? {} : { maxBytesPerSecond }),
    onProgress: (progress) => line.drawScan(progress),
    onPartition: (measurement) => {
      if (!order.json) return;
      line.clear();
      process.stdout.write(toPartitionLine(measurement));
    },
  });
}

async function probe(
  { cluster, topic, json, maxBytesPerSecond }: MeasureOrder,
  seed: Uint8Array,
  signal: AbortSignal,
  line: ProgressLine,
): Promise<MeasuredPartitions> {
  const broker = await openBroker(cluster, { clientId: PROBE_CLIENT_ID });
  const clock = {
    now: () => performance.now(),
    sleep: (milliseconds: number, until: AbortSignal) => sleepFor(milliseconds, undefined, { signal: until }),
  };
  try {
    return await probeTopic({
      broker,
      topic,
      clientId: PROBE_CLIENT_ID,
      seed,
      signal,
      budget: new ByteBudget(maxBytesPerSecond, clock),
      random: Math.random,
      now: Date.now,
      probeFollowers: true,
      onPartition: (measurement, done, count) => {
        if (json) {
          line.clear();
          process.stdout.write(toPartitionLine(measurement));
        }
        line.drawProbe(done, count);
      },
    });
  } finally {
    await broker.close();
  }
}
