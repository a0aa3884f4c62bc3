/**
 * A seeded 64-bit hash of a key's bytes, as two signed 32-bit halves: MurmurHash3 x86_32 twice in one pass, the second
 * time with the multipliers of x86_128 (two seeds alone would share the differences that every seed keeps).
 * https://github.com/aappleby/smhasher/blob/61a0530f28277f2e850bfc39600ce61d02b518de/src/MurmurHash3.cpp
 *
 * Over a range of a buffer, without a substring, a BigInt or an allocation: it runs once a record.
 */
export const KEY_HASH_SEED_BYTES = 16;

export class KeyHasher {
  /** Upper half of the last hash, signed. Both halves fit a small integer, so that storing them allocates nothing. */
  hi = 0;
  /** Lower half of the last hash, signed. */
  lo = 0;
  readonly #hiStart: number;
  readonly #loStart: number;
  readonly #hiEnd: number;
  readonly #loEnd: number;

  /** @param seed 16 bytes, secret and the same for the whole installation */
  constructor(seed: Uint8Array) {
    if (seed.byteLength !== KEY_HASH_SEED_BYTES) throw new RangeError(`a hash seed has ${KEY_HASH_SEED_BYTES} bytes`);
    const view = new DataView(seed.buffer, seed.byteOffset, seed.byteLength);
    this.#hiStart = view.getInt32(0, true);
    this.#loStart = view.getInt32(4, true);
    this.#hiEnd = view.getInt32(8, true);
    this.#loEnd = view.getInt32(12, true);
  }

  /** Hashes `bytes` from `start` to `end` (exclusive) into `hi` and `lo`. */
  hash(bytes: Uint8Array, start: number, end: number): void {
    const length = (end - start) | 0;
    const wordsEnd = start + (length & ~3);
    let hi = this.#hiStart;
    let lo = this.#loStart;
    let at = start;
    for (; at < wordsEnd; at += 4) {
      const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
      let k = Math.imul(word, 0xcc9e2d51);
      hi ^= Math.imul((k << 15) | (k >>> 17), 0x1b873593);
      hi = (Math.imul((hi << 13) | (hi >>> 19), 5) + 0xe6546b64) | 0;
      k = Math.imul(word, 0x239b961b);
      lo ^= Math.imul((k << 16) | (k >>> 16), 0xab0e9789);
      lo = (Math.imul((lo << 19) | (lo >>> 13), 5) + 0x561ccd1b) | 0;
    }
    if (at < end) {
      let word = bytes[at]!;
      if (at + 1 < end) word |= bytes[at + 1]! << 8;
      if (at + 2 < end) word |= bytes[at + 2]! << 16;
      let k = Math.imul(word, 0xcc9e2d51);
      hi ^= Math.imul((k << 15) | (k >>> 17), 0x1b873593);
      k = Math.imul(word, 0x239b961b);
      lo ^= Math.imul((k << 16) | (k >>> 16), 0xab0e9789);
    }
    this.hi = finish(hi ^ length ^ this.#hiEnd);
    this.lo = finish(lo ^ length ^ this.#loEnd);
  }
}

function finish(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
