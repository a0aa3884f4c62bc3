import { expect, test } from "vitest";
import { judgeImports } from "../../../../scripts/checks/import-rules.mjs";

const SOURCES = new Map([
  ["lib/a.ts", 'import { b } from "#lib/b.ts";\n'],
  ["lib/b.ts", "export const b = 1;\n"],
]);
const report = (dependenciesOfA: unknown[], violations: { from: string; to: string }[] = []) => ({
  modules: [
    { source: "lib/a.ts", dependencies: dependenciesOfA },
    { source: "lib/b.ts", dependencies: [] },
  ],
  summary: {
    violations: violations.map((one) => ({ ...one, rule: { name: "core-is-pure", severity: "error" } })),
  },
});

test("code that was read and breaks no rule passes", () => {
  expect(judgeImports(report([{}]), SOURCES, new Map())).toEqual([]);
});

test("a broken rule says what to do instead", () => {
  const remedies = new Map([["core-is-pure", "Pass in the clock."]]);
  expect(judgeImports(report([{}], [{ from: "lib/a.ts", to: "lib/db.ts" }]), SOURCES, remedies)).toEqual([
    "lib/a.ts -> lib/db.ts: core-is-pure. Pass in the clock.",
  ]);
});

test("imports that were not read do not pass", () => {
  expect(judgeImports(report([]), SOURCES, new Map())).toEqual([expect.stringContaining("lib/a.ts: its imports")]);
});

test("an import over several lines and a re-export are imports", () => {
  for (const text of [
    'import {\n  b,\n} from "./b.ts";',
    'export { b } from "../b.ts";',
    'import type { B } from "#b.ts";',
  ])
    expect(judgeImports(report([]), new Map([["lib/a.ts", text]]), new Map())).toHaveLength(1);
  expect(judgeImports(report([]), new Map([["lib/a.ts", 'import fs from "node:fs";']]), new Map())).toEqual([]);
});

test("a file that was not seen does not pass, nor does seeing nothing", () => {
  const more = new Map([...SOURCES, ["lib/c.ts", ""]]);
  expect(judgeImports(report([{}]), more, new Map())).toEqual([expect.stringContaining("lib/c.ts: was not seen")]);
  expect(judgeImports(report([{}]), new Map(), new Map())).toHaveLength(1);
});
