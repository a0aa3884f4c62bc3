// This installation's secret: seeds key hashes and encrypts stored samples.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const SECRET_BYTES = 32;

/** Makes the file (32 random bytes, mode 0600) where there is none, and returns its path. */
export function ensureSecretFile(dataFolder, env) {
  const file = path.resolve(env.KEYFOLD_SECRET_FILE || path.join(dataFolder, "secret"));
  if (existsSync(file)) return file;
  mkdirSync(path.dirname(file), { recursive: true });
  // Linked into place: nobody ever reads half a secret, and of two makers one wins.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, randomBytes(SECRET_BYTES), { mode: 0o600 });
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, file);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  return file;
}
