import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "../../generated/prisma/client.ts";

export type Db = PrismaClient;
/** What runs inside or outside a transaction alike. */
export type DbSession = Omit<Db, "$connect" | "$disconnect" | "$on" | "$use" | "$extends" | "$transaction">;

const POOL_SIZE_MAX = 8;

/** @param url a Postgres connection string; it is never logged. */
export function openDb(url: string): Db {
  const adapter = new PrismaPg({
    connectionString: url,
    max: POOL_SIZE_MAX,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
  });
  const db = new PrismaClient({ adapter, log: [] });
  urlsOfProcess().set(db, url);
  return db;
}

// Next evaluates a module once per bundle; the connection pool is one per process, and so is what is known about it.
const holder = globalThis as { keyfoldDb?: Db; keyfoldDbUrls?: WeakMap<Db, string> };

function urlsOfProcess(): WeakMap<Db, string> {
  holder.keyfoldDbUrls ??= new WeakMap();
  return holder.keyfoldDbUrls;
}

/** For what needs a connection of its own beside Prisma's: the job queue and listening. */
export function databaseUrlOf(db: Db): string {
  const url = urlsOfProcess().get(db);
  if (url === undefined) throw new Error("This database was not opened by openDb.");
  return url;
}

export function readDatabaseUrl(env: Record<string, string | undefined> = process.env): string {
  const url = env.DATABASE_URL;
  if (!url) throw new Error("DATABASE_URL is not set. Start with `npm start`, or set it to a Postgres 15 or newer.");
  return url;
}

/** The connection of this process, opened at first use. */
export function getDb(): Db {
  holder.keyfoldDb ??= openDb(readDatabaseUrl());
  return holder.keyfoldDb;
}
