import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  makeDataFolder,
  type RunningLauncher,
  readRecorded,
  removeDataFolder,
  startedLauncher,
  waitFor,
} from "../../support/launcher.ts";

let dataFolder = "";
let launcher: RunningLauncher & { address: string };

beforeAll(async () => {
  dataFolder = makeDataFolder();
  launcher = await startedLauncher(dataFolder);
});
afterAll(async () => {
  launcher.child.kill("SIGTERM");
  await launcher.exited;
  removeDataFolder(dataFolder);
});

const pidOf = (name: string): number | undefined => readRecorded(dataFolder).get(name)?.pid;

/** Kills a part, and resolves with the pid of the one that took its place. */
async function killAndWait(name: string): Promise<number> {
  const before = pidOf(name)!;
  process.kill(before, "SIGKILL");
  return waitFor(() => {
    const now = pidOf(name);
    return now !== undefined && now !== before && now;
  }, `another ${name}`);
}

test("a killed worker is reported and started again", async () => {
  await killAndWait("worker");
  await launcher.waitForOutput(/worker ended \(signal SIGKILL\); it is started again\. Log: \S+worker\.log/);
  await launcher.waitForOutput(/worker runs again/);
});

test("while a killed web process is down the port says so, and then answers again", async () => {
  const pid = pidOf("web")!;
  process.kill(pid, "SIGKILL");
  const unready = await waitForAnswer((response) => response.status === 503);
  expect(await unready.json()).toMatchObject({ ready: false, reasons: [expect.stringContaining("started again")] });
  const ready = await waitForAnswer((response) => response.status === 200);
  expect((await ready.json()).pid).not.toBe(pid);
});

async function waitForAnswer(isWanted: (response: Response) => boolean): Promise<Response> {
  let found: Response | null = null;
  const ask = async (): Promise<void> => {
    while (found === null) {
      const response = await fetch(`${launcher.address}/api/ready`).catch(() => null);
      if (response && isWanted(response)) found = response;
    }
  };
  await Promise.race([ask(), waitFor(() => found, "the answer")]);
  return found!;
}

test("a database that dies alone comes back on its port", async () => {
  const portBefore = readPostgresPort();
  await killAndWait("postgres");
  await launcher.waitForOutput(/database runs again/);
  expect(readPostgresPort()).toBe(portBefore);
});

/** Line 4 of Postgres' own pid file. */
const readPostgresPort = (): string | undefined =>
  readFileSync(path.join(dataFolder, "postgres", "postmaster.pid"), "utf8").split("\n")[3];

test("web and worker are not given the address of the database's owner", async () => {
  const answer = await waitForAnswer((response) => response.status === 200);
  expect((await answer.json()).hasOwner).toBe(false);
});
