/** The pages in a real browser, over a real Postgres that was written by the store's own functions. */
import AxeBuilder from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { paths } from "#lib/http/paths.ts";
import { openPage, startBrowser, type WatchedPage } from "#test/support/open-page.ts";
import { createTestDatabase, type TestDatabase } from "#test/support/postgres.ts";
import { HELD_TOPIC, pollOnce, seededTopics, seedFleet, UNMEASURED_TOPIC } from "#test/support/seeded-fleet.ts";
import { HOSTILE_NAMES } from "#test/support/view-fixtures.ts";
import { startWebServer, type WebServer } from "#test/support/web-server.ts";

let database: TestDatabase;
let server: WebServer;
let browser: Browser;

beforeAll(async () => {
  database = await createTestDatabase();
  await seedFleet(database.db);
  server = await startWebServer(database.url);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function visit(path: string, options: Parameters<typeof openPage>[1] = {}): Promise<WatchedPage> {
  const opened = await openPage(browser, options);
  await opened.page.goto(`${server.origin}${path}`, { waitUntil: "load" });
  // What is pressed before the scripts run is lost.
  if (options.javaScriptEnabled !== false) await opened.page.locator("html[data-interactive]").waitFor();
  return opened;
}

const heldPage = paths.topic("prod-eu1", HELD_TOPIC);
const heading = async (page: Page): Promise<string> =>
  (await page.getByRole("heading", { level: 1 }).textContent()) ?? "";

describe("the fleet page", () => {
  it("comes from the server complete, before any script runs", async () => {
    const { page, close } = await visit("/", { javaScriptEnabled: false });
    expect(await heading(page)).toMatch(/^\d+ of 12 compacted topics need attention$/);
    expect(await page.getByRole("link", { name: HELD_TOPIC }).count()).toBe(1);
    expect(await page.locator("svg.strip").count()).toBeGreaterThan(8);
    await close();
  });

  it("is moved through and opened by keys alone", async () => {
    const { page, close } = await visit("/");
    await page.keyboard.press("/");
    await page.keyboard.type("shipping");
    await page.getByText("1 of 12 shown").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.locator("tr[data-selected]").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**${heldPage}`);
    expect(await heading(page)).toContain("An open transaction holds partition 3");
    await close();
  });

  it("keeps filter and order in the address", async () => {
    const { page, close } = await visit("/?cluster=prod-ap1&sort=topic");
    const names = await page.locator("tbody a").allInnerTexts();
    expect(names).toEqual([...names].sort());
    expect(names).toHaveLength(4);
    const sorted = page.getByRole("columnheader", { name: "Topic" });
    expect(await sorted.getAttribute("aria-sort")).toBe("ascending");
    await sorted.getByRole("button").click();
    await page.waitForURL(/order=desc/);
    await close();
  });

  it("takes a change of the store without a reload", async () => {
    const { page, close } = await visit("/");
    await page.getByText("12 of 12 shown").waitFor();
    const added = { ...seededTopics()[8]!, name: "added.meanwhile", cluster: "prod-ap1" };
    const kept = seededTopics().filter((topic) => topic.cluster === "prod-ap1");
    await pollOnce(database.db, "prod-ap1", [...kept, added], Date.now());
    await page.getByRole("link", { name: "added.meanwhile" }).waitFor();
    await close();
  });

  it("reads one stream for two tabs", async () => {
    const { page, close } = await visit("/");
    const second = await page.context().newPage();
    const streams: string[] = [];
    second.on("request", (request) => {
      if (request.url().endsWith(paths.api.events())) streams.push(request.url());
    });
    await second.goto(server.origin, { waitUntil: "load" });
    await second.getByText("shown").waitFor();
    expect(await second.evaluate(async () => (await navigator.locks.query()).held?.length)).toBe(1);
    expect(streams).toEqual([]);
    await close();
  });
});

describe("the topic page", () => {
  it("shows verdict, remedy, every partition, and the replicas that differ", async () => {
    const { page, close } = await visit(heldPage);
    expect(await page.title()).toBe(`${HELD_TOPIC} · Keyfold`);
    expect(await page.locator("code").first().textContent()).toContain("find-hanging");
    expect(await page.getByText("Partition 5 on each replica").count()).toBe(1);
    expect(await page.getByText("Partition 4 on each replica").count()).toBe(0);
    expect(await page.locator("#log tbody > tr").count()).toBe(8);
    await close();
  });

  it("never prints an offset span as records", async () => {
    const { page, close } = await visit(heldPage);
    const text = await page.locator("#keys").textContent();
    expect(text).toMatch(/Ever written≤/);
    expect(text).toContain("by offset span, upper bound");
    await close();
  });

  it("reads the marks of the opened strip by the arrow keys, and lists them as a table", async () => {
    const { page, close } = await visit(heldPage);
    await page.getByRole("group", { name: "Partition 3 by offset" }).focus();
    for (const _ of [1, 2]) await page.keyboard.press("ArrowRight");
    await page.getByText(/^Clean point: 22/).waitFor();
    await page.getByRole("radio", { name: "Table" }).click();
    expect(await page.getByRole("rowheader", { name: "Open transaction from" }).count()).toBe(1);
    await close();
  });

  it("orders a scan, shows that it waits, and cancels it", async () => {
    const { page, complaints, close } = await visit(paths.topic("prod-ap1", UNMEASURED_TOPIC));
    expect(await heading(page)).toBe("Not measured yet.");
    await page.getByRole("button", { name: "Measure now" }).click();
    await page.getByText("Waiting for its turn").waitFor();
    expect(await database.query("SELECT state FROM scan_request")).toEqual([{ state: "queued" }]);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("last scan cancelled").waitFor();
    expect(await database.query("SELECT state FROM scan_request")).toEqual([{ state: "cancelled" }]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("says as of when it is where the cluster does not answer", async () => {
    const { page, close } = await visit(paths.topic("stage-eu1", "partner.feed.assets"));
    expect(await page.getByText("Broker 2 (stage-2:9092) refuses connections").count()).toBe(1);
    expect(await page.locator("svg.strip.stale").count()).toBeGreaterThan(0);
    await close();
  });

  it("keeps the last data of a topic that is gone, says since when, and turns measuring off", async () => {
    const left = seededTopics().filter(
      ({ cluster, name }) => cluster === "prod-ap1" && name !== "pricing.catalog.by-sku",
    );
    const { page, close } = await visit(paths.topic("prod-ap1", "pricing.catalog.by-sku"));
    // A second poll that leaves it out confirms that it is gone.
    for (const _ of [1, 2]) await pollOnce(database.db, "prod-ap1", left, Date.now());
    await page.getByText("This topic is gone from prod-ap1").waitFor();
    const measure = page.getByRole("button", { name: "Measure now" });
    expect(await measure.getAttribute("aria-disabled")).toBe("true");
    expect(await page.getByText("off: the topic is gone").count()).toBe(1);
    expect(await page.locator("#log svg.strip").count()).toBeGreaterThan(0);
    await close();
  });

  it("answers 404, with a way on, for what was never seen", async () => {
    const { page, close } = await openPage(browser);
    const answer = await page.goto(`${server.origin}${paths.topic("prod-eu1", "never.seen")}`);
    expect(answer?.status()).toBe(404);
    await page.getByRole("link", { name: "Look it up in the fleet" }).click();
    await page.waitForURL(`${server.origin}/`);
    await close();
  });
});

describe("hostile names", () => {
  it.each(HOSTILE_NAMES)("break neither fleet nor topic page: %j", async (name) => {
    const { page, complaints, close } = await visit("/");
    expect(await page.locator("img").count()).toBe(0);
    await page.goto(`${server.origin}${paths.topic("prod-eu1", name)}`, { waitUntil: "load" });
    expect(await heading(page)).toBe("It is being compacted.");
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(await page.locator("main").textContent()).not.toMatch(/[\p{Cf}]/u);
    expect(complaints).toEqual([]);
    const byQuery = `${server.origin}/clusters/prod-eu1/topics?name=${encodeURIComponent(name)}`;
    await page.goto(byQuery, { waitUntil: "load" });
    expect(await heading(page)).toBe("It is being compacted.");
    await close();
  });
});

const PAGES = ["/", heldPage, paths.topic("prod-ap1", UNMEASURED_TOPIC), paths.topic("prod-eu1", "never.seen")];

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  it.each(PAGES)("axe finds nothing on %s, and nothing needs scrolling sideways", async (path) => {
    for (const width of [1440, 390, 320]) {
      const { page, close } = await visit(path, { colorScheme, viewport: { width, height: 800 } });
      const { violations } = await new AxeBuilder({ page })
        .withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"])
        .analyze();
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
      );
      expect(found).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
        0,
      );
      await close();
    }
  });
});

describe("the shell", () => {
  it("sends nothing elsewhere and refuses what is not its own", async () => {
    const { page, complaints, close } = await openPage(browser);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const answer = await page.goto(`${server.origin}${heldPage}`, { waitUntil: "load" });
    const headers = answer?.headers() ?? {};
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["content-security-policy"]).not.toMatch(/script-src[^;]*unsafe/);
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["x-powered-by"]).toBeUndefined();
    expect(asked.filter((url) => !url.startsWith(server.origin))).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("skips to the content by the first key", async () => {
    const { page, close } = await visit("/");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await close();
  });
});

// Last: from here on there is no database.
describe("without its database", () => {
  it("keeps what it shows and says that it can't be read again; a new page names the remedy", async () => {
    const { page, close } = await visit(heldPage);
    await page.getByText("An open transaction holds").waitFor();
    await database.drop();
    await page.getByText("it can't be read again").waitFor({ timeout: 90_000 });
    expect(await heading(page)).toContain("An open transaction holds");
    await page.goto(`${server.origin}/`, { waitUntil: "load" });
    await page.getByText("This page could not be read from the database").waitFor();
    await page.getByText("DATABASE_URL").first().waitFor();
    await close();
  });
});
