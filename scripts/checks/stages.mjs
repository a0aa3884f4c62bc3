// @ts-check
/** Everything that `npm test` is, in order. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { generateClient } from "../launcher/web-build.mjs";
import { findLongFiles } from "./file-length.mjs";
import { judgeImports } from "./import-rules.mjs";
import { runStageCommand } from "./run-stage-command.mjs";
import { listSourceFiles } from "./source-files.mjs";
import { provideSystemPackages } from "./system-packages.mjs";
import { judgeVitestReport } from "./vitest-report.mjs";

/**
 * @typedef {{root: string, env: NodeJS.ProcessEnv, workDir: string}} Context `workDir`: for reports and logs
 * @typedef {{passed: number, failed: number, problems: string[]}} Outcome `problems` were not shown yet
 * @typedef {{name: string, run: (context: Context, filters: string[]) => Promise<Outcome>}} Stage `filters`: parts of
 *   test files' paths, all where empty
 */

const CRUISED = ["app", "components", "lib", "scripts", "test", "instrumentation.ts", "proxy.ts"];
const CRUISED_FILE = /^((app|components|lib|scripts|test)\/|(instrumentation|proxy)[.]ts$).*(?<![.]d)[.]?(ts|tsx|mjs)$/;
const TEST_FILE = /[.](test|spec)[.](ts|tsx|mjs|js)$/;
const PROJECTS = ["unit", "brokers", "integration", "e2e"];

/** A check that counts as one test. @param {string[]} problems @returns {Outcome} */
const oneCheck = (problems) => ({
  passed: problems.length === 0 ? 1 : 0,
  failed: problems.length === 0 ? 0 : 1,
  problems,
});

/** @param {string} program of node_modules/.bin @param {string[]} args @returns {Stage["run"]} */
const command =
  (program, args) =>
  async ({ root, env }) => {
    const { code, problem } = await runStageCommand(program, args, { cwd: root, env, timeoutMs: 10 * 60_000 });
    if (problem) return oneCheck([problem]);
    return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, problems: [] };
  };

/** @type {Stage["run"]} */
async function checkTypes(context) {
  await generateClient({
    root: context.root,
    env: context.env,
    logFile: path.join(context.workDir, "prisma-generate.log"),
    signal: undefined,
  });
  // Writes next-env.d.ts and the types of the routes.
  const typegen = await runStageCommand("next", ["typegen"], { cwd: context.root, env: context.env, capture: true });
  if (typegen.code !== 0) return oneCheck([`next typegen failed:\n${typegen.output}`]);
  return command("tsc", ["--noEmit", "--incremental", "false"])(context, []);
}

/** @type {Stage["run"]} */
async function checkImports({ root, env }) {
  const rules = path.join(root, "test/architecture/dependency-cruiser.mjs");
  const files = listSourceFiles(root, (file) => CRUISED_FILE.test(file));
  const roots = CRUISED.filter((place) => files.some((file) => file === place || file.startsWith(`${place}/`)));
  const { output, problem } = await runStageCommand("depcruise", [...roots, "--config", rules, "-T", "json"], {
    cwd: root,
    env,
    capture: true,
  });
  if (problem) return oneCheck([problem]);
  if (output === "") return oneCheck([`dependency-cruiser could not read ${rules}`]);
  const { default: config } = await import(pathToFileURL(rules).href);
  const remedies = new Map(
    config.forbidden.map((/** @type {{name: string, comment: string}} */ rule) => [rule.name, rule.comment]),
  );
  const sources = new Map(files.map((file) => [file, readFileSync(path.join(root, file), "utf8")]));
  return oneCheck(judgeImports(JSON.parse(output), sources, remedies));
}

/** @param {string} project @returns {Stage["run"]} */
const testProject =
  (project) =>
  async ({ root, env, workDir }, filters) => {
    const files = listSourceFiles(root, (file) => TEST_FILE.test(file) && file.startsWith(`test/${project}/`)).filter(
      (file) => filters.length === 0 || filters.some((filter) => file.includes(filter)),
    );
    const reportFile = path.join(workDir, `${project}.json`);
    const end = await runStageCommand(
      "vitest",
      [
        "run",
        `--project=${project}`,
        "--allowOnly=false",
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${reportFile}`,
        ...filters,
      ],
      { cwd: root, env },
    );
    const absolute = files.map((file) => path.join(root, file));
    return judgeVitestReport(readJson(reportFile), absolute, end);
  };

/** @param {string} file */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/** @type {Stage["run"]} */
async function checkTestPlaces({ root }) {
  const lost = listSourceFiles(root, (file) => TEST_FILE.test(file)).filter(
    (file) => !PROJECTS.some((project) => file.startsWith(`test/${project}/`)),
  );
  return oneCheck(lost.map((file) => `${file} belongs to no test project (${PROJECTS.join(", ")}) and never runs`));
}

/** @type {readonly Stage[]} */
export const STAGES = [
  {
    name: "packages",
    run: async ({ workDir }) => oneCheck(await provideSystemPackages(path.join(workDir, "apt-get.log"))),
  },
  { name: "format", run: command("biome", ["ci", "--colors=off", "."]) },
  { name: "types", run: checkTypes },
  { name: "imports", run: checkImports },
  { name: "dead-code", run: command("knip", []) },
  { name: "length", run: async ({ root }) => oneCheck(findLongFiles(root)) },
  { name: "test-places", run: checkTestPlaces },
  ...PROJECTS.map((project) => ({ name: project, run: testProject(project) })),
];
