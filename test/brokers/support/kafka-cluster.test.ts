import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { fetchBrokerIds } from "../../../scripts/kafka/broker-metadata.mjs";
import { produce } from "../../support/producer.ts";
import { sharedKafka } from "../../support/shared-kafka.ts";
import { createTopic } from "../../support/topic-admin.ts";
import { countReadCommitted, waitForCleaner } from "../../support/truth.ts";

describe.each(["4.4", "3.9"] as const)("Kafka %s", (version) => {
  test("answers with its own id and cleans a compacted topic", async () => {
    const cluster = await sharedKafka(version);
    expect(await fetchBrokerIds(cluster.brokers[0]!.port)).toEqual([1]);
    const topic = "cluster-check";
    await createTopic(cluster, {
      topic,
      configs: { "cleanup.policy": "compact", "segment.bytes": "1048576", "min.cleanable.dirty.ratio": "0.1" },
    });
    const written = await produce({
      servers: cluster.servers,
      topic,
      partition: 0,
      seed: 1,
      phases: [
        { records: 30_000, keys: { kind: "uniform", count: 500 }, tombstone_share: 0.1 },
        { records: 2000, keys: { kind: "uniform", count: 500 }, transaction: { records: 200, abort_share: 0.5 } },
      ],
    });
    expect(written.records).toBe(32_000);
    expect(written.aborted).toBeGreaterThan(0);
    const [[truth]] = (await waitForCleaner(cluster.dataDirs, [topic], {
      minCleanableRatio: new Map([[`${topic}-0`, 0.1]]),
    })) as [[import("../../support/truth.ts").LogTruth]];
    expect(truth.first_dirty_offset).toBeGreaterThan(0);
    expect(truth.distinct_keys).toBe(500);
    expect(truth.retained_records).toBeLessThan(32_000);
    const checkpoint = await readFile(`${cluster.dataDirs[0]}/cleaner-offset-checkpoint`, "utf8");
    expect(checkpoint).toContain(`${topic} 0 ${truth.first_dirty_offset}`);
    const [committed] = await countReadCommitted(cluster.servers, topic, [0]);
    expect(truth.retained_records - committed!.retained_records).toBe(written.aborted);
    expect(committed!.distinct_keys).toBe(500);
  });
});
