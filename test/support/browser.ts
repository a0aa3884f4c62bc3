/** A real Chromium for tests: the system's own, without downloads and without calls home. */
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const CHROMIUM = process.env.KEYFOLD_TEST_CHROMIUM ?? "/usr/bin/chromium";
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS, timeout: 60_000 });

export interface WatchedPage {
  page: Page;
  /** Scripts that failed, and what React or the content security policy complained of, as they come. */
  complaints: string[];
  /** Closes the page and its session. */
  close(): Promise<void>;
}

/** A page in a session of its own; further pages of `page.context()` are watched as well. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options });
  const complaints = listComplaints(context);
  return { page: await context.newPage(), complaints, close: () => context.close() };
}

/** That an address can't be loaded is no complaint: tests stop the server. */
function listComplaints(context: BrowserContext): string[] {
  const complaints: string[] = [];
  context.on("weberror", (error) => complaints.push(error.error().message));
  context.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  return complaints;
}
