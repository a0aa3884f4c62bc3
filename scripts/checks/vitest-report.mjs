// @ts-check
/** Counts what a Vitest run did, and what it left out. Pure. */

/**
 * @typedef {{status: string, fullName: string}} AssertionResult
 * @typedef {{name: string, status: string, message?: string, assertionResults: AssertionResult[]}} FileResult
 * @typedef {{testResults: FileResult[]}} VitestReport
 * @typedef {{passed: number, failed: number, problems: string[]}} Counts
 */

/**
 * A test that was skipped, a file that was not run or could not be loaded, and an error outside any test count as failed.
 *
 * @param {VitestReport | null} report Vitest's own JSON; null where it wrote none
 * @param {readonly string[]} files absolute paths of the test files that had to run
 * @param {{code: number | null, problem: string | null}} end how the process ended
 * @returns {Counts}
 */
export function judgeVitestReport(report, files, { code, problem }) {
  const results = report?.testResults ?? [];
  const ran = new Set(results.map(({ name }) => name));
  const problems = files.filter((file) => !ran.has(file)).map((file) => `${file} was not run`);
  if (files.length === 0) problems.push("there is no test file");
  let passed = 0;
  let failed = 0;
  for (const file of results) {
    for (const { status, fullName } of file.assertionResults) {
      if (status === "passed") passed++;
      else if (status === "failed") failed++;
      else problems.push(`${file.name}: "${fullName}" was not run (${status})`);
    }
    const hasFailedTest = file.assertionResults.some(({ status }) => status === "failed");
    if (file.status !== "passed" && !hasFailedTest)
      problems.push(`${file.name} failed outside its tests: ${file.message || file.status}`);
    else if (file.assertionResults.length === 0) problems.push(`${file.name} holds no test`);
  }
  if (problem !== null) problems.push(problem);
  else if (code !== 0 && failed + problems.length === 0) problems.push(`an error outside the tests, exit code ${code}`);
  return { passed, failed: failed + problems.length, problems };
}
