import { afterAll, describe, expect, test } from "vitest";
import { type KafkaCluster, type KafkaVersion, startKafka } from "../../support/kafka-cluster.ts";
import { describeSeed, drawSeed } from "../../support/random.ts";
import { makeShapes } from "../../support/shape-topics.ts";
import { sharedKafka } from "../../support/shared-kafka.ts";
import { BIG_SHAPE, MAP_FULL_SHAPE, SHAPES, type TopicShape } from "../../support/topic-shapes.ts";
import { measureShapes } from "../../support/truth-cases.ts";
import type { TruthCase } from "./truth-case.ts";
import { formatReport, judge, judgeCost } from "./truth-report.ts";

const seed = drawSeed();
const MINUTES = 60_000;
const all: TruthCase[] = [];

async function measure(cluster: KafkaCluster, shapes: readonly TopicShape[]): Promise<TruthCase[]> {
  const made = await makeShapes(cluster, shapes, seed, { prefix: "truth-" });
  return measureShapes(cluster, made);
}

/** Costs have medians; they are judged over all versions together. */
function expectAllMet(title: string, cases: readonly TruthCase[]): void {
  const costs = new Set(judgeCost(cases).map(({ name }) => name));
  const criteria = judge(cases);
  console.log(formatReport(`${title}, ${describeSeed(seed)}`, criteria));
  const missed = criteria.filter(({ isMet, name }) => !isMet && !(costs.has(name) && name.includes("median")));
  expect(missed.map(({ name, observed, misses }) => ({ name, observed, misses }))).toEqual([]);
}

describe("what is measured from outside holds against the broker's own disk", () => {
  const own: KafkaCluster[] = [];
  afterAll(async () => {
    await Promise.all(own.map((cluster) => cluster.stop()));
  });

  test.each<KafkaVersion>(["4.4", "3.9"])(
    "on Kafka %s, by every criterion",
    async (version) => {
      const cases = await measure(await sharedKafka(version), SHAPES);
      all.push(...cases);
      expectAllMet(`Kafka ${version}`, cases);
    },
    10 * MINUTES,
  );

  test(
    "with 100 MiB segments and 400 MB that no cleaner has touched",
    async () => {
      const cases = await measure(await sharedKafka("4.4"), [BIG_SHAPE]);
      all.push(...cases);
      expectAllMet("Kafka 4.4, large segments", cases);
    },
    10 * MINUTES,
  );

  test(
    "with a full offset map: the bracket holds the clean point, and the reason is told",
    async () => {
      const cluster = await startKafka({ version: "4.4", broker: MAP_FULL_SHAPE.broker! });
      own.push(cluster);
      const cases = await measure(cluster, [MAP_FULL_SHAPE]);
      for (const { old, now, probe, scan } of cases) {
        for (const { cleanPoint, dirtyRatio } of [probe, scan]) {
          expect(cleanPoint!.low).toBeLessThanOrEqual(now.first_dirty_offset);
          expect(cleanPoint!.high).toBeGreaterThanOrEqual(old.first_dirty_offset);
          expect(dirtyRatio!.low).toBeLessThanOrEqual(now.dirty_ratio);
          expect(dirtyRatio!.high).toBeGreaterThanOrEqual(old.dirty_ratio);
        }
        const isInside = old.first_dirty_offset > 0 && probe.cleanPoint!.low < probe.cleanPoint!.high;
        if (isInside) expect(probe.warnings.map(({ code }) => code)).toContain("offset-map-full");
      }
    },
    10 * MINUTES,
  );

  test("at a median of 10 fetches and 1 MB for the position", () => {
    const costs = judgeCost(all);
    console.log(formatReport("cost over all partitions", costs));
    expect(costs.filter(({ isMet }) => !isMet)).toEqual([]);
  });
});
