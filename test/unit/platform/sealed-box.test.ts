import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createSealedBox, readSealedBox } from "#lib/platform/sealed-box.ts";

const folder = mkdtempSync(path.join(tmpdir(), "keyfold-sealed-box-"));
afterAll(() => rmSync(folder, { recursive: true }));

const secret = new Uint8Array(32).fill(7);
const otherSecret = new Uint8Array(32).fill(8);
const bytes = new TextEncoder().encode("hashes of keys");

describe("a sealed box", () => {
  it("opens with the same secret for what it was sealed for", () => {
    const sealed = createSealedBox(secret).seal(bytes, "key-sample:1");
    expect(createSealedBox(secret).open(sealed, "key-sample:1")).toEqual({ ok: true, value: bytes });
    expect(Buffer.from(sealed).includes(Buffer.from(bytes))).toBe(false);
  });

  it("tells that the secret is another one, and what to check", () => {
    const sealed = createSealedBox(secret).seal(bytes, "key-sample:1");
    const opened = createSealedBox(otherSecret).open(sealed, "key-sample:1");
    expect(opened).toMatchObject({ ok: false, error: expect.stringContaining("KEYFOLD_SECRET_FILE") });
  });

  it("can't be moved to another row, shortened or changed", () => {
    const box = createSealedBox(secret);
    const sealed = box.seal(bytes, "key-sample:1");
    expect(box.open(sealed, "key-sample:2").ok).toBe(false);
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice();
      changed[at]! ^= 1;
      expect(box.open(changed, "key-sample:1").ok).toBe(false);
      expect(box.open(sealed.subarray(0, at), "key-sample:1").ok).toBe(false);
    }
  });

  it("seals the same bytes differently each time", () => {
    const box = createSealedBox(secret);
    expect(box.seal(bytes, "x")).not.toEqual(box.seal(bytes, "x"));
  });

  it("derives a hash seed that is the installation's own, and never the sealing key", () => {
    expect(createSealedBox(secret).keyHashSeed).toEqual(createSealedBox(secret).keyHashSeed);
    expect(createSealedBox(secret).keyHashSeed).not.toEqual(createSealedBox(otherSecret).keyHashSeed);
    expect(createSealedBox(secret).keyHashSeed).toHaveLength(16);
  });

  it("names the file and the remedy where the secret is missing or too short", () => {
    const missing = readSealedBox(path.join(folder, "none"));
    expect(missing).toMatchObject({ ok: false, error: expect.stringMatching(/none .*ENOENT.*KEYFOLD_SECRET_FILE/) });
    const short = path.join(folder, "short");
    writeFileSync(short, "abc");
    expect(readSealedBox(short)).toMatchObject({ ok: false, error: expect.stringContaining("less than 16 bytes") });
  });
});
