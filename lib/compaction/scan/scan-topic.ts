/** Scans a topic, one partition after the other: probe, scan, probe again. Its only I/O is the broker port. */
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { Broker, PartitionDescription } from "#lib/brokers/broker-port.ts";
import type { LogTraffic } from "#lib/brokers/replica-log-port.ts";
import { abortable } from "#lib/compaction/abortable.ts";
import type { ByteBudget } from "#lib/compaction/byte-budget.ts";
import { DistinctSample } from "#lib/compaction/keys/distinct-sample.ts";
import { KeyHasher } from "#lib/compaction/keys/key-hash.ts";
import { KeyTable } from "#lib/compaction/keys/key-table.ts";
import { serialiseSample } from "#lib/compaction/keys/sample-format.ts";
import { type FailedPartition, mergeTopic, topicKeys } from "#lib/compaction/measure-topic.ts";
import { describeMeasuredTopic, describeSizes, type MeasuredTopic } from "#lib/compaction/measured-topic.ts";
import type { PartitionMeasurement } from "#lib/compaction/measurement.ts";
import { findCleanPoint } from "#lib/compaction/probe/probe-replica.ts";
import { isAboutTopic, type MeasuredPartitions, probeDescribedPartition } from "#lib/compaction/probe/probe-topic.ts";
import { openLeaderLog } from "#lib/compaction/scan/leader-log.ts";
import type { TallyState } from "#lib/compaction/scan/partition-tally.ts";
import {
  deserialiseCheckpoint,
  type ScanCheckpoint,
  serialiseCheckpoint,
} from "#lib/compaction/scan/scan-checkpoint.ts";
import { assembleScan, hasMoved, type PositionCheck, withoutScan } from "#lib/compaction/scan/scan-measurement.ts";
import { chooseFetchBytes, type PartitionScan, scanPartition } from "#lib/compaction/scan/scan-partition.ts";
import { ProgressMeter, type ScanProgress } from "#lib/compaction/scan/scan-progress.ts";

export interface TopicScanInput {
  broker: Broker;
  clientId: string;
  topic: string;
  /** null: all. */
  partitions: readonly number[] | null;
  /** 16 bytes, see `KeyHasher`. */
  seed: Uint8Array;
  budget: ByteBudget;
  signal: AbortSignal;
  resumeFrom: Uint8Array | null;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that only go forward. */
  ticks(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  random(): number;
  onProgress(progress: ScanProgress): void;
  onPartition(measurement: PartitionMeasurement): void;
  /** Called every few seconds; null: nobody wants to resume. */
  onCheckpoint: ((bytes: Uint8Array) => void) | null;
}

export interface TopicScan extends MeasuredPartitions {
  /** The distinct sample in its stored form (`sample-format.ts`). */
  sample: Uint8Array;
}

const PROGRESS_EVERY_MS = 200;
const CHECKPOINT_EVERY_MS = 5_000;
/** A partition that was cleaned while it was read is read once more where that takes no longer than this. */
const READ_AGAIN_WITHIN_MS = 30_000;

/** @throws BrokerError `topic-not-found`, `topic-recreated`, `cancelled` (the signal's reason), ... */
export async function scanTopic(input: TopicScanInput): Promise<TopicScan> {
  const { broker, topic } = input;
  const resumed = input.resumeFrom === null ? null : deserialiseCheckpoint(input.resumeFrom);
  const measured = await abortable(describeMeasuredTopic(broker, topic, input.clientId), input.signal);
  if (resumed !== null && resumed.checkpoint.topicId !== measured.description.topicId) {
    throw new BrokerError(
      "topic-recreated",
      `Topic "${topic}" was deleted and made again since this scan began. Scan the new one.`,
    );
  }
  const scanner = new TopicScanner(input, measured, resumed);
  return scanner.run();
}

class TopicScanner {
  readonly #input: TopicScanInput;
  readonly #hasher: KeyHasher;
  readonly #sample: DistinctSample;
  /** Keys of all partitions; of one alone in a scan that was resumed, since only the sample is stored. */
  #table = new KeyTable();
  readonly #wasResumed: boolean;
  readonly #state: ScanCheckpoint;
  #resumedCounts: TallyState | null;
  #measured: MeasuredTopic;
  #meter = new ProgressMeter(new Map(), 0);
  #progressAt = 0;
  #checkpointAt: number;

  constructor(
    input: TopicScanInput,
    measured: MeasuredTopic,
    resumed: ReturnType<typeof deserialiseCheckpoint> | null,
  ) {
    this.#input = input;
    this.#measured = measured;
    this.#hasher = new KeyHasher(input.seed);
    this.#sample = resumed?.sample ?? new DistinctSample();
    this.#wasResumed = resumed !== null;
    this.#checkpointAt = input.ticks();
    const { topicId } = measured.description;
    const fresh = { topic: input.topic, topicId, measuredAt: input.now(), partitions: [], failed: [], current: null };
    this.#state = resumed?.checkpoint ?? fresh;
    this.#resumedCounts = resumed?.checkpoint.current?.counts ?? null;
  }

  async run(): Promise<TopicScan> {
    const { input, state } = { input: this.#input, state: this.#state };
    const wanted = this.#wantedPartitions();
    await this.#startMeter(wanted);
    const settled = new Set([...state.partitions, ...state.failed].map(({ partition }) => partition));
    for (const { partition } of wanted) {
      if (!settled.has(partition)) await this.#settlePartition(partition);
    }
    input.onProgress(this.#meter.at(input.ticks(), null));
    const counts = this.#wasResumed ? this.#sample.countTopic() : this.#table.countTopic();
    const { topic, measuredAt, partitions, failed } = state;
    const whole = { topic, mode: "scan" as const, measuredAt, durationMs: input.now() - measuredAt };
    return {
      partitions,
      failed,
      topic: mergeTopic(whole, partitions, topicKeys(counts, partitions), failed),
      sample: serialiseSample(this.#sample),
    };
  }

  #wantedPartitions(): PartitionDescription[] {
    const { partitions: wanted, topic } = this.#input;
    const all = this.#measured.description.partitions;
    const missing = (wanted ?? []).filter((number) => !all.some(({ partition }) => partition === number));
    if (missing.length > 0) {
      throw new BrokerError("topic-not-found", `Topic "${topic}" has no partition ${missing.join(", ")}.`);
    }
    return wanted === null ? all : all.filter(({ partition }) => wanted.includes(partition));
  }

  async #startMeter(wanted: PartitionDescription[]): Promise<void> {
    const { broker, topic, ticks } = this.#input;
    const listed = await broker
      .listOffsets(wanted.map(({ partition }) => ({ topic, partition })))
      .catch(() => new Map());
    const extents = new Map(
      wanted.map(({ partition, leader }) => {
        const offsets = [...listed].find(([key]) => key.startsWith(`${partition}:`))?.[1];
        const span = offsets?.ok ? offsets.value.lastStable - offsets.value.logStart : 0;
        return [partition, { offsets: span, bytes: this.#bytesOf(partition, leader) }];
      }),
    );
    this.#meter = new ProgressMeter(extents, ticks());
    for (const one of this.#state.partitions)
      this.#meter.finish(one.partition, one.retainedRecords?.value ?? 0, one.bytes ?? 0);
    for (const one of this.#state.failed) this.#meter.finish(one.partition, 0, 0);
    this.#report(true);
  }

  #bytesOf(partition: number, leader: number | null): number | null {
    return leader === null ? null : (this.#measured.replicaBytes.get(partition)?.get(leader) ?? null);
  }

  async #settlePartition(partition: number): Promise<void> {
    this.#input.signal.throwIfAborted();
    try {
      const measurement = await this.#measurePartition(partition);
      this.#state.partitions.push(measurement);
      this.#meter.finish(partition, measurement.retainedRecords?.value ?? 0, measurement.bytes ?? 0);
      this.#input.onPartition(measurement);
    } catch (error) {
      if (!(error instanceof BrokerError) || isAboutTopic(error)) throw error;
      this.#forget(partition);
      this.#state.failed.push({ partition, message: error.message } satisfies FailedPartition);
      this.#meter.finish(partition, 0, 0);
    }
    this.#state.current = null;
    this.#resumedCounts = null;
    if (this.#wasResumed) this.#table = new KeyTable();
  }

  async #measurePartition(partition: number): Promise<PartitionMeasurement> {
    const startedAt = this.#input.now();
    const resumedCounts = this.#resumedCounts;
    const cost: LogTraffic[] = [];
    const note = <T extends LogTraffic | null>(traffic: T): T => {
      if (traffic !== null) cost.push(traffic);
      return traffic;
    };
    let before = resumedCounts === null ? note(await this.#probe(partition)) : (this.#state.current?.before ?? null);
    const scanOnce = async (resumed: TallyState | null) => {
      const scan = await this.#scan(partition, before, resumed);
      cost.push(scan.traffic);
      const check = note(await this.#checkPosition(partition));
      return { scan, check, moved: hasMoved(before, scan, check) };
    };
    let scanned: Awaited<ReturnType<typeof scanOnce>>;
    try {
      scanned = await scanOnce(resumedCounts);
      const isQuick = this.#input.now() - startedAt < READ_AGAIN_WITHIN_MS;
      if (scanned.moved && isQuick && resumedCounts === null) {
        this.#forget(partition);
        before = note(await this.#probe(partition));
        scanned = await scanOnce(null);
      }
    } catch (error) {
      if (!(error instanceof BrokerError) || error.code !== "unsupported-format" || before === null) throw error;
      this.#forget(partition);
      return withoutScan(before, error.message, this.#input.now() - startedAt);
    }
    const position = scanned.moved || before === null ? note(await this.#probe(partition)) : before;
    return assembleScan({
      topic: this.#input.topic,
      partition,
      position,
      ...scanned,
      keys: (resumedCounts === null ? this.#table : this.#sample).countPartition(partition),
      wasResumed: resumedCounts !== null,
      offsetMapCapacity: this.#measured.limits.offsetMapCapacity,
      cost,
      measuredAt: startedAt,
      durationMs: this.#input.now() - startedAt,
    });
  }

  #forget(partition: number): void {
    this.#table.forget(partition);
    this.#sample.forget(partition);
  }

  #scan(partition: number, before: PartitionMeasurement | null, resumed: TallyState | null): Promise<PartitionScan> {
    const { broker, topic, budget, signal, ticks, sleep, now } = this.#input;
    const { topicId } = this.#measured.description;
    const table = resumed === null ? this.#table : null;
    return scanPartition(
      {
        partition,
        openLeaderLog: () => openLeaderLog(broker, { topic, topicId, partition }, sleep, signal),
        signal,
        now: ticks,
        sleep,
        sinks: { hasher: this.#hasher, table, sample: this.#sample },
        budget,
        fetchBytes: chooseFetchBytes(budget.bytesPerSecond, this.#measured.limits.answerBytesMax),
        answerBytesMax: this.#measured.limits.answerBytesMax,
        startedAt: now(),
        onAdvance: (counts) => {
          this.#state.current = { partition, counts, before };
          this.#report(false);
        },
      },
      resumed,
    );
  }

  #probe(partition: number): Promise<PartitionMeasurement | null> {
    const { broker, seed, random, now } = this.#input;
    return this.#look(partition, (described) =>
      probeDescribedPartition(broker, this.#measured, described, { seed, random, now, probeFollowers: true }),
    );
  }

  #checkPosition(partition: number): Promise<(PositionCheck & LogTraffic) | null> {
    const { broker, topic } = this.#input;
    return this.#look(partition, async (described) => {
      const { leader } = described;
      if (leader === null || this.#measured.kind.name === "other") return null;
      const { limits, settings, description } = this.#measured;
      const { topicId } = description;
      const log = broker.openReplicaLog({ topic, topicId, partition, brokerId: leader, isLeader: true });
      try {
        const found = await findCleanPoint(
          log,
          limits,
          this.#hasher,
          {},
          { segmentBytes: settings.segmentBytes, replicaBytes: null },
        );
        const { logStart, logEnd } = found.offsets;
        const { interval } = found.cleanPoint;
        const bytes = this.#bytesOf(partition, leader);
        return {
          cleanPoint: interval,
          logStartOffset: logStart,
          logEndOffset: logEnd,
          leader,
          bytes,
          ...log.traffic(),
        };
      } finally {
        await log.close();
      }
    });
  }

  /** null where that fails for a reason that a scan may survive: it says for itself what it met. */
  async #look<T extends LogTraffic>(
    partition: number,
    look: (described: PartitionDescription) => Promise<T | null>,
  ): Promise<T | null> {
    const { broker, topic, signal, budget } = this.#input;
    const refreshAndLook = async () => {
      const [description] = await broker.describeTopics([topic]);
      if (description?.topicId !== this.#measured.description.topicId) return null;
      this.#measured = { ...this.#measured, description, replicaBytes: await describeSizes(broker, topic) };
      const described = description.partitions.find((one) => one.partition === partition);
      return described === undefined ? null : look(described);
    };
    try {
      const found = await abortable(refreshAndLook(), signal);
      if (found !== null) await budget.spend(found.fetchedBytes, signal);
      return found;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BrokerError && !isAboutTopic(error)) return null;
      throw error;
    }
  }

  #report(isForced: boolean): void {
    const { ticks, onProgress, onCheckpoint } = this.#input;
    const at = ticks();
    if (isForced || at - this.#progressAt >= PROGRESS_EVERY_MS) {
      this.#progressAt = at;
      onProgress(this.#meter.at(at, this.#state.current));
    }
    if (onCheckpoint !== null && at - this.#checkpointAt >= CHECKPOINT_EVERY_MS) {
      this.#checkpointAt = at;
      onCheckpoint(serialiseCheckpoint(this.#state, this.#sample));
    }
  }
}
