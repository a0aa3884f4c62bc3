/**
 * A second hash of keys that one entity may carry in two spellings: without the five bytes of a schema id in front
 * (a 0-byte and the id: https://docs.confluent.io/platform/7.9/schema-registry/fundamentals/serdes-develop/index.html#wire-format),
 * and JSON with its members in order and without white space.
 */
import type { KeyHasher } from "#lib/compaction/keys/key-hash.ts";

export const SECOND_HASH_KINDS = { none: 0, withoutSchemaId: 1, canonicalJson: 2 } as const;
const SCHEMA_ID_PREFIX_BYTES = 5;
const LONGEST_JSON_KEY_BYTES = 4096;
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;

const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

/** Judged by the first byte alone: keys for which this is false never have a second spelling. */
export const mayHaveSecondSpelling = (first: number | undefined): boolean =>
  first === 0 || first === OPENING_BRACE || first === OPENING_BRACKET;

/** Leaves the second hash in `hasher` and says of which kind it is; `none`: the key has no other spelling. */
export function hashSecondSpelling(hasher: KeyHasher, bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start];
  if (first === 0 && end - start > SCHEMA_ID_PREFIX_BYTES) {
    hasher.hash(bytes, start + SCHEMA_ID_PREFIX_BYTES, end);
    return SECOND_HASH_KINDS.withoutSchemaId;
  }
  if ((first !== OPENING_BRACE && first !== OPENING_BRACKET) || end - start > LONGEST_JSON_KEY_BYTES) {
    return SECOND_HASH_KINDS.none;
  }
  const canonical = canonicalJson(bytes.subarray(start, end));
  if (canonical === null) return SECOND_HASH_KINDS.none;
  const encoded = encoder.encode(canonical);
  hasher.hash(encoded, 0, encoded.length);
  return SECOND_HASH_KINDS.canonicalJson;
}

function canonicalJson(bytes: Uint8Array): string | null {
  try {
    return JSON.stringify(JSON.parse(decoder.decode(bytes), inMemberOrder));
  } catch {
    return null;
  }
}

function inMemberOrder(_member: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members);
}
