import { describe, expect, test } from "vitest";
import { KEY_HASH_SEED_BYTES, KeyHasher } from "#lib/compaction/keys/key-hash.ts";

const seedOf = (byte: number) => new Uint8Array(KEY_HASH_SEED_BYTES).map((_, i) => (byte * 31 + i * 17) & 255);

function hashOf(hasher: KeyHasher, key: Uint8Array): string {
  hasher.hash(key, 0, key.length);
  return `${hasher.hi}:${hasher.lo}`;
}

const KEYS = 200_000;
const SHAPES: Record<string, (i: number) => Buffer> = {
  decimal: (i) => Buffer.from(String(i)),
  "padded decimal": (i) => Buffer.from(String(i).padStart(16, "0")),
  "prefixed decimal": (i) => Buffer.from(`customer-${i}`),
  "big-endian integer": (i) => {
    const key = Buffer.alloc(8);
    key.writeUInt32BE(i, 4);
    return key;
  },
  "little-endian integer": (i) => {
    const key = Buffer.alloc(8);
    key.writeUInt32LE(i, 0);
    return key;
  },
  "behind a schema id": (i) => Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), Buffer.from(`k${i}`)]),
};

describe("the hash of a key", () => {
  test.each(Object.keys(SHAPES))("tells 200,000 keys apart and spreads them evenly: %s", (shape) => {
    const hasher = new KeyHasher(seedOf(3));
    const seen = new Set<string>();
    const buckets = new Float64Array(256);
    const lowerBuckets = new Float64Array(256);
    let below = 0;
    for (let i = 0; i < KEYS; i++) {
      seen.add(hashOf(hasher, SHAPES[shape]!(i)));
      buckets[hasher.hi >>> 24]!++;
      lowerBuckets[hasher.lo & 255]!++;
      if (hasher.hi >>> 0 < 2 ** 28) below++;
    }
    expect(seen.size).toBe(KEYS);
    for (const counts of [buckets, lowerBuckets]) {
      const mean = KEYS / 256;
      const chiSquare = counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
      expect(Math.abs(chiSquare - 255) / Math.sqrt(2 * 255)).toBeLessThan(5);
    }
    const deviation = Math.sqrt(KEYS * (1 / 16) * (15 / 16));
    expect(Math.abs(below - KEYS / 16) / deviation).toBeLessThan(5);
  });

  test("depends on the seed in both halves", () => {
    const key = Buffer.from("customer-1");
    const [hi, lo] = hashOf(new KeyHasher(seedOf(1)), key).split(":");
    const [otherHi, otherLo] = hashOf(new KeyHasher(seedOf(2)), key).split(":");
    expect(hi).not.toBe(otherHi);
    expect(lo).not.toBe(otherLo);
  });

  test("does not depend on where the key lies in its buffer", () => {
    const hasher = new KeyHasher(seedOf(1));
    for (const length of [0, 1, 2, 3, 4, 5, 7, 8, 31]) {
      const key = Buffer.from("abcdefghijklmnopqrstuvwxyz0123456789").subarray(0, length);
      const alone = hashOf(hasher, key);
      hasher.hash(Buffer.concat([Buffer.from("x!"), key, Buffer.from("tail")]), 2, 2 + length);
      expect(`${hasher.hi}:${hasher.lo}`).toBe(alone);
    }
  });

  test("tells keys that differ only in trailing zero bytes apart", () => {
    const hasher = new KeyHasher(seedOf(1));
    const hashes = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8].map((length) => hashOf(hasher, Buffer.alloc(length))));
    expect(hashes.size).toBe(9);
  });

  test("refuses a seed of another length", () => {
    expect(() => new KeyHasher(new Uint8Array(8))).toThrow(RangeError);
  });
});
