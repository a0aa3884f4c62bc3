/** All of the product over real brokers: a database, a worker process, a web process and a browser. */
import type { Browser, Page } from "playwright-core";
import { openPage, startBrowser, type WatchedPage } from "./browser.ts";
import type { KafkaCluster } from "./kafka-cluster.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";
import { startWebServer, type WebServer } from "./web-server.ts";
import { makeWorkerFolder, removeWorkerFolder, WorkerProcess } from "./worker-process.ts";

export const CLUSTER_ID = "e2e";

export interface FullStackOptions {
  /** Default: the product's own. */
  scanBytesPerSecond?: number;
}

export class FullStack {
  readonly #database: TestDatabase;
  readonly #folder: string;
  readonly #worker: WorkerProcess;
  readonly #browser: Browser;
  readonly #window: WatchedPage;
  #web: WebServer;

  private constructor(
    database: TestDatabase,
    folder: string,
    parts: { worker: WorkerProcess; web: WebServer; browser: Browser; window: WatchedPage },
  ) {
    this.#database = database;
    this.#folder = folder;
    this.#worker = parts.worker;
    this.#web = parts.web;
    this.#browser = parts.browser;
    this.#window = parts.window;
  }

  static async start(cluster: KafkaCluster, { scanBytesPerSecond }: FullStackOptions = {}): Promise<FullStack> {
    const database = await createTestDatabase();
    const folder = makeWorkerFolder();
    const budgets = scanBytesPerSecond === undefined ? {} : { budgets: { scanBytesPerSecond } };
    const servers = cluster.servers.split(",");
    const config = { clusters: [{ id: CLUSTER_ID, system: "kafka", servers, ...budgets }] };
    const web = await startWebServer(database.url);
    const worker = new WorkerProcess({ folder, databaseUrl: database.url, config });
    const browser = await startBrowser();
    return new FullStack(database, folder, { worker, web, browser, window: await openPage(browser) });
  }

  get origin(): string {
    return this.#web.origin;
  }

  /** What the browser complained of so far, on all pages. */
  get complaints(): readonly string[] {
    return this.#window.complaints;
  }

  /** A tab beside the others, of the same session. */
  openTab(): Promise<Page> {
    return this.#window.page.context().newPage();
  }

  /** Ends the web process, runs `meanwhile`, and starts its successor on the same port. */
  async restartWeb(meanwhile: () => Promise<void>): Promise<void> {
    const { port } = new URL(this.origin);
    await this.#web.stop();
    try {
      await meanwhile();
    } finally {
      this.#web = await startWebServer(this.#database.url, Number(port));
    }
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.#worker.end("SIGTERM");
    await this.#web.stop();
    await this.#database.drop();
    removeWorkerFolder(this.#folder);
  }
}
