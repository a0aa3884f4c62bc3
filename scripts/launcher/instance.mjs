// What one run of the launcher holds from its first second on: the data folder's lock, the port with its progress page, the
// terminal, and the wish to stop. Runs on the system's Node, before anything is installed.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { inheritInstanceLock, releaseInstanceLock, takeInstanceLock } from "./instance-lock.mjs";
import { createProgress, createTerminal } from "./progress.mjs";
import { openProgressServer } from "./progress-server.mjs";

export const HANDOVER_VARIABLE = "KEYFOLD_LAUNCHER_HANDOVER";
export const HANDOVER_FD = 3;
const PARENT_CHECK_MS = 500;

/** Thrown for what the user can put right; the message says how. */
export class StartRefusedError extends Error {}

/**
 * @param {{options: {root: string, port: number, dataFolder: string, demo: string}, env: NodeJS.ProcessEnv,
 *   handover?: {port: number, progress: object}}} start `handover`: from the process that this one was re-executed by
 */
export async function openInstance({ options, env, handover }) {
  const terminal = createTerminal(process.stdout, env);
  const progress = createProgress(terminal, { resumed: handover?.progress });
  mkdirSync(path.join(options.dataFolder, "run"), { recursive: true });
  mkdirSync(path.join(options.dataFolder, "logs"), { recursive: true });
  const lockFile = path.join(options.dataFolder, "run", "launcher.json");
  const address = `http://127.0.0.1:${handover?.port ?? options.port}`;
  if (handover) inheritInstanceLock(lockFile, address);
  else takeLock(lockFile, address, options.dataFolder);
  const server = await openPort(handover ? { fd: HANDOVER_FD } : { port: options.port }, progress, lockFile);
  return {
    ...{ options, terminal, progress, server, port: server.port },
    stopping: watchForStop(env),
    logFile: (name) => path.join(options.dataFolder, "logs", `${name}.log`),
    release: () => releaseInstanceLock(lockFile),
  };
}

function takeLock(lockFile, address, dataFolder) {
  const lock = takeInstanceLock(lockFile, address);
  if (lock.taken) return;
  const { pid, address: where } = lock.holder;
  throw new StartRefusedError(
    `Keyfold already runs on ${dataFolder} (process ${pid}, ${where}). Stop it, or set KEYFOLD_DATA to another folder.`,
  );
}

async function openPort(where, progress, lockFile) {
  try {
    return await openProgressServer(where, progress);
  } catch (error) {
    releaseInstanceLock(lockFile);
    if (error.code === "EADDRINUSE") {
      throw new StartRefusedError(`Port ${where.port} is in use by another program. Set PORT to a free one.`);
    }
    if (error.code === "EACCES")
      throw new StartRefusedError(`Port ${where.port} may not be opened. Set PORT to another.`);
    throw error;
  }
}

/** Aborted by the first Ctrl-C, SIGTERM or closed terminal; later ones change nothing, the end is on its way. */
function watchForStop(env) {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => stopping.abort());
  }
  if (env.npm_lifecycle_event) endWithParent();
  // A terminal that is gone must not end the launcher before its parts.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  return stopping.signal;
}

/** npm passes a SIGTERM on to the shell that it runs a script in, and some shells end without passing it on. */
function endWithParent() {
  const parent = process.ppid;
  const look = () => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  };
  setInterval(look, PARENT_CHECK_MS).unref();
}
