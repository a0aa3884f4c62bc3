/** The pages as they ship: Next's production build (made where the sources changed) over a given database. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { findFreePorts } from "#scripts/kafka/kafka-process.mjs";
import { watchParent } from "#scripts/kafka/parent-watch.mjs";
import { buildWeb, generateClient } from "#scripts/launcher/web-build.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");
const READY_WAIT_MS = 60_000;

export interface WebServer {
  /** Such as `http://127.0.0.1:40123`. */
  origin: string;
  stop(): Promise<void>;
}

/** @param successorPort that of an earlier server, where this one takes its place; default: a free port */
export async function startWebServer(databaseUrl: string, successorPort?: number): Promise<WebServer> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    NEXT_TELEMETRY_DISABLED: "1",
    NODE_ENV: "production",
  };
  const folder = path.join(tmpdir(), `keyfold-test-web-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const logFile = path.join(folder, "next-build.log");
  const { signal } = new AbortController();
  await generateClient({ root: ROOT, env, logFile, signal });
  await buildWeb({ root: ROOT, env, logFile, signal });
  const port = successorPort ?? (await findFreePorts(1))[0];
  const next = path.join(ROOT, "node_modules", "next", "dist", "bin", "next");
  const server = spawn(process.execPath, [next, "start", "-H", "127.0.0.1", "-p", String(port)], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: string[] = [];
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => log.push(String(text)));
  const exited = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  watchParent(server.pid as number, { how: "kill", remove: folder });
  const origin = `http://127.0.0.1:${port}`;
  await waitUntilAlive(origin, exited, log);
  return {
    origin,
    stop: async () => {
      server.kill("SIGTERM");
      const timer = setTimeout(() => server.kill("SIGKILL"), 5_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function waitUntilAlive(origin: string, exited: Promise<void>, log: readonly string[]): Promise<void> {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  const deadline = Date.now() + READY_WAIT_MS;
  while (!ended && Date.now() < deadline) {
    const answer = await fetch(`${origin}/api/health`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The web server did not start:\n${log.join("")}`);
}
