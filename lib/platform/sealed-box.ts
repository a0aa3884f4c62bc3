/**
 * Seals bytes with a key that is derived from the installation's secret file (AES-256-GCM, HKDF-SHA256). Form: version
 * byte, 12-byte nonce, 16-byte tag, ciphertext. What a box belongs to is bound to it as additional data, so that a box
 * can't be moved to another row.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fail, ok, type Result } from "#lib/platform/result.ts";

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES_MIN = 16;

export interface SealedBox {
  seal(bytes: Uint8Array, belongsTo: string): Uint8Array<ArrayBuffer>;
  /** Fails where the box was sealed with another secret, for something else, or was changed. */
  open(sealed: Uint8Array, belongsTo: string): Result<Uint8Array, string>;
  /** 16 bytes that seed the hash of keys; the same for the whole installation. */
  readonly keyHashSeed: Uint8Array;
  /** A value that tells this secret from others and tells nothing about it. */
  readonly check: string;
}

/** @param secret at least 16 bytes, as the launcher makes them at random */
export function createSealedBox(secret: Uint8Array): SealedBox {
  const key = derive(secret, "keyfold sealed box v1", 32);
  return {
    keyHashSeed: derive(secret, "keyfold key hash seed v1", 16),
    check: Buffer.from(derive(secret, "keyfold secret check v1", 16)).toString("hex"),
    seal: (bytes, belongsTo) => seal(key, bytes, belongsTo),
    open: (sealed, belongsTo) => open(key, sealed, belongsTo),
  };
}

/** Reads `KEYFOLD_SECRET_FILE` (default `secret` in the data folder); the error says what to do. */
export function readSealedBox(path: string): Result<SealedBox, string> {
  let secret: Uint8Array;
  try {
    secret = readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    return fail(
      `The installation's secret file ${path} can't be read (${code}). Put it back from its backup, or set KEYFOLD_SECRET_FILE.`,
    );
  }
  if (secret.byteLength < SECRET_BYTES_MIN) {
    return fail(
      `The installation's secret file ${path} holds less than ${SECRET_BYTES_MIN} bytes. Put the right one there.`,
    );
  }
  return ok(createSealedBox(secret));
}

const derive = (secret: Uint8Array, purpose: string, bytes: number): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(0), purpose, bytes));

function seal(key: Uint8Array, bytes: Uint8Array, belongsTo: string): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(belongsTo));
  const text = [cipher.update(bytes), cipher.final()];
  return new Uint8Array(Buffer.concat([Uint8Array.of(VERSION), nonce, cipher.getAuthTag(), ...text]));
}

function open(key: Uint8Array, sealed: Uint8Array, belongsTo: string): Result<Uint8Array, string> {
  const textStart = 1 + NONCE_BYTES + TAG_BYTES;
  if (sealed.byteLength < textStart || sealed[0] !== VERSION) return fail("A sealed value has an unknown form.");
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(1, 1 + NONCE_BYTES));
  decipher.setAAD(Buffer.from(belongsTo)).setAuthTag(sealed.subarray(1 + NONCE_BYTES, textStart));
  try {
    return ok(new Uint8Array(Buffer.concat([decipher.update(sealed.subarray(textStart)), decipher.final()])));
  } catch {
    return fail("A sealed value can't be opened: it was sealed with another secret. Check KEYFOLD_SECRET_FILE.");
  }
}
