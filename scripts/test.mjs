// @ts-check
/**
 * `npm test`: everything, against real servers that the tests start themselves. Plain JavaScript: it starts on the
 * system's Node with nothing installed, and goes on with the Node that package-lock.json pins.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { findPinnedNode, installPackages, isInstalled, isPinnedNode } from "./launcher/install.mjs";

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const HELP = `npm test                            everything
npm test -- --only STAGE[,STAGE]    some stages
npm test -- --only STAGE PART...    of a stage with tests, the files whose path holds a part
npm test -- --list                  the stages
`;

/** Settings of a running Keyfold that must not reach the tests. */
const NOT_FOR_TESTS = [
  "DATABASE_URL",
  "DATABASE_MIGRATION_URL",
  "KEYFOLD_CONFIG",
  "KEYFOLD_SECRET_FILE",
  "PORT",
  "NODE_ENV",
];

/** @param {string[]} args */
function readOptions(args) {
  const options = {
    only: /** @type {string[] | null} */ (null),
    list: false,
    help: false,
    filters: /** @type {string[]} */ ([]),
  };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "--only") options.only = (args[++i] ?? "").split(",").filter(Boolean);
    else if (arg.startsWith("--only=")) options.only = arg.slice("--only=".length).split(",").filter(Boolean);
    else if (arg === "--list") options.list = true;
    else if (arg === "--help") options.help = true;
    else if (arg.startsWith("-")) throw new Error(`unknown option ${arg}\n${HELP}`);
    else options.filters.push(arg);
  }
  if (options.only?.length === 0) throw new Error(`--only needs the name of a stage\n${HELP}`);
  if (options.filters.length > 0 && !options.only)
    throw new Error(`name the stage of these files: --only unit\n${HELP}`);
  return options;
}

/** The tests' environment. */
function testEnvironment() {
  /** @type {Record<string, string | undefined>} */
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
  env.PATH = [path.join(ROOT, "node_modules", ".bin"), env.PATH ?? ""].join(path.delimiter);
  for (const name of NOT_FOR_TESTS) delete env[name];
  if (!process.stdout.isTTY) env.NO_COLOR = "1";
  return /** @type {NodeJS.ProcessEnv} */ (env);
}

/** @param {ReturnType<typeof readOptions>} options @param {string} workDir */
async function runStages(options, workDir) {
  const { STAGES } = await import("./checks/stages.mjs");
  const { endRunningCommands } = await import("./checks/run-stage-command.mjs");
  const stages = STAGES.filter(({ name }) => options.only === null || options.only.includes(name));
  if (options.only && stages.length < options.only.length)
    throw new Error(`unknown stage; there are ${STAGES.map(({ name }) => name).join(", ")}`);
  let interrupted = false;
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(signal, () => {
      interrupted = true;
      endRunningCommands();
    });
  const context = { root: ROOT, env: testEnvironment(), workDir };
  const total = { passed: 0, failed: 0 };
  /** @type {string[]} */
  const summary = [];
  for (const { name, run } of stages) {
    console.log(`\n== ${name}`);
    const since = Date.now();
    const outcome = interrupted
      ? { passed: 0, failed: 1, problems: ["not run: interrupted"] }
      : await run(context, options.filters).catch((error) => ({
          passed: 0,
          failed: 1,
          problems: [String(error.stack)],
        }));
    for (const problem of outcome.problems) console.log(problem);
    total.passed += outcome.passed;
    total.failed += outcome.failed;
    const seconds = ((Date.now() - since) / 1000).toFixed(1).padStart(7);
    summary.push(`${name.padEnd(12)} ${seconds} s  ${outcome.passed} passed, ${outcome.failed} failed`);
    console.log(summary.at(-1));
  }
  console.log(`\n${summary.join("\n")}\n\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

/** Goes on with the pinned Node; its signals and its exit code are this process's own. @returns {Promise<number>} */
function continueOnPinnedNode() {
  const child = spawn(/** @type {string} */ (findPinnedNode(ROOT)), process.argv.slice(1), { stdio: "inherit" });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

async function main() {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const workDir = mkdtempSync(path.join(tmpdir(), "keyfold-test-"));
  try {
    if (!isInstalled(ROOT)) {
      console.log("== install\nnpm ci");
      await installPackages({ root: ROOT, logFile: path.join(workDir, "npm-ci.log"), signal: undefined });
    }
    if (!isPinnedNode(ROOT)) return await continueOnPinnedNode();
    if (options.list) {
      const { STAGES } = await import("./checks/stages.mjs");
      console.log(STAGES.map(({ name }) => name).join("\n"));
      return 0;
    }
    return await runStages(options, workDir);
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}

main().then(
  (code) => process.exit(code),
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  },
);
