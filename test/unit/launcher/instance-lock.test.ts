import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { releaseInstanceLock, takeInstanceLock } from "../../../scripts/launcher/instance-lock.mjs";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "keyfold-lock-"));
  file = path.join(folder, "launcher.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a lock is held by one, and free again once it is released", () => {
  expect(takeInstanceLock(file, "http://127.0.0.1:3000")).toEqual({ taken: true });
  expect(takeInstanceLock(file, "http://127.0.0.1:3001")).toMatchObject({
    taken: false,
    holder: { pid: process.pid, address: "http://127.0.0.1:3000" },
  });
  releaseInstanceLock(file);
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock whose process id was given to another program is taken over", () => {
  writeFileSync(file, JSON.stringify({ pid: process.ppid, startTime: "1", address: "" }));
  expect(takeInstanceLock(file, "http://127.0.0.1:3000")).toEqual({ taken: true });
  expect(JSON.parse(readFileSync(file, "utf8")).pid).toBe(process.pid);
});

test("half a lock file, as a crash may leave it, does not lock anyone out", () => {
  writeFileSync(file, '{"pid": 1');
  expect(takeInstanceLock(file, "http://127.0.0.1:3000")).toEqual({ taken: true });
});
