/**
 * A real Postgres for tests: one server for all test files of a run, a database for each that asks, cloned from a
 * template to which the migrations were applied once. The server and its folder end with the test process.
 */
import { chmodSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Db, openDb } from "#lib/platform/db.ts";
import { watchParent } from "../../scripts/kafka/parent-watch.mjs";
import { postgresUrl, preparePostgres, startPostgres } from "../../scripts/launcher/embedded-postgres.mjs";
import { migrate } from "../../scripts/launcher/migrate.mjs";
import { queryOnce } from "./query-once.ts";

const TEMPLATE = "keyfold_template";
const MIGRATIONS = path.resolve(import.meta.dirname, "../../prisma/migrations");
const KEY = Symbol.for("keyfold.test.postgres");
type Shared = typeof globalThis & { [KEY]?: Promise<{ urlOf: (database: string) => string; made: number }> };

export interface TestDatabase {
  url: string;
  db: Db;
  /** Over a connection of its own. */
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
}

async function startServer() {
  const folder = mkdtempSync(path.join(tmpdir(), "keyfold-test-postgres-"));
  for (const part of ["logs", "run"]) mkdirSync(path.join(folder, part));
  chmodSync(folder, 0o755);
  const instance = await preparePostgres({ dataFolder: folder, signal: undefined });
  const server = await startPostgres(instance);
  watchParent(server.pid, { how: "kill", remove: folder });
  const urlOf = (database: string): string => postgresUrl(instance, database);
  // Nothing has to survive a crash here.
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes"]) {
    await queryOnce(urlOf("postgres"), `ALTER SYSTEM SET ${setting} = off`);
  }
  await queryOnce(urlOf("postgres"), "SELECT pg_reload_conf()");
  await queryOnce(urlOf("postgres"), `CREATE DATABASE ${TEMPLATE}`);
  await migrate({ url: urlOf(TEMPLATE), folder: MIGRATIONS });
  return { urlOf, made: 0 };
}

/** A database of its own with the newest schema. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const scope = globalThis as Shared;
  scope[KEY] ??= startServer();
  const server = await scope[KEY];
  const name = `test_${process.pid}_${++server.made}`;
  await queryOnce(server.urlOf("postgres"), `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  const url = server.urlOf(name);
  const db = openDb(url);
  return {
    url,
    db,
    query: (sql, values) => queryOnce(url, sql, values),
    drop: async () => {
      await db.$disconnect();
      await queryOnce(server.urlOf("postgres"), `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
