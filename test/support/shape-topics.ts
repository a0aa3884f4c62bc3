/** Makes topics of the given shapes on a real cluster and waits until the cleaner has nothing left to do. */
import type { KafkaCluster } from "./kafka-cluster.ts";
import { type ProduceOutcome, produce } from "./producer.ts";
import { createRandom, describeSeed } from "./random.ts";
import { alterTopicConfigs, createTopic, deleteRecordsBefore } from "./topic-admin.ts";
import { SHAPE_PARTITIONS, type ShapeStep, type TopicShape } from "./topic-shapes.ts";
import { countReadCommitted, type LogTruth, type ReadCommittedCounts, waitForCleaner } from "./truth.ts";

export interface ShapeTopic {
  shape: TopicShape;
  topic: string;
  partitions: number[];
}

export interface ShapePartitionTruth {
  shape: TopicShape;
  topic: string;
  partition: number;
  log: LogTruth;
  /** Only of shapes whose counts are a read_committed reader's. */
  readCommitted: ReadCommittedCounts | null;
}

export interface MadeShapes {
  seed: number;
  topics: ShapeTopic[];
  /** Options for `waitForCleaner`. */
  minCleanableRatio: Map<string, number>;
  /** The truth, read now; call it again after a measurement where something may have moved. */
  readTruth(): Promise<ShapePartitionTruth[]>;
}

/** Two producers at a time: as many as there are cores on a small machine. */
const PARALLEL = 2;

async function forEachParallel<T>(items: readonly T[], use: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await use(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

/** The first partition is written in full, the others less, all by shares that the seed picks. */
function pickRecords(records: number, partition: number, random: () => number): number {
  const share = partition === 0 ? 0.85 + 0.15 * random() : 0.35 + 0.5 * random();
  return Math.max(1, Math.round(records * share));
}

interface Progress {
  made: ShapeTopic;
  seed: number;
  random: () => number;
  /** Log end by partition. */
  ends: number[];
  steps: number;
}

async function runStep(cluster: KafkaCluster, progress: Progress, step: ShapeStep): Promise<void> {
  const { made } = progress;
  if (step.do === "configure") {
    await alterTopicConfigs(cluster, made.topic, step.configs);
    return;
  }
  for (const partition of made.partitions) {
    if (step.do === "delete-records") {
      const offset = Math.floor((progress.ends[partition] ?? 0) * step.share * (0.8 + 0.4 * progress.random()));
      await deleteRecordsBefore(cluster, made.topic, partition, offset);
      continue;
    }
    const outcome: ProduceOutcome = await produce({
      servers: cluster.servers,
      topic: made.topic,
      partition,
      seed: progress.seed + progress.steps,
      phases: [
        {
          ...step.phase,
          keys: { ...step.phase.keys, prefix: `p${partition}-`, ...nextKeys(step, progress.ends[partition] ?? 0) },
          records: pickRecords(step.phase.records, partition, progress.random),
        },
      ],
    });
    progress.ends[partition] = outcome.last_offset + 1;
  }
  progress.steps++;
}

/** Keys that count upwards go on where the round before ended. */
const nextKeys = (step: Extract<ShapeStep, { do: "produce" }>, end: number) =>
  step.phase.keys.kind === "sequential" || step.phase.keys.kind === "rewritten" ? { start: end } : {};

function minCleanableRatios(topics: readonly ShapeTopic[]): Map<string, number> {
  const ratios = new Map<string, number>();
  for (const { shape, topic, partitions } of topics) {
    // The truth tool counts what lies within the lag as cleanable.
    const ratio = shape.expect.ratio === "lag" ? 1 : Number(shape.configs["min.cleanable.dirty.ratio"]);
    for (const partition of partitions) ratios.set(`${topic}-${partition}`, ratio);
  }
  return ratios;
}

async function readShapeTruth(cluster: KafkaCluster, topics: readonly ShapeTopic[], logs: LogTruth[]) {
  const byName = new Map(logs.map((truth) => [truth.partition, truth]));
  const truths: ShapePartitionTruth[] = [];
  for (const { shape, topic, partitions } of topics) {
    const committed =
      shape.expect.counts === "read-committed" ? await countReadCommitted(cluster.servers, topic, partitions) : [];
    for (const partition of partitions)
      truths.push({
        shape,
        topic,
        partition,
        log: byName.get(`${topic}-${partition}`)!,
        readCommitted: committed.find((counts) => counts.partition === `${topic}-${partition}`) ?? null,
      });
  }
  return truths;
}

/**
 * Makes one topic a shape, named `<prefix><shape>`, and resolves when everything is written and the cleaner is at rest.
 * Leaders must be on one broker (a cluster of one).
 */
export async function makeShapes(
  cluster: KafkaCluster,
  shapes: readonly TopicShape[],
  seed: number,
  { prefix = "", log = console.log as (line: string) => void } = {},
): Promise<MadeShapes> {
  log(`shapes: ${describeSeed(seed)}`);
  const topics = shapes.map((shape) => ({
    shape,
    topic: `${prefix}${shape.name}`,
    partitions: Array.from({ length: SHAPE_PARTITIONS }, (_, partition) => partition),
  }));
  const progress = topics.map(
    (made): Progress => ({ made, seed, random: createRandom(seed, made.topic), ends: [], steps: 0 }),
  );
  const names = topics.map(({ topic }) => topic);
  const minCleanableRatio = minCleanableRatios(topics);
  await forEachParallel(topics, ({ shape, topic }) =>
    createTopic(cluster, { topic, partitions: SHAPE_PARTITIONS, configs: shape.configs }),
  );
  const rest = () => waitForCleaner(cluster.dataDirs, names, { minCleanableRatio });
  for (let round = 0; shapes.some((shape) => shape.rounds.length > round); round++) {
    await forEachParallel(progress, async (one) => {
      for (const step of one.made.shape.rounds[round] ?? []) await runStep(cluster, one, step);
    });
    await rest();
  }
  return {
    seed,
    topics,
    minCleanableRatio,
    readTruth: async () => readShapeTruth(cluster, topics, (await rest()).flat()),
  };
}
