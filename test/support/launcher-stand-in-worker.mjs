// Stands in for the worker: holds a session of the database, and ends on SIGTERM by default.
import pg from "pg";

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
client.on("error", () => process.exit(1));
await client.connect();
await client.query("SELECT 1");
