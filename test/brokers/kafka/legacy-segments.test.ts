/**
 * Segments of magic 0 and 1, which no producer writes any more: record sets written by Kafka's own classes, laid into
 * the folders of real brokers while these are down.
 */
import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Broker } from "#lib/brokers/broker-port.ts";
import { openBroker } from "#lib/brokers/open-broker.ts";
import { clusterConfig } from "../../support/cluster-config.ts";
import { type KafkaCluster, type KafkaVersion, startKafka } from "../../support/kafka-cluster.ts";
import { createTopic } from "../../support/topic-admin.ts";
import { CollectingVisitor, findRecordSet } from "../../unit/brokers/kafka/record-sets.ts";

const FORMATS = [
  "v0 none cleaned",
  "v0 gzip",
  "v0 snappy",
  "v0 lz4",
  "v1 none",
  "v1 gzip cleaned",
  "v1 snappy",
  "v1 lz4 cleaned",
];
const TOPIC = "written-long-ago";

async function laySegment(dataDir: string, partition: number, segment: Buffer): Promise<void> {
  const folder = path.join(dataDir, `${TOPIC}-${partition}`);
  for (const file of await readdir(folder)) if (file !== "partition.metadata") await rm(path.join(folder, file));
  await writeFile(path.join(folder, "00000000000000001000.log"), segment);
}

describe.each<[KafkaVersion]>([["4.4"], ["3.9"]])("Kafka %s", (version) => {
  let kafka: KafkaCluster;
  let broker: Broker;

  beforeAll(async () => {
    kafka = await startKafka({ version, heapMegabytes: 256 });
    await createTopic(kafka, { topic: TOPIC, partitions: FORMATS.length });
    await kafka.brokers[0]!.stop();
    for (const [partition, name] of FORMATS.entries()) {
      await laySegment(kafka.dataDirs[0]!, partition, findRecordSet(name).bytes);
    }
    await kafka.brokers[0]!.start();
    broker = await openBroker(clusterConfig(kafka.servers), { clientId: "keyfold-scan" });
  });

  afterAll(async () => {
    await broker?.close();
    await kafka?.stop();
  });

  test.each(FORMATS.map((name, partition) => ({ name, partition })))("$name is walked", async ({ name, partition }) => {
    const fixture = findRecordSet(name);
    const topicId = (await broker.describeTopics([TOPIC]))[0]!.topicId;
    const log = broker.openReplicaLog({ topic: TOPIC, partition, topicId, brokerId: 1, isLeader: true });
    const end = fixture.batches.at(-1)![1] + 1;
    await vi.waitFor(async () => expect((await log.offsets()).logEnd).toBe(end), { timeout: 15_000 });
    const seen = new CollectingVisitor();
    const answer = await log.fetch({ offset: 1000, maxBytes: 1024 * 1024, isolation: "read_committed" }, seen);
    await log.close();
    expect(seen.records).toEqual(fixture.records);
    expect(answer).toMatchObject({ nextOffset: end, recordSetBytes: fixture.bytes.length });
    expect(seen.batches[0]!.magic).toBe(Number(name[1]));
  });
});
