// Applies prisma/migrations in order, as `prisma migrate deploy` does, with its lock and its bookkeeping, over `pg` alone: the
// engine of that command is not on npm. Also a command: node scripts/launcher/migrate.mjs
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";

// The advisory lock that Prisma's own engine takes, so that both may be used on one database.
const LOCK_KEY = 72707369;
const CREATE_BOOKKEEPING = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;
const CONNECT_WAIT_MS = 60_000;
// Not there yet, or not taking connections yet (57P03): worth waiting for. Anything else is told at once.
const NOT_YET = new Set(["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "57P03"]);

/**
 * Brings the database to the newest schema; safe to call from several processes at once.
 *
 * @param {{url: string, folder: string, applicationUrl?: string, signal?: AbortSignal}} options `url`: of the owner;
 *   `applicationUrl`: what the application connects with; where that is another role, it is granted the use of what is made
 * @returns {Promise<string[]>} names of the migrations that were applied by this call
 */
export async function migrate({ url, folder, applicationUrl = url, signal }) {
  const client = await connect(url, signal);
  try {
    await client.query("SELECT pg_advisory_lock($1)", [LOCK_KEY]);
    await client.query(CREATE_BOOKKEEPING);
    await grantToApplication(client, url, applicationUrl);
    const done = await readApplied(client);
    const applied = [];
    for (const migration of readMigrations(folder)) {
      if (!isApplied(done, migration)) {
        await apply(client, migration);
        applied.push(migration.name);
      }
    }
    return applied;
  } finally {
    await client.end().catch(() => {});
  }
}

async function connect(url, signal) {
  const deadline = Date.now() + CONNECT_WAIT_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    client.on("error", () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      if (!NOT_YET.has(error.code) || Date.now() > deadline) {
        throw new Error(`The database can't be reached: ${error.message || error.code}. Check DATABASE_URL.`);
      }
      await sleep(500, undefined, { signal });
    }
  }
}

async function readApplied(client) {
  const { rows } = await client.query(
    "SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL",
  );
  const failed = rows.find((row) => row.finished_at === null);
  if (failed) {
    throw new Error(
      `Migration ${failed.migration_name} failed earlier. Repair the database, then mark it with prisma migrate resolve.`,
    );
  }
  return new Map(rows.map((row) => [row.migration_name, row.checksum]));
}

function readMigrations(folder) {
  const names = readdirSync(folder).filter((name) => existsSync(path.join(folder, name, "migration.sql")));
  return names.sort().map((name) => {
    const content = readFileSync(path.join(folder, name, "migration.sql"));
    return { name, sql: content.toString("utf8"), checksum: createHash("sha256").update(content).digest("hex") };
  });
}

function isApplied(done, { name, checksum }) {
  if (!done.has(name)) return false;
  if (done.get(name) !== checksum) throw new Error(`Migration ${name} was changed after it was applied. Restore it.`);
  return true;
}

async function apply(client, { name, sql, checksum }) {
  await client.query("BEGIN");
  try {
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw new Error(`Migration ${name}: ${error.message}`);
  }
}

/** Default privileges, not grants on what exists: what a migration revokes stays revoked. */
async function grantToApplication(client, url, applicationUrl) {
  const [owner, application] = [url, applicationUrl].map((text) => decodeURIComponent(new URL(text).username));
  if (application === "" || application === owner) return;
  const role = client.escapeIdentifier(application);
  await client.query(`GRANT USAGE ON SCHEMA public TO ${role}`);
  for (const what of [
    "USAGE ON SCHEMAS",
    "SELECT, INSERT, UPDATE, DELETE ON TABLES",
    "USAGE, SELECT ON SEQUENCES",
    "EXECUTE ON FUNCTIONS",
  ]) {
    await client.query(`ALTER DEFAULT PRIVILEGES GRANT ${what} TO ${role}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const applicationUrl = process.env.DATABASE_URL;
  const url = process.env.DATABASE_MIGRATION_URL || applicationUrl;
  if (!url) {
    process.stderr.write("Set DATABASE_URL (and DATABASE_MIGRATION_URL where the owner is another role).\n");
    process.exit(2);
  }
  const folder = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));
  try {
    const applied = await migrate({ url, applicationUrl: applicationUrl || url, folder });
    process.stdout.write(applied.length > 0 ? `Applied ${applied.join(", ")}.\n` : "The schema is up to date.\n");
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
