// @ts-check
/**
 * Fetches an unmodified Apache Kafka from Maven Central, once per version, for the demo and the tests.
 * Plain JavaScript: it runs before anything is installed.
 */
import { spawn } from "node:child_process";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Release that each tested minor version stands for. */
export const KAFKA_RELEASES = { 4.4: "4.4.0", 3.9: "3.9.1" };

const POM = fileURLToPath(new URL("./pom.xml", import.meta.url));
const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/** Where everything lives that Keyfold downloads or starts: `KEYFOLD_DATA`, else `.keyfold` beside package.json. */
export const keyfoldDataDir = () => path.resolve(process.env.KEYFOLD_DATA || path.join(REPOSITORY, ".keyfold"));

/** Thrown where programs of the operating system are missing; `packages` are Debian's names. */
export class MissingProgramsError extends Error {
  /** @param {string[]} programs @param {string[]} packages */
  constructor(programs, packages) {
    super(`${programs.join(" and ")} not found. On Debian or Ubuntu: apt-get install ${packages.join(" ")}`);
    this.name = "MissingProgramsError";
    this.packages = packages;
  }
}

/** @param {string} program @param {string[]} args @param {(line: string) => void} [log] @returns {Promise<{code: number | null, output: string}>} */
export function runProgram(program, args, log) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
        for (const line of text.split("\n")) if (line.trim()) log?.(line);
      });
    }
    child.on("error", (error) => resolve({ code: null, output: error.message }));
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** Which of the programs that Kafka needs are missing: [] or Debian's package names. */
export async function listMissingKafkaPackages() {
  const [java, maven] = await Promise.all([runProgram("java", ["-version"]), runProgram("mvn", ["-version"])]);
  const missing = [];
  if (java.code !== 0) missing.push("openjdk-17-jdk-headless");
  if (maven.code !== 0) missing.push("maven");
  return missing;
}

/** @param {string} folder */
const hasJars = async (folder) =>
  (await readdir(folder).catch(() => [])).some((name) => name.startsWith("kafka-server-common-"));

/**
 * Downloads the jars of one Kafka version unless they are there; safe to call from several processes at once.
 *
 * @param {"4.4" | "3.9"} version
 * @param {{dataDir?: string, log?: (line: string) => void}} [options] `dataDir`: default `keyfoldDataDir()`
 * @returns {Promise<{release: string, libDir: string}>}
 * @throws {MissingProgramsError} where java or mvn is missing and they are needed
 */
export async function ensureKafka(version, { dataDir = keyfoldDataDir(), log = () => {} } = {}) {
  const release = KAFKA_RELEASES[version];
  if (!release) throw new Error(`Kafka ${version} is not one of ${Object.keys(KAFKA_RELEASES).join(", ")}`);
  const folder = path.join(dataDir, "kafka", release);
  const libDir = path.join(folder, "lib");
  const packages = await listMissingKafkaPackages();
  if (await hasJars(libDir)) {
    if (packages.includes("openjdk-17-jdk-headless"))
      throw new MissingProgramsError(["java"], ["openjdk-17-jdk-headless"]);
    return { release, libDir };
  }
  if (packages.length > 0)
    throw new MissingProgramsError(
      packages.map((name) => (name === "maven" ? "mvn" : "java")),
      packages,
    );
  log(`Fetching Apache Kafka ${release}`);
  await mkdir(folder, { recursive: true });
  const arriving = path.join(folder, `lib-${process.pid}`);
  const { code, output } = await runProgram("mvn", [
    "--quiet",
    "--batch-mode",
    `--file=${POM}`,
    `-Dkafka.version=${release}`,
    `-DoutputDirectory=${arriving}`,
    "dependency:copy-dependencies",
  ]);
  if (code !== 0)
    throw new Error(
      `Maven could not fetch Apache Kafka ${release}:\n${output.trim().split("\n").slice(-15).join("\n")}`,
    );
  await publish(arriving, libDir);
  return { release, libDir };
}

/** Moves a finished download into place; where another process was faster, its copy stays. @param {string} arriving @param {string} libDir */
async function publish(arriving, libDir) {
  try {
    if (!(await hasJars(libDir))) await rm(libDir, { recursive: true, force: true });
    await rename(arriving, libDir);
  } catch (error) {
    await stat(libDir).catch(() => Promise.reject(error));
    await rm(arriving, { recursive: true, force: true });
  }
}
