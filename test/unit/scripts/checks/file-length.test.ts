import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { countLines, findLongFiles } from "../../../../scripts/checks/file-length.mjs";

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "file-length-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (name: string, lines: number): void => {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), "x\n".repeat(lines));
};

test("400 lines pass and 401 do not, whatever the folder", () => {
  write("app/short.tsx", 400);
  expect(findLongFiles(root)).toEqual([]);
  for (const name of ["a.ts", "lib/b/c.mjs", "app/d.css"]) write(name, 401);
  expect(findLongFiles(root)).toHaveLength(3);
});

test("what is downloaded or built is not looked at, and neither is another kind of file", () => {
  write("ok.ts", 1);
  for (const name of ["node_modules/a.ts", ".next/b.js", "generated/c.ts", "test/d.py"]) write(name, 1000);
  expect(findLongFiles(root)).toEqual([]);
});

test("a repository without a source file does not pass", () => {
  expect(findLongFiles(root)).toHaveLength(1);
});

test("a last line without its end counts", () => {
  expect([countLines(""), countLines("a"), countLines("a\n"), countLines("a\nb")]).toEqual([0, 1, 1, 2]);
});
