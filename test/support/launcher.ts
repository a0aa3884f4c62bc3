/** Runs the launcher with small stand-ins for web and worker, on a free port and a data folder of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isSameProcess } from "../../scripts/launcher/process-identity.mjs";

const SCRIPT = fileURLToPath(new URL("./launcher-with-stand-ins.mjs", import.meta.url));
const WAIT_MS = 60_000;

export interface RecordedProcess {
  pid: number;
  startTime: string;
}

export interface RunningLauncher {
  child: ChildProcess;
  output: () => string;
  /** Resolves with the first match in what the launcher printed; rejects where it ends or takes too long. */
  waitForOutput: (pattern: RegExp) => Promise<RegExpMatchArray>;
  exited: Promise<number | null>;
}

export const makeDataFolder = (): string => mkdtempSync(path.join(tmpdir(), "keyfold-launcher-"));
export const removeDataFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

export function startLauncher(dataFolder: string, env: Record<string, string> = {}): RunningLauncher {
  return watchLauncher(process.execPath, [SCRIPT, "--demo", "none"], dataFolder, env);
}

/** As npm does it where its shell does not replace itself by the program: a signal to the shell ends the shell alone. */
export function startLauncherInShell(dataFolder: string): RunningLauncher {
  const script = `"${process.execPath}" "${SCRIPT}" --demo none; exit $?`;
  return watchLauncher("/bin/sh", ["-c", script], dataFolder, { npm_lifecycle_event: "start" });
}

function watchLauncher(
  command: string,
  args: string[],
  dataFolder: string,
  env: Record<string, string>,
): RunningLauncher {
  const { DATABASE_URL: _url, KEYFOLD_CONFIG: _config, ...inherited } = process.env;
  const child = spawn(command, args, {
    env: { ...inherited, KEYFOLD_DATA: dataFolder, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const exited = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  let ended = false;
  exited.then(() => {
    ended = true;
  });
  const waitForOutput = (pattern: RegExp): Promise<RegExpMatchArray> =>
    waitFor(
      () => output.match(pattern),
      `${pattern} in the launcher's output`,
      () => {
        if (ended) throw new Error(`The launcher ended:\n${output}`);
      },
    );
  return { child, output: () => output, waitForOutput, exited };
}

/** Starts it and waits until web and worker run. @returns with the address of the pages */
export async function startedLauncher(
  dataFolder: string,
  env?: Record<string, string>,
): Promise<RunningLauncher & { address: string }> {
  const launcher = startLauncher(dataFolder, env);
  const [, address] = await launcher.waitForOutput(/answers at (http:\S+)/);
  return { ...launcher, address: address! };
}

/** What the pid files of the data folder record: name → process. */
export function readRecorded(dataFolder: string): Map<string, RecordedProcess> {
  const folder = path.join(dataFolder, "run");
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  return new Map(
    files.map((name) => [name.replace(".json", ""), JSON.parse(readFileSync(path.join(folder, name), "utf8"))]),
  );
}

export const listAlive = (processes: Iterable<RecordedProcess>): number[] =>
  [...processes].filter((recorded) => isSameProcess(recorded)).map(({ pid }) => pid);

/** The processes that work on a data folder: their command line or environment names it. */
export function listUsersOf(dataFolder: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && mentions(pid, dataFolder));
}

function mentions(pid: number, text: string): boolean {
  return ["cmdline", "environ"].some((file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "latin1").includes(text);
    } catch {
      return false;
    }
  });
}

/** Looks until there is a value; the deadline is a limit for a broken program, not a pause. */
export async function waitFor<T>(
  look: () => T | null | undefined | false,
  what: string,
  check: () => void = () => {},
): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  while (Date.now() < deadline) {
    const found = look();
    if (found) return found;
    check();
    await sleep(50);
  }
  throw new Error(`Waited ${WAIT_MS / 1000} s in vain for ${what}`);
}
