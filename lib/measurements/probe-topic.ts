/** Probes the partitions of one topic that are due, and puts the topic's line together from all of them. */
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { Broker } from "#lib/brokers/broker-port.ts";
import { type FailedPartition, mergeTopic } from "#lib/compaction/measure-topic.ts";
import { describeMeasuredTopic, type MeasuredTopic } from "#lib/compaction/measured-topic.ts";
import type { PartitionMeasurement, TopicMeasurement } from "#lib/compaction/measurement.ts";
import type { LastScan } from "#lib/compaction/probe/probe-input.ts";
import { isAboutTopic, probeDescribedPartition } from "#lib/compaction/probe/probe-topic.ts";
import type { DueTopic } from "#lib/measurements/probe-schedule.ts";

export interface ProbeTools {
  clientId: string;
  seed: Uint8Array;
  random: () => number;
  now: () => number;
}

/** The newest measurements of the topic's partitions from before. */
export interface KnownMeasurements {
  probes: readonly PartitionMeasurement[];
  scans: readonly PartitionMeasurement[];
}

export interface ProbedTopic {
  partitions: PartitionMeasurement[];
  failed: FailedPartition[];
  topic: TopicMeasurement;
  /** Sum of log end offsets; null where a partition was never measured. */
  written: number | null;
}

/** @throws BrokerError where the topic can't be described, or where every other partition would fail in the same way */
export async function probeDueTopic(
  broker: Broker,
  due: DueTopic,
  known: KnownMeasurements,
  tools: ProbeTools,
): Promise<ProbedTopic> {
  const startedAt = tools.now();
  const measured = await describeMeasuredTopic(broker, due.topic, tools.clientId);
  if (measured.description.topicId !== due.topicId) {
    throw new BrokerError("topic-recreated", "The topic was deleted and made again since it was polled.");
  }
  const partitions: PartitionMeasurement[] = [];
  const failed: FailedPartition[] = [];
  for (const { partition } of due.partitions) {
    try {
      partitions.push(await probeOne(broker, measured, partition, known, tools));
    } catch (error) {
      if (!(error instanceof BrokerError) || isAboutTopic(error) || error.code === "unreachable") throw error;
      failed.push({ partition, message: error.message });
    }
  }
  return assemble(due.topic, measured, partitions, failed, known, startedAt, tools.now());
}

async function probeOne(
  broker: Broker,
  measured: MeasuredTopic,
  number: number,
  known: KnownMeasurements,
  { seed, random, now }: ProbeTools,
): Promise<PartitionMeasurement> {
  const partition = measured.description.partitions.find((one) => one.partition === number);
  if (!partition) throw new BrokerError("topic-not-found", `The topic has no partition ${number} any more.`);
  const before = known.probes.find((one) => one.partition === number);
  const scan = known.scans.find((one) => one.partition === number);
  const hints = {
    ...(before?.cleanPoint ? { cleanPoint: before.cleanPoint.high } : {}),
    ...(before?.activeSegmentBase ? { activeSegmentBase: before.activeSegmentBase.high } : {}),
  };
  const lastScan = toLastScan(scan);
  return probeDescribedPartition(broker, measured, partition, {
    seed,
    random,
    now,
    hints,
    ...(lastScan ? { lastScan } : {}),
    probeFollowers: true,
  });
}

function toLastScan(scan: PartitionMeasurement | undefined): LastScan | undefined {
  if (!scan || scan.bytes === null || scan.cleanPoint === null || scan.removableShare?.value == null) return undefined;
  const { bytes, cleanPoint, logStartOffset } = scan;
  return { removableBytes: scan.removableShare.low * bytes, bytes, cleanPoint, logStartOffset };
}

function assemble(
  topic: string,
  { description }: MeasuredTopic,
  partitions: PartitionMeasurement[],
  failed: FailedPartition[],
  known: KnownMeasurements,
  startedAt: number,
  endedAt: number,
): ProbedTopic {
  const measuredNow = new Set(partitions.map((one) => one.partition));
  const all = [...partitions, ...known.probes.filter((one) => !measuredNow.has(one.partition))];
  all.sort((a, b) => a.partition - b.partition);
  const missing = description.partitions
    .filter(({ partition }) => !all.some((one) => one.partition === partition))
    .map(({ partition, leader }) => ({
      partition,
      message:
        failed.find((one) => one.partition === partition)?.message ??
        (leader === null ? "It has no leader." : "It was not probed yet."),
    }));
  const line = { topic, mode: "probe" as const, measuredAt: startedAt, durationMs: endedAt - startedAt };
  return {
    partitions,
    failed,
    topic: mergeTopic(line, all, null, missing),
    written: missing.length === 0 ? all.reduce((sum, one) => sum + one.logEndOffset, 0) : null,
  };
}
