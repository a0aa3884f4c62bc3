/** Probes partitions of a topic as the cluster describes it now. */
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { type Broker, type PartitionDescription, partitionKey } from "#lib/brokers/broker-port.ts";
import { abortable } from "#lib/compaction/abortable.ts";
import type { ByteBudget } from "#lib/compaction/byte-budget.ts";
import { type FailedPartition, mergeTopic } from "#lib/compaction/measure-topic.ts";
import { describeMeasuredTopic, type MeasuredTopic } from "#lib/compaction/measured-topic.ts";
import type { PartitionMeasurement, TopicMeasurement } from "#lib/compaction/measurement.ts";
import { probePartition } from "#lib/compaction/probe/probe.ts";
import type { ProbeInput } from "#lib/compaction/probe/probe-input.ts";

export type ProbeParts = Pick<ProbeInput, "seed" | "random" | "now" | "probeFollowers"> &
  Partial<Pick<ProbeInput, "hints" | "lastScan">>;

/** Rejects with the `BrokerError` of the leader. Where the system can't be probed, the offset span alone is measured. */
export function probeDescribedPartition(
  broker: Broker,
  measured: MeasuredTopic,
  partition: PartitionDescription,
  parts: ProbeParts,
): Promise<PartitionMeasurement> {
  const { name: topic, topicId } = measured.description;
  if (measured.kind.name === "other") return measureSpan(broker, measured, partition, parts.now);
  return probePartition({
    topic,
    partition,
    settings: measured.settings,
    limits: measured.limits,
    replicaBytes: measured.replicaBytes.get(partition.partition) ?? new Map(),
    openLog: (brokerId) =>
      broker.openReplicaLog({
        topic,
        partition: partition.partition,
        topicId,
        brokerId,
        isLeader: brokerId === partition.leader,
      }),
    ...parts,
  });
}

async function measureSpan(
  broker: Broker,
  { description, kind, replicaBytes }: MeasuredTopic,
  { partition, leader }: PartitionDescription,
  now: () => number,
): Promise<PartitionMeasurement> {
  const measuredAt = now();
  const topic = description.name;
  const listed = (await broker.listOffsets([{ topic, partition }])).get(partitionKey(topic, partition));
  if (listed === undefined || !listed.ok) {
    throw listed?.error ?? new BrokerError("protocol", `No offsets were listed for partition ${partition}.`);
  }
  const { logStart, logEnd, lastStable } = listed.value;
  const bytes = leader === null ? null : (replicaBytes.get(partition)?.get(leader) ?? null);
  const message = `Clean point and cleaner ratio: not on this system, because it ${kind.evidence}.`;
  return {
    topic,
    partition,
    mode: "probe",
    logStartOffset: logStart,
    logEndOffset: logEnd,
    offsetSpan: logEnd - logStart,
    bytes,
    retainedRecords: null,
    distinctKeys: null,
    liveKeys: null,
    tombstones: null,
    nullKeyRecords: null,
    supersededRecords: null,
    heldRecords: lastStable >= logEnd ? 0 : null,
    cleanPoint: null,
    activeSegmentBase: null,
    dirtyRatio: null,
    removableShare: null,
    replicas: null,
    fetches: 0,
    fetchedBytes: 0,
    positionCost: null,
    durationMs: now() - measuredAt,
    warnings: [{ code: "not-on-this-system", message }],
    shape: null,
    measuredAt,
  };
}

export interface TopicProbeInput extends ProbeParts {
  broker: Broker;
  topic: string;
  clientId: string;
  budget: ByteBudget;
  signal: AbortSignal;
  onPartition(measurement: PartitionMeasurement, partitionsDone: number, partitionCount: number): void;
}

export interface MeasuredPartitions {
  partitions: PartitionMeasurement[];
  failed: FailedPartition[];
  topic: TopicMeasurement;
}

/** Probes one partition after the other. Rejects where the topic itself can't be described. */
export async function probeTopic(input: TopicProbeInput): Promise<MeasuredPartitions> {
  const { broker, topic, now, signal, onPartition } = input;
  const measuredAt = now();
  const measured = await abortable(describeMeasuredTopic(broker, topic, input.clientId), signal);
  const described = measured.description.partitions;
  const partitions: PartitionMeasurement[] = [];
  const failed: FailedPartition[] = [];
  for (const partition of described) {
    signal.throwIfAborted();
    try {
      const measurement = await abortable(probeDescribedPartition(broker, measured, partition, input), signal);
      await input.budget.spend(measurement.fetchedBytes, signal);
      partitions.push(measurement);
      onPartition(measurement, partitions.length + failed.length, described.length);
    } catch (error) {
      if (!(error instanceof BrokerError) || isAboutTopic(error)) throw error;
      failed.push({ partition: partition.partition, message: error.message });
    }
  }
  const whole = { topic, mode: "probe" as const, measuredAt, durationMs: now() - measuredAt };
  return { partitions, failed, topic: mergeTopic(whole, partitions, null, failed) };
}

const TOPIC_ERRORS = new Set<string>([
  "topic-not-found",
  "topic-recreated",
  "authentication-failed",
  "cluster-id-changed",
  "tls-failed",
  "cancelled",
]);

/** The other partitions would fail in the same way. */
export const isAboutTopic = (error: BrokerError): boolean => TOPIC_ERRORS.has(error.code);
