// @ts-check
/** Reads what dependency-cruiser found, and refuses to believe it where it did not see the code. */

/**
 * @typedef {{source: string, dependencies: unknown[]}} CruisedModule
 * @typedef {{from: string, to: string, rule: {name: string, severity: string}}} Violation
 * @typedef {{modules: CruisedModule[], summary: {violations: Violation[]}}} CruiseReport
 */

/** An import or re-export of a file of ours. */
const OWN_IMPORT = /^\s*(?:import|export)\b[^;]*?\bfrom\s+"(?:#|[.]{1,2}\/)/m;

/**
 * @param {CruiseReport} report
 * @param {ReadonlyMap<string, string>} sources text of every file that has to be seen, by path
 * @param {ReadonlyMap<string, string>} remedies what to do instead, by rule
 * @returns {string[]} what is wrong, a line each
 */
export function judgeImports(report, sources, remedies) {
  const seen = new Map(report.modules.map((module) => [module.source, module]));
  const unseen = [...sources.keys()].filter((file) => !seen.has(file));
  // Without @swc/core the TypeScript files are listed, and none of them imports anything.
  const unread = [...sources].filter(
    ([file, text]) => OWN_IMPORT.test(text) && seen.get(file)?.dependencies.length === 0,
  );
  return [
    ...(sources.size === 0 ? ["no source file was found"] : []),
    ...unseen.map((file) => `${file}: was not seen, so that no rule was checked`),
    ...unread.map(([file]) => `${file}: its imports were not read, so that no rule was checked`),
    ...report.summary.violations.map(({ from, to, rule }) =>
      `${from} -> ${to}: ${rule.name}. ${remedies.get(rule.name) ?? ""}`.trimEnd(),
    ),
  ];
}
