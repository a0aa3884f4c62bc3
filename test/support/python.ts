/** A Python of our own with the packages of `requirements.txt`: the independent producer and the truth run on it. */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { keyfoldDataDir, MissingProgramsError, runProgram } from "../../scripts/kafka/install-kafka.mjs";

const REQUIREMENTS = fileURLToPath(new URL("./requirements.txt", import.meta.url));

const exists = async (file: string): Promise<boolean> => (await stat(file).catch(() => null)) !== null;

async function run(program: string, args: string[]): Promise<void> {
  const { code, output } = await runProgram(program, args);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${output.trim().slice(-2000)}`);
}

async function createEnvironment(folder: string): Promise<void> {
  const arriving = `${folder}-${process.pid}`;
  await mkdir(path.dirname(folder), { recursive: true });
  const venv = await runProgram("python3", ["-m", "venv", arriving]);
  if (venv.code !== 0) throw new MissingProgramsError(["python3 with venv"], ["python3-venv"]);
  try {
    await run(path.join(arriving, "bin", "python"), ["-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS]);
    await rename(arriving, folder);
  } catch (error) {
    if (!(await exists(folder))) throw error;
  } finally {
    await rm(arriving, { recursive: true, force: true });
  }
}

let ready: Promise<string> | undefined;

/** @returns path of the Python interpreter; the environment is made once and kept in Keyfold's data folder */
export function ensurePython(): Promise<string> {
  ready ??= (async () => {
    const version = createHash("sha256")
      .update(await readFile(REQUIREMENTS))
      .digest("hex")
      .slice(0, 12);
    const folder = path.join(keyfoldDataDir(), "python", version);
    const python = path.join(folder, "bin", "python");
    if (!(await exists(python))) await createEnvironment(folder);
    return python;
  })();
  return ready;
}
