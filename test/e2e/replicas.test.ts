/** How far each replica was cleaned, and why one is behind, on the topic page and by the command. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PartitionMeasurement } from "#lib/compaction/measurement.ts";
import { paths } from "#lib/http/paths.ts";
import { damageOldestSegment } from "#test/support/clean-segment-damage.ts";
import { readCleanerCheckpoint } from "#test/support/cleaner-checkpoint.ts";
import { CLUSTER_ID, FullStack } from "#test/support/full-stack.ts";
import { type KafkaCluster, startKafka } from "#test/support/kafka-cluster.ts";
import { PageReader } from "#test/support/page-reader.ts";
import { produce } from "#test/support/producer.ts";
import { createTopic } from "#test/support/topic-admin.ts";
import { waitForCleaner } from "#test/support/truth.ts";
import { waitFor } from "#test/support/worker-process.ts";

const LEDGER = "ledger";
/** Tells that cleaners came to rest: nothing on it is ever damaged. */
const STOCK = "stock";
/** Replicas of each partition, leader first. */
const ASSIGNMENTS = {
  [LEDGER]: [
    [1, 2, 3],
    [2, 3, 1],
    [3, 1, 2],
  ],
  [STOCK]: [[1, 2, 3]],
};
/** Of one writing, to each partition. */
const RECORDS = 30_000;
const LIMIT = 0.1;
const SETTINGS = {
  "cleanup.policy": "compact",
  "segment.bytes": "1048576",
  "min.cleanable.dirty.ratio": String(LIMIT),
};
const PATIENCE = { timeout: 150_000, interval: 500 };

let kafka: KafkaCluster;
let stack: FullStack;
let topic: PageReader;

beforeAll(async () => {
  kafka = await startKafka({ version: "4.4", brokers: 3, perBroker: { 3: { "log.cleaner.enable": "false" } } });
  for (const [name, assignments] of Object.entries(ASSIGNMENTS))
    await createTopic(kafka, { topic: name, assignments, configs: SETTINGS });
  await writeAll(1);
  await waitForCleaner(kafka.dataDirs.slice(0, 2), [LEDGER, STOCK], { minCleanableRatio: limits() });
  stack = await FullStack.start(kafka);
  topic = new PageReader(await stack.openTab());
}, 600_000);

afterAll(async () => {
  await stack?.stop();
  await kafka?.stop();
});

const partitionsOf = (name: keyof typeof ASSIGNMENTS): number[] => ASSIGNMENTS[name].map((_, partition) => partition);
const limits = () =>
  new Map(
    [LEDGER, STOCK].flatMap((name) => partitionsOf(name as typeof LEDGER).map((one) => [`${name}-${one}`, LIMIT])),
  );

/** To every partition. */
async function writeAll(seed: number): Promise<void> {
  for (const name of [LEDGER, STOCK] as const)
    for (const partition of partitionsOf(name))
      await produce({
        servers: kafka.servers,
        topic: name,
        partition,
        seed,
        phases: [{ records: RECORDS, keys: { kind: "uniform", count: 2000 } }],
      });
}

/** Of each partition of the ledger the state of each broker's replica, in the words of the page. */
type States = Record<number, string | null>[];

interface ReadReplica {
  brokerId: number;
  cleanPoint: { low: number; high: number };
  state: string | null;
}

async function openLedger(): Promise<void> {
  await topic.page.goto(stack.origin);
  await topic.page.locator(`a[href="${paths.topic(CLUSTER_ID, LEDGER)}"]`).click(PATIENCE);
  await topic.page.getByRole("radio", { name: "All replicas" }).click(PATIENCE);
}

async function readReplicas(partition: number): Promise<ReadReplica[]> {
  const title = topic.page.getByText(`Partition ${partition} on each replica`, { exact: true });
  const items = topic.page.getByRole("row").filter({ has: title }).getByRole("listitem");
  return (await topic.textsOf(items)).map(parseReplica);
}

/** `broker 3 leader 3.43 MiB · clean to 12000 to 13000 (42 %) · cleaner is off` */
function parseReplica(text: string): ReadReplica {
  const found = /^broker (\d+) .*· clean to (\d+)(?: to (\d+))? \([^)]*\)(?: · (.+))?$/.exec(text);
  if (!found) throw new Error(`A replica says neither how far it is cleaned nor that this is not known: ${text}`);
  const [, broker, low, high = low, state = null] = found;
  return { brokerId: Number(broker), cleanPoint: { low: Number(low), high: Number(high) }, state };
}

const readLedger = () => Promise.all(partitionsOf(LEDGER).map(readReplicas));

async function readStates(): Promise<States> {
  const replicas = await readLedger().catch(() => []);
  return replicas.map((each) => Object.fromEntries(each.map(({ brokerId, state }) => [brokerId, state])));
}

const readVerdict = async (): Promise<string> => topic.textOf(topic.page.getByRole("heading", { level: 1 }));

interface CleanedReplica {
  brokerId: number;
  cleanPoint: { low: number; high: number } | null;
}

/** Replicas of which something else is said than the broker that holds them wrote down itself, by partition. */
async function contradictCheckpoints(said: readonly (readonly CleanedReplica[])[]): Promise<string[]> {
  const checkpoints = await Promise.all(kafka.dataDirs.map(readCleanerCheckpoint));
  return said.flatMap((replicas, partition) =>
    replicas.flatMap(({ brokerId, cleanPoint }) => {
      const truth = checkpoints[brokerId - 1]?.get(`${LEDGER}-${partition}`) ?? 0;
      if (cleanPoint !== null && cleanPoint.low <= truth && truth <= cleanPoint.high) return [];
      return [`partition ${partition} on broker ${brokerId} is clean to ${truth}, not ${JSON.stringify(cleanPoint)}`];
    }),
  );
}

/** The page comes to say of every replica what its broker says. */
async function expectCheckpointsOnPage(): Promise<void> {
  await expect.poll(async () => contradictCheckpoints(await readLedger()), PATIENCE).toEqual([]);
  expect((await readLedger()).map((replicas) => replicas.length)).toEqual([3, 3, 3]);
}

/** `measure` of the ledger, a line a partition. */
async function measure(): Promise<PartitionMeasurement[]> {
  const args = ["measure", "--brokers", kafka.servers, "--topic", LEDGER, "--mode", "probe", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, ["lib/cli/keyfold.ts", ...args], {
    cwd: path.resolve(import.meta.dirname, "../.."),
  });
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as PartitionMeasurement);
  return lines.filter(({ partition }) => partition !== null);
}

const statesOf = (measured: readonly PartitionMeasurement[]): States =>
  measured.map(({ replicas }) => Object.fromEntries((replicas ?? []).map(({ brokerId, state }) => [brokerId, state])));

describe("a broker whose cleaner is off", { timeout: 400_000 }, () => {
  it("is named as such on every partition, with how far each replica was cleaned", async () => {
    await openLedger();
    const third = { 1: null, 2: null, 3: "cleaner is off" };
    await expect.poll(readStates, PATIENCE).toEqual([third, third, third]);
    await expectCheckpointsOnPage();
    for (const { brokerId, cleanPoint } of (await readLedger()).flat())
      if (brokerId !== 3) expect(cleanPoint.low, `broker ${brokerId} cleans`).toBeGreaterThan(0);
    expect(await readVerdict()).toBe("Broker 3 cleans none of its partitions.");
    expect(await topic.page.getByText("Check log.cleaner.enable of broker 3").count()).toBe(1);
  });

  it("is only behind for the command, which sees one topic, with the same clean points", async () => {
    const measured = await measure();
    expect(await contradictCheckpoints(measured.map(({ replicas }) => replicas ?? []))).toEqual([]);
    expect(statesOf(measured).map((states) => [states[1], states[2], states[3]])).toEqual([
      ["ok", "ok", "behind"],
      ["ok", "ok", "behind"],
      ["ok", "ok", "behind"],
    ]);
  });

  it("is no news any more once its cleaner is on and has caught up", async () => {
    const [, , third] = kafka.brokers;
    await third!.stop();
    await third!.start({});
    await waitForCleaner(kafka.dataDirs, [LEDGER, STOCK], { minCleanableRatio: limits() });
    const healthy = { 1: null, 2: null, 3: null };
    await expect.poll(readStates, PATIENCE).toEqual([healthy, healthy, healthy]);
    await expectCheckpointsOnPage();
  });
});

/**
 * Everything but the quarantined replica was cleaned after the second writing. The cleaning that failed leaves a file
 * behind as if it went on, so that broker 2 is told by its checkpoint alone.
 */
async function brokersCleanedTheRest(): Promise<void> {
  const healthy = kafka.dataDirs.filter((_, index) => index !== 1);
  await waitForCleaner(healthy, [LEDGER, STOCK], { minCleanableRatio: limits() });
  await waitFor(
    "broker 2 cleans its other partitions",
    async () => {
      const checkpoint = await readCleanerCheckpoint(kafka.dataDirs[1]!);
      const others = [...limits().keys()].filter((partition) => partition !== `${LEDGER}-0`);
      return others.every((partition) => (checkpoint.get(partition) ?? 0) > RECORDS);
    },
    PATIENCE.timeout,
  );
}

describe("a partition that one broker quarantined", { timeout: 400_000 }, () => {
  it("is told apart from a cleaner that is off, and named with how far each replica was cleaned", async () => {
    const [, second] = kafka.brokers;
    await damageOldestSegment(second!.dataDir, `${LEDGER}-0`);
    await writeAll(2);
    await waitFor(
      "the cleaner of broker 2 gives the partition up",
      async () => /Marking its partition \(ledger-0\) as uncleanable/.test(await readFile(second!.logFile, "utf8")),
      PATIENCE.timeout,
    );
    await brokersCleanedTheRest();
    const healthy = { 1: null, 2: null, 3: null };
    await expect.poll(readStates, PATIENCE).toEqual([{ ...healthy, 2: "quarantined" }, healthy, healthy]);
    await expectCheckpointsOnPage();
    expect(await readVerdict()).toBe("Broker 2 no longer cleans partition 0: its cleaning failed there.");
  });

  it("is only behind for the command, with the same clean points", async () => {
    const measured = await measure();
    expect(await contradictCheckpoints(measured.map(({ replicas }) => replicas ?? []))).toEqual([]);
    expect(statesOf(measured)).toEqual([
      { 1: "ok", 2: "behind", 3: "ok" },
      { 1: "ok", 2: "ok", 3: "ok" },
      { 1: "ok", 2: "ok", 3: "ok" },
    ]);
    expect(stack.complaints).toEqual([]);
  });
});
