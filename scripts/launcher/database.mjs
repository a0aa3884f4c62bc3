// The database: the one that DATABASE_URL names, else an embedded Postgres.
import { postgresUrl, preparePostgres, startPostgres } from "./embedded-postgres.mjs";

/** @returns {Promise<{url: string, migrationUrl: string}>} what the application and what the migrations connect with */
export async function startDatabase({ options, progress, stopping }, parts) {
  const given = process.env.DATABASE_URL;
  if (given) return { url: given, migrationUrl: process.env.DATABASE_MIGRATION_URL || given };
  return progress.run("database", "Start the embedded Postgres", async (detail) => {
    const postgres = await preparePostgres({ dataFolder: options.dataFolder, signal: stopping });
    await parts.add({
      name: "database",
      details: `Log: ${postgres.logFile}`,
      // A fast shutdown: it ends sessions that are still open.
      signal: "SIGINT",
      start: async () => {
        const running = await startPostgres(postgres);
        if (running.adopted) detail("took over a server that outlived its launcher");
        return running;
      },
    });
    const url = postgresUrl(postgres);
    return { url, migrationUrl: url };
  });
}
