/** Worker processes for tests, over a database and a configuration file of the test's own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { watchParent } from "../../scripts/kafka/parent-watch.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");

export interface WorkerSettings {
  folder: string;
  databaseUrl: string;
  /** The configuration file's text; JSON is YAML. */
  config: unknown;
}

export const makeWorkerFolder = (): string => mkdtempSync(path.join(tmpdir(), "keyfold-test-worker-"));
export const removeWorkerFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

export class WorkerProcess {
  readonly #child: ChildProcess;
  #output = "";
  #hasExited = false;

  constructor({ folder, databaseUrl, config }: WorkerSettings) {
    const configPath = path.join(folder, "keyfold.yaml");
    const secretPath = path.join(folder, "secret");
    writeFileSync(configPath, JSON.stringify(config));
    writeFileSync(secretPath, new Uint8Array(32).fill(7), { mode: 0o600 });
    this.#child = spawn(process.execPath, ["lib/jobs/worker.ts"], {
      cwd: ROOT,
      env: {
        NODE_ENV: "production",
        PATH: process.env.PATH,
        DATABASE_URL: databaseUrl,
        KEYFOLD_CONFIG: configPath,
        KEYFOLD_SECRET_FILE: secretPath,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    watchParent(this.#child.pid!, { how: "kill" });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    }
    this.#child.once("exit", () => {
      this.#hasExited = true;
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** All that it wrote. */
  get output(): string {
    return this.#output;
  }

  /** Resolves with the exit code; null where a signal ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.#hasExited) return this.#child.exitCode;
    const exited = once(this.#child, "exit");
    this.#child.kill(signal);
    const [code] = await exited;
    return code as number | null;
  }

  /** Resolves with the exit code when it ends by itself. */
  async exited(): Promise<number | null> {
    if (!this.#hasExited) await once(this.#child, "exit");
    return this.#child.exitCode;
  }
}

/** Asks until there is an answer that is neither null nor false; rejects with `what` after `timeoutMs`. */
export async function waitFor<T>(what: string, ask: () => Promise<T | null | false>, timeoutMs = 60_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`Did not happen within ${timeoutMs} ms: ${what}`);
    await sleep(100);
  }
}
