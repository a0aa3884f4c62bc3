/** Both pages in a real browser while a real broker is written, stopped and started again. */
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { paths } from "#lib/http/paths.ts";
import { CLUSTER_ID, FullStack } from "#test/support/full-stack.ts";
import { type KafkaCluster, startKafka } from "#test/support/kafka-cluster.ts";
import { PageReader } from "#test/support/page-reader.ts";
import { produce } from "#test/support/producer.ts";
import { type SteadyTopic, SteadyWriter } from "#test/support/steady-writer.ts";
import { createTopic } from "#test/support/topic-admin.ts";
import { countReadCommitted, type ReadCommittedCounts, waitForCleaner } from "#test/support/truth.ts";

/** Written before anything else, cleaned, and then at rest: what is counted there stays as it is. */
const ACCOUNTS = "accounts";
const ACCOUNT_PARTITIONS = [0, 1];
const ORDERS = "orders";
/** As long as Kafka allows, with every kind of character that it allows. */
const LONGEST = `..__proto__.constructor-${"W._-".repeat(60)}`.slice(0, 246).concat(".v2");

const SETTINGS = { "cleanup.policy": "compact", "segment.bytes": "1048576", "min.cleanable.dirty.ratio": "0.2" };

const WRITTEN: SteadyTopic[] = [
  { topic: ORDERS, phases: [{ records: 2000, keys: { kind: "rewritten", share: 0.01 } }] },
  { topic: "prices", phases: [{ records: 3000, keys: { kind: "zipf", count: 300 } }] },
  { topic: "sessions", phases: [{ records: 1500, keys: { kind: "uniform", count: 1000 }, tombstone_share: 0.4 }] },
  { topic: LONGEST, phases: [{ records: 1000, keys: { kind: "uniform", count: 100 } }] },
];

/** Slow enough that a scan of the accounts takes ten seconds and more. */
const SCAN_BYTES_PER_SECOND = 400_000;
/** A poll comes every 15 s, a probe at most every 30 s, a cluster that was away is tried every 30 s: room for all. */
const PATIENCE = { timeout: 150_000, interval: 200 };

let kafka: KafkaCluster;
let stack: FullStack;
let writer: SteadyWriter;
/** Two tabs of one browser, never loaded again but where a test says so. */
let fleet: PageReader;
let topic: PageReader;

beforeAll(async () => {
  kafka = await startKafka({ version: "4.4" });
  await createTopic(kafka, { topic: ACCOUNTS, partitions: ACCOUNT_PARTITIONS.length, configs: SETTINGS });
  for (const partition of ACCOUNT_PARTITIONS) await fillAccounts(partition);
  await waitForCleaner(kafka.dataDirs, [ACCOUNTS], {
    minCleanableRatio: new Map(ACCOUNT_PARTITIONS.map((partition) => [`${ACCOUNTS}-${partition}`, 0.2])),
  });
  for (const written of WRITTEN) await createTopic(kafka, { topic: written.topic, configs: SETTINGS });
  writer = new SteadyWriter(kafka.servers, WRITTEN);
  stack = await FullStack.start(kafka, { scanBytesPerSecond: SCAN_BYTES_PER_SECOND });
  fleet = new PageReader(await stack.openTab());
  topic = new PageReader(await stack.openTab());
}, 600_000);

afterAll(async () => {
  await writer?.stop().catch(() => undefined);
  await stack?.stop();
  await kafka?.stop();
});

async function fillAccounts(partition: number): Promise<void> {
  await produce({
    servers: kafka.servers,
    topic: ACCOUNTS,
    partition,
    seed: 11 + partition,
    phases: [
      {
        records: 30_000,
        // No key is in both partitions: distinct keys of the topic are the sum.
        keys: { kind: "uniform", count: 8000, prefix: `a${partition}-` },
        value_bytes: [100, 300],
        tombstone_share: 0.1,
      },
    ],
  });
}

const addressOf = (name: string): string => `${stack.origin}${paths.topic(CLUSTER_ID, name)}`;
const countsOf = (row: Locator): Locator => row.getByRole("img", { name: /^Keys / });
const readCounts = async (row: Locator): Promise<string | null> => countsOf(row).getAttribute("aria-label");
const sum = (
  counts: readonly ReadCommittedCounts[],
  field: "distinct_keys" | "retained_records" | "tombstones" | "superseded_records",
) => counts.reduce((total, one) => total + one[field], 0);

/** Resolves when the open scan has read something and is not at its end. */
async function scanIsUnderWay(): Promise<number> {
  const bar = topic.page.getByRole("progressbar", { name: "Scan" });
  await bar.waitFor(PATIENCE);
  const value = async () => Number(await bar.getAttribute("aria-valuenow"));
  await expect.poll(value, PATIENCE).toBeGreaterThan(0);
  return value();
}

/** Every share of the scan that the page shows, until the bar is gone. */
async function followProgress(): Promise<number[]> {
  const seen = [await scanIsUnderWay()];
  expect(await topic.textOf(topic.page.locator("main"))).toMatch(
    /\d+ % ?: .* records, .* read, \d of 2 partitions done/,
  );
  const bar = topic.page.getByRole("progressbar", { name: "Scan" });
  await expect
    .poll(async () => {
      // The bar may be gone between two looks.
      const value = await bar.getAttribute("aria-valuenow", { timeout: 1000 }).catch(() => null);
      if (value !== null && Number(value) !== seen.at(-1)) seen.push(Number(value));
      return value;
    }, PATIENCE)
    .toBeNull();
  return seen;
}

describe("the pages of a broker that is written", { timeout: 400_000 }, () => {
  it("list every compacted topic with its strip, its figures and their age", async () => {
    await fleet.page.goto(stack.origin);
    for (const name of [ACCOUNTS, ...WRITTEN.map((written) => written.topic)]) {
      const row = fleet.rowOf(CLUSTER_ID, name);
      await row.getByRole("img", { name: /^Log of partition \d+, by bytes$/ }).waitFor(PATIENCE);
      await row.getByRole("img", { name: /^Keys .+, kept .*\d.*, written ≤/ }).waitFor(PATIENCE);
      expect(await fleet.textOf(row)).toMatch(/\d+ (s|min) by probe/);
    }
    const strip = fleet.rowOf(CLUSTER_ID, ACCOUNTS).locator("svg.strip desc");
    expect(await strip.textContent()).toMatch(/^Clean .+ of bytes; .*Clean point offset [1-9]/);
    expect(await fleet.textOf(fleet.page.locator("#clusters"))).toMatch(/e2e Kafka 4\S* .*5 of 5 \d+ s ago/);
    await fleet.page.getByText("Live, collected").waitFor(PATIENCE);
  });

  it("count on without being loaded again, in both tabs", async () => {
    await topic.page.goto(addressOf(ORDERS));
    await fleet.mark();
    await topic.mark();
    const row = fleet.rowOf(CLUSTER_ID, ORDERS);
    const countsBefore = await readCounts(row);
    const writtenBefore = await topic.figure("#keys", "Ever written");
    await expect.poll(() => readCounts(row), PATIENCE).not.toBe(countsBefore);
    await expect.poll(() => topic.figure("#keys", "Ever written"), PATIENCE).toBeGreaterThan(writtenBefore);
    expect(await fleet.isMarked()).toBe(true);
    expect(await topic.isMarked()).toBe(true);
  });

  it("open the longest name that Kafka allows from the fleet, at every width", async () => {
    const tab = await stack.openTab();
    await tab.goto(stack.origin);
    for (const width of [1440, 390]) {
      await tab.setViewportSize({ width, height: 900 });
      await tab.goto(stack.origin);
      await tab.locator(`a[href="${paths.topic(CLUSTER_ID, LONGEST)}"]`).click();
      await tab.waitForURL(addressOf(LONGEST));
      await tab.locator("main bdi").getByText(LONGEST, { exact: true }).waitFor(PATIENCE);
      await tab.getByRole("img", { name: "Partition 0 by offset" }).waitFor(PATIENCE);
      const overflow = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `at ${width} px`).toBeLessThanOrEqual(0);
    }
    await tab.close();
  });

  it("measure on demand: progress as it goes, then the figures of an independent count", async () => {
    await topic.page.goto(addressOf(ACCOUNTS));
    await topic.page.getByRole("button", { name: "Measure now" }).click();
    const seen = await followProgress();
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    await topic.page.getByText(/^scanned/).waitFor(PATIENCE);
    const counts = await countReadCommitted(kafka.servers, ACCOUNTS, ACCOUNT_PARTITIONS);
    await expect.poll(() => topic.figure("#keys", "Distinct keys"), PATIENCE).toBe(sum(counts, "distinct_keys"));
    expect(await topic.figure("#keys", "Records kept")).toBe(sum(counts, "retained_records"));
    const details = await topic.textOf(topic.page.locator("#keys"));
    expect(details.match(/by scan, exact/g)).toHaveLength(2);
    expect(details).toContain(
      `${sum(counts, "tombstones")} tombstones, ${sum(counts, "superseded_records")} records superseded.`,
    );
  });

  it("stop a scan on demand and keep what the last one found", async () => {
    const keysBefore = await topic.figureText("#keys", "Distinct keys");
    await topic.page.getByRole("button", { name: "Measure now" }).click();
    await scanIsUnderWay();
    await topic.page.getByRole("button", { name: "Cancel" }).click();
    await topic.page.getByText(/^last scan cancelled/).waitFor(PATIENCE);
    expect(await topic.page.getByRole("progressbar").count()).toBe(0);
    expect(await topic.figureText("#keys", "Distinct keys")).toBe(keysBefore);
  });
});

describe("the pages of a broker that is away", { timeout: 400_000 }, () => {
  let rounds = 0;
  let countsBefore: string | null;
  let stripBefore: string | null;
  let keysBefore: string;

  const strip = () => fleet.rowOf(CLUSTER_ID, ACCOUNTS).locator("svg.strip desc");
  const reason = () =>
    new RegExp(`127\\.0\\.0\\.1:${kafka.brokers[0]!.port}.*Check the address, and whether the broker runs`, "s");

  /** Everything that was known is still there, and said to be old with the reason and what to do. */
  async function expectLastData(): Promise<void> {
    await fleet.page.locator("#clusters").getByText(reason()).waitFor(PATIENCE);
    await topic.page.getByText(/^Last reading of e2e/).waitFor(PATIENCE);
    const said = await topic.textOf(topic.page.locator("main"));
    expect(said).toMatch(reason());
    expect(said, "a client library's own words").not.toContain("connect ECONNREFUSED");
    for (const page of [fleet.page, topic.page])
      expect((await page.locator("header").allInnerTexts()).join()).toMatch(/\d+\s(s|min) old/);
    expect(await readCounts(fleet.rowOf(CLUSTER_ID, ACCOUNTS))).toBe(countsBefore);
    expect(await strip().textContent()).toBe(stripBefore);
    expect(await topic.figureText("#keys", "Distinct keys")).toBe(keysBefore);
    expect(await topic.page.locator("svg.strip.stale").count()).toBeGreaterThan(0);
  }

  it("keep the last data and say since when, why, and what to do", async () => {
    rounds = await writer.stop();
    await fleet.page.goto(stack.origin);
    await fleet.mark();
    await topic.mark();
    [countsBefore, stripBefore] = [await readCounts(fleet.rowOf(CLUSTER_ID, ACCOUNTS)), await strip().textContent()];
    keysBefore = await topic.figureText("#keys", "Distinct keys");
    await kafka.brokers[0]!.stop();
    await expectLastData();
    expect(await fleet.isMarked()).toBe(true);
    expect(await topic.isMarked()).toBe(true);
  });

  it("give the same to who comes only now", async () => {
    await Promise.all([fleet, topic].map(({ page }) => page.reload()));
    await expectLastData();
  });

  it("come back by themselves after the web process was restarted", async () => {
    await fleet.mark();
    await topic.mark();
    await stack.restartWeb(async () => {
      for (const { page } of [fleet, topic]) {
        await page.getByText("Not connected").waitFor(PATIENCE);
        await page.getByText("Keyfold does not answer. Check that it runs").waitFor(PATIENCE);
      }
      expect(await readCounts(fleet.rowOf(CLUSTER_ID, ACCOUNTS))).toBe(countsBefore);
    });
    for (const { page } of [fleet, topic])
      await page.getByText("Keyfold does not answer").waitFor({ state: "detached", timeout: PATIENCE.timeout });
    await expectLastData();
    expect(await fleet.isMarked()).toBe(true);
    expect(await topic.isMarked()).toBe(true);
  });

  it("are live again, figures and all, once the broker is started again", async () => {
    await kafka.brokers[0]!.start();
    for (const { page } of [fleet, topic])
      await page
        .locator("header")
        .getByText(/^Live,/)
        .waitFor(PATIENCE);
    expect(await topic.page.getByText(/^Last reading of/).count()).toBe(0);
    expect(await topic.page.locator("svg.strip.stale").count()).toBe(0);
    expect(await fleet.page.locator("#clusters").getByText(reason()).count()).toBe(0);
    const before = await readCounts(fleet.rowOf(CLUSTER_ID, ORDERS));
    writer = new SteadyWriter(kafka.servers, WRITTEN, rounds);
    await expect.poll(() => readCounts(fleet.rowOf(CLUSTER_ID, ORDERS)), PATIENCE).not.toBe(before);
    expect(await fleet.isMarked()).toBe(true);
    expect(await topic.isMarked()).toBe(true);
    expect(stack.complaints).toEqual([]);
  });
});
