import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { WARNING_CODES } from "#lib/compaction/measurement.ts";

test("the README lists every warning code, and no other", () => {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const table = readme.slice(readme.indexOf("| warning | meaning |"), readme.indexOf("### What it can't know"));
  const listed = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code);
  expect(listed.sort()).toEqual(Object.keys(WARNING_CODES).sort());
});
