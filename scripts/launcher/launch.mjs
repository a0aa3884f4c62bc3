// The launcher's second half, on the pinned Node with packages: database, schema, build, demo, then web and worker, watched until the end.
import path from "node:path";
import { checkConfiguration } from "./configuration.mjs";
import { startDatabase } from "./database.mjs";
import { startDemo } from "./demo.mjs";
import { keepLogsSmall } from "./log-files.mjs";
import { migrate } from "./migrate.mjs";
import { createParts } from "./parts.mjs";
import { announceReadiness } from "./readiness.mjs";
import { ensureSecretFile } from "./secret-file.mjs";
import { endRecorded, pidFileOf } from "./service-process.mjs";
import { startWeb } from "./web.mjs";
import { buildWeb, generateClient } from "./web-build.mjs";
import { startWorker } from "./worker.mjs";

const LEFTOVERS = ["web", "worker", "demo-writer", "demo-kafka"];
const LEFTOVER_GRACE_MS = 8000;

/**
 * Starts everything and keeps it running until the wish to stop. `replaced` lets tests put small stand-ins in the place of the
 * application: {web, worker: {command, args}, prepare: async () => {}}.
 *
 * @returns {Promise<number>} the launcher's exit code
 */
export async function launch(instance, replaced = {}) {
  const { options, terminal, stopping, logFile } = instance;
  const parts = createParts(terminal);
  stopping.addEventListener("abort", () => terminal.line("Stopping …"), { once: true });
  keepLogsSmall(["web", "worker", "postgres", "demo-writer"].map(logFile));
  try {
    await startAll(instance, parts, replaced);
    await untilAborted(stopping);
    return 0;
  } catch (error) {
    if (stopping.aborted) return 0;
    terminal.mark("failed", error.message);
    return 1;
  } finally {
    await parts.stopAll();
    await instance.server.close();
    if (stopping.aborted) terminal.line(`Stopped. The data stay in ${options.dataFolder}.`);
  }
}

async function startAll(instance, parts, replaced) {
  const { options, progress, stopping, logFile } = instance;
  if (process.env.KEYFOLD_CONFIG) await checkConfiguration(process.env.KEYFOLD_CONFIG);
  await Promise.all(LEFTOVERS.map((name) => endRecorded(pidFileOf(options.dataFolder, name), LEFTOVER_GRACE_MS)));
  const secretFile = ensureSecretFile(options.dataFolder, process.env);
  const database = await startDatabase(instance, parts);
  const env = partEnvironment(instance, database, secretFile);
  await progress.run("migrations", "Bring the database schema up to date", async () => {
    const folder = path.join(options.root, "prisma", "migrations");
    const url = database.migrationUrl;
    const applied = await migrate({ url, applicationUrl: database.url, folder, signal: stopping });
    return applied.length > 0 ? `${applied.length} migrations applied` : "nothing to do";
  });
  const demo = startDemo(instance, parts, env);
  const prepared = prepare(instance, env, logFile, replaced);
  // Both are awaited below; until then a failure of one must not count as nobody's.
  for (const branch of [demo.configured, demo.settled, prepared.client, prepared.pages]) branch.catch(() => {});
  const worker = Promise.all([prepared.client, demo.settled]).then(async () => {
    stopping.throwIfAborted();
    await startWorker(instance, parts, { ...env, ...(await demo.configured) }, replaced.worker);
  });
  const web = Promise.all([prepared.pages, demo.configured]).then(async ([, configuration]) => {
    stopping.throwIfAborted();
    await startWeb(instance, parts, { ...env, ...configuration }, replaced.web);
  });
  await Promise.all([worker, web]);
  announceReadiness(instance);
}

/** The client is needed by both, the pages by web alone. */
function prepare({ options, progress, stopping, logFile: logOf }, env, logFile, { prepare: standIn }) {
  if (standIn) {
    const done = standIn();
    return { client: done, pages: done };
  }
  const { root } = options;
  const told = (made) => (made ? "" : "nothing changed");
  const client = progress.run("client", "Generate the database client", async () =>
    told(await generateClient({ root, env, logFile: logOf("prisma-generate"), signal: stopping })),
  );
  const pages = client.then(() =>
    progress.run("build", "Build the pages", async () =>
      told(await buildWeb({ root, env, logFile: logFile("next-build"), signal: stopping })),
    ),
  );
  return { client, pages };
}

function partEnvironment({ options, port }, database, secretFile) {
  const { DATABASE_MIGRATION_URL: _owner, ...inherited } = process.env;
  return {
    ...inherited,
    NODE_ENV: "production",
    NEXT_TELEMETRY_DISABLED: "1",
    PATH: [path.join(options.root, "node_modules", ".bin"), inherited.PATH].join(path.delimiter),
    PORT: String(port),
    DATABASE_URL: database.url,
    KEYFOLD_DATA: options.dataFolder,
    KEYFOLD_SECRET_FILE: secretFile,
  };
}

const untilAborted = (signal) =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", resolve, { once: true });
  });
