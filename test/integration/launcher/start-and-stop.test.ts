import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  listAlive,
  listUsersOf,
  makeDataFolder,
  readRecorded,
  removeDataFolder,
  startedLauncher,
  startLauncher,
  startLauncherInShell,
  waitFor,
} from "../../support/launcher.ts";

const STOP_LIMIT_MS = 15_000;
let dataFolder = "";

beforeEach(() => {
  dataFolder = makeDataFolder();
});
afterEach(() => {
  for (const pid of listAlive(readRecorded(dataFolder).values())) process.kill(pid, "SIGKILL");
  removeDataFolder(dataFolder);
});

test("SIGTERM leaves no process behind, though an event stream is open and the web process does not listen to it", async () => {
  const launcher = await startedLauncher(dataFolder, { STAND_IN_IGNORES_SIGTERM: "yes" });
  const stream = await fetch(`${launcher.address}/stream`);
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  const parts = [...readRecorded(dataFolder)].map(([name]) => name).sort();
  expect(parts).toEqual(["launcher", "postgres", "web", "worker"]);
  const began = Date.now();
  launcher.child.kill("SIGTERM");
  expect(await launcher.exited).toBe(0);
  expect(Date.now() - began).toBeLessThan(STOP_LIMIT_MS);
  await waitFor(() => listUsersOf(dataFolder).length === 0, "the end of all processes");
  expect(readRecorded(dataFolder).size).toBe(0);
  await stream.body?.cancel().catch(() => {});
});

test("the secret is 32 random bytes that only its owner reads, and stays the same", async () => {
  const file = path.join(dataFolder, "secret");
  const first = await startedLauncher(dataFolder);
  const secret = readFileSync(file);
  first.child.kill("SIGINT");
  await first.exited;
  expect(secret).toHaveLength(32);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const second = await startedLauncher(dataFolder);
  expect(second.output()).toContain("nothing to do");
  expect(readFileSync(file).equals(secret)).toBe(true);
  second.child.kill("SIGTERM");
  await second.exited;
});

test("a second launcher on the same data folder is refused and changes nothing", async () => {
  const first = await startedLauncher(dataFolder);
  const before = readRecorded(dataFolder);
  const second = startLauncher(dataFolder);
  expect(await second.exited).toBe(1);
  expect(second.output()).toContain(`already runs on ${dataFolder} (process ${first.child.pid}`);
  expect(readRecorded(dataFolder)).toEqual(before);
  expect(listAlive(before.values())).toHaveLength(before.size);
  first.child.kill("SIGTERM");
  await first.exited;
});

test("a launcher killed with SIGKILL takes its parts along, and the next start goes on with its data", async () => {
  const first = await startedLauncher(dataFolder);
  const parts = [...readRecorded(dataFolder).values()];
  first.child.kill("SIGKILL");
  await first.exited;
  const second = await startedLauncher(dataFolder);
  expect(listAlive(parts)).toEqual([]);
  expect(second.output()).toContain("nothing to do");
  second.child.kill("SIGTERM");
  expect(await second.exited).toBe(0);
});

test("a launcher killed with SIGKILL and never started again leaves no process behind", async () => {
  const launcher = await startedLauncher(dataFolder);
  launcher.child.kill("SIGKILL");
  await launcher.exited;
  await waitFor(() => listUsersOf(dataFolder).length === 0, "the end of all processes");
});

test("the end of npm's shell ends the launcher and its parts", async () => {
  const launcher = startLauncherInShell(dataFolder);
  await launcher.waitForOutput(/answers at/);
  launcher.child.kill("SIGTERM");
  await waitFor(() => listUsersOf(dataFolder).length === 0, "the end of all processes");
  expect(launcher.output()).toContain("Stopped. The data stay");
});

test("a port that another program holds is named, with what to do", async () => {
  const first = await startedLauncher(dataFolder);
  const otherFolder = makeDataFolder();
  const { port } = new URL(first.address);
  const second = startLauncher(otherFolder, { PORT: port });
  expect(await second.exited).toBe(1);
  expect(second.output()).toContain(`Port ${port} is in use by another program. Set PORT to a free one.`);
  removeDataFolder(otherFolder);
  first.child.kill("SIGTERM");
  await first.exited;
});
