import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postgresUrl, preparePostgres, startPostgres } from "../../../scripts/launcher/embedded-postgres.mjs";
import { migrate } from "../../../scripts/launcher/migrate.mjs";
import { makeDataFolder, removeDataFolder } from "../../support/launcher.ts";
import { queryOnce } from "../../support/query-once.ts";

const MIGRATIONS = fileURLToPath(new URL("../../../prisma/migrations", import.meta.url));
let dataFolder = "";
let instance: Awaited<ReturnType<typeof preparePostgres>>;
let running: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  dataFolder = makeDataFolder();
  for (const name of ["run", "logs"]) mkdirSync(path.join(dataFolder, name));
  instance = await preparePostgres({ dataFolder, signal: new AbortController().signal });
  running = await startPostgres(instance);
});
afterAll(async () => {
  await running.stop(10_000, "SIGINT");
  removeDataFolder(dataFolder);
});

async function makeDatabase(name: string): Promise<string> {
  await queryOnce(postgresUrl(instance), `CREATE DATABASE ${name}`);
  return postgresUrl(instance, name);
}

function makeMigrations(name: string, migrations: Record<string, string>): string {
  const folder = path.join(dataFolder, name);
  for (const [migration, sql] of Object.entries(migrations)) {
    mkdirSync(path.join(folder, migration), { recursive: true });
    writeFileSync(path.join(folder, migration, "migration.sql"), sql);
  }
  return folder;
}

test("the product's own migrations are applied once, however often they are run", async () => {
  const url = await makeDatabase("twice");
  const applied = await migrate({ url, folder: MIGRATIONS });
  expect(applied.length).toBeGreaterThan(0);
  expect(applied).toEqual([...applied].sort());
  expect(await migrate({ url, folder: MIGRATIONS })).toEqual([]);
  const rows = await queryOnce(url, "SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL");
  expect(rows.map((row) => row.migration_name)).toEqual(applied);
});

test("three that start at once apply each migration once, and none fails", async () => {
  const url = await makeDatabase("thrice");
  const results = await Promise.all([1, 2, 3].map(() => migrate({ url, folder: MIGRATIONS })));
  const once = await queryOnce(url, "SELECT migration_name FROM _prisma_migrations ORDER BY 1");
  expect(results.flat().sort()).toEqual(once.map((row) => row.migration_name));
});

test("a migration that fails leaves nothing of itself, and the next run tries it again", async () => {
  const url = await makeDatabase("failing");
  const folder = makeMigrations("failing", {
    "0001_good": "CREATE TABLE good (n int)",
    "0002_bad": "CREATE TABLE half (n int); SELECT no_such_function()",
  });
  await expect(migrate({ url, folder })).rejects.toThrow(/Migration 0002_bad: .*no_such_function/);
  expect(await queryOnce(url, "SELECT to_regclass('half') AS half")).toEqual([{ half: null }]);
  makeMigrations("failing", { "0002_bad": "CREATE TABLE half (n int)" });
  expect(await migrate({ url, folder })).toEqual(["0002_bad"]);
});

test("a migration that was changed after it was applied is refused", async () => {
  const url = await makeDatabase("changed");
  const folder = makeMigrations("changed", { "0001_first": "CREATE TABLE first (n int)" });
  await migrate({ url, folder });
  makeMigrations("changed", { "0001_first": "CREATE TABLE first (n bigint)" });
  await expect(migrate({ url, folder })).rejects.toThrow("Migration 0001_first was changed after it was applied");
});

test("an application role reads and writes what the owner makes, and can't change the schema", async () => {
  const url = await makeDatabase("roles");
  await queryOnce(url, "CREATE ROLE application LOGIN PASSWORD 'application'");
  const applicationUrl = Object.assign(new URL(url), { username: "application", password: "application" }).href;
  const folder = makeMigrations("roles", {
    "0001_first": "CREATE TABLE entry (id bigserial, n int); CREATE SCHEMA extra; CREATE TABLE extra.entry (n int)",
    "0002_revoke": "CREATE TABLE sealed (n int); REVOKE UPDATE, DELETE ON sealed FROM application",
  });
  await migrate({ url, applicationUrl, folder });
  await queryOnce(applicationUrl, "INSERT INTO entry (n) VALUES (1); INSERT INTO extra.entry VALUES (1)");
  await queryOnce(applicationUrl, "INSERT INTO sealed VALUES (1)");
  await migrate({ url, applicationUrl, folder });
  await expect(queryOnce(applicationUrl, "UPDATE sealed SET n = 2")).rejects.toThrow(/permission denied/);
  await expect(queryOnce(applicationUrl, "CREATE TABLE more (n int)")).rejects.toThrow(/permission denied/);
});

test("a database that can't be reached is named by its variable, without the password", async () => {
  const url = Object.assign(new URL(postgresUrl(instance)), { password: "guess-me" }).href;
  const failure = migrate({ url, folder: MIGRATIONS });
  await expect(failure).rejects.toThrow(/can't be reached: .* Check DATABASE_URL/);
  await expect(failure).rejects.not.toThrow(/guess-me/);
});
