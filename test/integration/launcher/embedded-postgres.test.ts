import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postgresUrl, preparePostgres, startPostgres } from "../../../scripts/launcher/embedded-postgres.mjs";
import { makeDataFolder, removeDataFolder } from "../../support/launcher.ts";
import { queryOnce } from "../../support/query-once.ts";

let dataFolder = "";
const { signal } = new AbortController();

beforeAll(() => {
  dataFolder = makeDataFolder();
  for (const name of ["run", "logs"]) mkdirSync(path.join(dataFolder, name));
});
afterAll(() => removeDataFolder(dataFolder));

test("a server that outlived its launcher is taken over, at the address that it has", async () => {
  const first = await preparePostgres({ dataFolder, signal });
  const running = await startPostgres(first);
  await queryOnce(postgresUrl(first), "CREATE TABLE kept (n int)");
  const second = await preparePostgres({ dataFolder, signal });
  const taken = await startPostgres(second);
  expect(taken).toMatchObject({ adopted: true, pid: running.pid });
  expect(second.port).toBe(first.port);
  expect(await queryOnce(postgresUrl(second), "SELECT count(*)::int AS n FROM kept")).toEqual([{ n: 0 }]);
  await taken.stop(10_000, "SIGINT");
  await running.exited;
});

test("after SIGKILL in the middle of writing, what was acknowledged is there and the folder is not held", async () => {
  const instance = await preparePostgres({ dataFolder, signal });
  const running = await startPostgres(instance);
  await queryOnce(postgresUrl(instance), "INSERT INTO kept SELECT generate_series(1, 1000)");
  process.kill(running.pid, "SIGKILL");
  // At once, while the old backends may still be there.
  const again = await startPostgres(instance);
  expect(await queryOnce(postgresUrl(instance), "SELECT count(*)::int AS n FROM kept")).toEqual([{ n: 1000 }]);
  await again.stop(10_000, "SIGINT");
});

test("a pid file that names another program's process keeps nothing from starting, and that process lives on", async () => {
  const instance = await preparePostgres({ dataFolder, signal });
  const stranger = spawn("sleep", ["600"]);
  const line = (text: string | number): string => `${text}\n`;
  writeFileSync(
    path.join(dataFolder, "postgres", "postmaster.pid"),
    [stranger.pid!, path.join(dataFolder, "postgres"), 1, 5432, "", "127.0.0.1"].map(line).join(""),
  );
  const running = await startPostgres(instance);
  expect(running.adopted).toBe(false);
  expect(await queryOnce(postgresUrl(instance), "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  expect(stranger.exitCode).toBeNull();
  stranger.kill();
  await running.stop(10_000, "SIGINT");
});

test("the server takes no connection without its password", async () => {
  const instance = await preparePostgres({ dataFolder, signal });
  const running = await startPostgres(instance);
  const url = new URL(postgresUrl(instance));
  url.password = "guess";
  await expect(queryOnce(url.href, "SELECT 1")).rejects.toThrow(/password authentication failed/);
  await running.stop(10_000, "SIGINT");
});
