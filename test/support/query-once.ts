import pg from "pg";

/** Runs one statement over a connection of its own. */
export async function queryOnce(url: string, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  // The database may be dropped under it: the statement fails then, not the process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
