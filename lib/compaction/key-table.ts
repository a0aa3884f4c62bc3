/**
 * Every key of a scan, as long as there is room: an open-addressing table of 16 bytes a slot in one typed array, so
 * that a record costs one cache line. It doubles up to its largest size (6.7 million keys in 128 MiB by default) and is
 * exact until then; after that it keeps the keys whose hash lies below a threshold, which halves whenever it is full
 * (Gibbons, "Distinct Sampling for Highly-Accurate Answers", VLDB 2001).
 *
 * A key in two partitions has two entries. Both stand in the same run of slots, because the slot depends on the hash
 * alone: that is how keys in several partitions are found.
 */
import type { KeyCounts } from "#lib/compaction/key-counts.ts";

const FIELDS = 4;
const META = 2;
const SIZE = 3;
const PARTITION_MASK = 0xffffff;
const USED = 1 << 24;
const TOMBSTONE = 1 << 25;
/** A tombstone past its delete horizon. */
const EXPIRED = 1 << 26;
/** Not the first entry of its key: another partition has it too. */
const REPEATED = 1 << 27;

const ALL_HASHES = 2 ** 32;
const FIRST_SLOTS = 1 << 12;
const LARGEST_LOAD = 0.8;
export const DEFAULT_TABLE_SLOTS = 1 << 23;

const emptyCounts = (): KeyCounts => ({
  kept: 0,
  live: 0,
  inSeveralPartitions: 0,
  lastBytes: 0,
  lastBytesSquared: 0,
  expiredBytes: 0,
  expiredBytesSquared: 0,
  sampledShare: 1,
});

function addEntry(counts: KeyCounts, meta: number, size: number): void {
  counts.kept++;
  if ((meta & TOMBSTONE) === 0) counts.live++;
  counts.lastBytes += size;
  counts.lastBytesSquared += size * size;
  if ((meta & EXPIRED) !== 0) {
    counts.expiredBytes += size;
    counts.expiredBytesSquared += size * size;
  }
}

export class KeyTable {
  #slots: Int32Array;
  #mask: number;
  #used = 0;
  #roomLeft: number;
  #threshold = ALL_HASHES;
  readonly #largest: number;

  /** @param largestSlots a power of two; 16 bytes each, and half as much again for a moment while it grows or thins */
  constructor(largestSlots = DEFAULT_TABLE_SLOTS) {
    const slots = Math.min(FIRST_SLOTS, largestSlots);
    this.#largest = largestSlots;
    this.#slots = new Int32Array(slots * FIELDS);
    this.#mask = slots - 1;
    this.#roomLeft = Math.floor(slots * LARGEST_LOAD);
  }

  get sampledShare(): number {
    return this.#threshold / ALL_HASHES;
  }

  /**
   * Notes the latest record of a key. Records of one partition must come in the order of their offsets.
   * @returns whether the key had been noted for this partition before; false too where the key isn't sampled
   */
  note(hi: number, lo: number, partition: number, size: number, isTombstone: boolean, isExpired: boolean): boolean {
    if (hi >>> 0 >= this.#threshold) return false;
    const slots = this.#slots;
    const mask = this.#mask;
    const state = USED | partition | (isTombstone ? TOMBSTONE : 0) | (isExpired ? EXPIRED : 0);
    let repeated = 0;
    let slot = lo & mask;
    for (;;) {
      const at = slot * FIELDS;
      const meta = slots[at + META]!;
      if (meta === 0) break;
      if (slots[at + 1] === lo && slots[at] === hi) {
        if ((meta & PARTITION_MASK) === partition) {
          slots[at + META] = state | (meta & REPEATED);
          slots[at + SIZE] = size;
          return true;
        }
        repeated = REPEATED;
      }
      slot = (slot + 1) & mask;
    }
    const at = slot * FIELDS;
    slots[at] = hi;
    slots[at + 1] = lo;
    slots[at + META] = state | repeated;
    slots[at + SIZE] = size;
    this.#used++;
    if (--this.#roomLeft <= 0) this.#makeRoom();
    return false;
  }

  /** Whether a key was noted for this partition. */
  has(hi: number, lo: number, partition: number): boolean {
    for (let slot = lo & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * FIELDS;
      const meta = this.#slots[at + META]!;
      if (meta === 0) return false;
      if (this.#slots[at + 1] === lo && this.#slots[at] === hi && (meta & PARTITION_MASK) === partition) return true;
    }
  }

  /** Forgets a partition, so that it can be read again. */
  forget(partition: number): void {
    this.#rebuild(this.#mask + 1, (at) => (this.#slots[at + META]! & PARTITION_MASK) !== partition);
  }

  countPartition(partition: number): KeyCounts {
    const counts = emptyCounts();
    counts.sampledShare = this.sampledShare;
    const slots = this.#slots;
    for (let at = 0; at < slots.length; at += FIELDS) {
      const meta = slots[at + META]!;
      if (meta !== 0 && (meta & PARTITION_MASK) === partition) addEntry(counts, meta, slots[at + SIZE]!);
    }
    return counts;
  }

  /** Counts each key once, in however many partitions it is; it is live where it is live in one of them. */
  countTopic(): KeyCounts {
    const counts = emptyCounts();
    counts.sampledShare = this.sampledShare;
    const slots = this.#slots;
    const several = new Map<string, boolean>();
    for (let at = 0; at < slots.length; at += FIELDS) {
      if ((slots[at + META]! & REPEATED) === 0) continue;
      const key = `${slots[at]}:${slots[at + 1]}`;
      if (!several.has(key)) several.set(key, this.#isLiveAnywhere(slots[at]!, slots[at + 1]!));
    }
    for (let at = 0; at < slots.length; at += FIELDS) {
      const meta = slots[at + META]!;
      if (meta !== 0) addEntry(counts, meta, slots[at + SIZE]!);
      if ((meta & REPEATED) !== 0) counts.kept--;
      if ((meta & REPEATED) !== 0 && (meta & TOMBSTONE) === 0) counts.live--;
    }
    for (const [key, live] of several) {
      const [hi, lo] = key.split(":").map(Number) as [number, number];
      if (live && this.#firstIsTombstone(hi, lo)) counts.live++;
    }
    counts.inSeveralPartitions = several.size;
    return counts;
  }

  #isLiveAnywhere(hi: number, lo: number): boolean {
    return this.#entriesOf(hi, lo).some((meta) => (meta & TOMBSTONE) === 0);
  }

  #firstIsTombstone(hi: number, lo: number): boolean {
    return this.#entriesOf(hi, lo).some((meta) => (meta & REPEATED) === 0 && (meta & TOMBSTONE) !== 0);
  }

  #entriesOf(hi: number, lo: number): number[] {
    const found: number[] = [];
    for (let slot = lo & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * FIELDS;
      const meta = this.#slots[at + META]!;
      if (meta === 0) return found;
      if (this.#slots[at + 1] === lo && this.#slots[at] === hi) found.push(meta);
    }
  }

  #makeRoom(): void {
    const size = this.#mask + 1;
    if (size < this.#largest) return this.#rebuild(size * 2, () => true);
    do {
      this.#threshold /= 2;
      this.#rebuild(size, (at) => this.#slots[at]! >>> 0 < this.#threshold);
    } while (this.#roomLeft <= 0);
  }

  /** Survivors go through an array of just their size, so that thinning the largest table doesn't need it twice. */
  #rebuild(size: number, keeps: (at: number) => boolean): void {
    const old = this.#slots;
    let survivors = 0;
    for (let at = 0; at < old.length; at += FIELDS) if (old[at + META] !== 0 && keeps(at)) survivors++;
    const packed = new Int32Array(survivors * FIELDS);
    let to = 0;
    for (let at = 0; at < old.length; at += FIELDS) {
      if (old[at + META] === 0 || !keeps(at)) continue;
      for (let field = 0; field < FIELDS; field++) packed[to++] = old[at + field]!;
    }
    if (size * FIELDS === old.length) old.fill(0);
    else {
      release(old);
      this.#slots = new Int32Array(size * FIELDS);
    }
    this.#mask = size - 1;
    this.#used = survivors;
    this.#roomLeft = Math.floor(size * LARGEST_LOAD) - survivors;
    for (let at = 0; at < packed.length; at += FIELDS) this.#place(packed, at);
    release(packed);
  }

  #place(from: Int32Array, at: number): void {
    const hi = from[at]!;
    const lo = from[at + 1]!;
    let repeated = 0;
    let slot = lo & this.#mask;
    while (this.#slots[slot * FIELDS + META] !== 0) {
      if (this.#slots[slot * FIELDS + 1] === lo && this.#slots[slot * FIELDS] === hi) repeated = REPEATED;
      slot = (slot + 1) & this.#mask;
    }
    const to = slot * FIELDS;
    this.#slots[to] = hi;
    this.#slots[to + 1] = lo;
    this.#slots[to + META] = (from[at + META]! & ~REPEATED) | repeated;
    this.#slots[to + SIZE] = from[at + SIZE]!;
  }
}

/** Gives an array's memory back at once: the collector sees 100 MiB of it only after the next one was asked for. */
function release(array: Int32Array): void {
  (array.buffer as ArrayBuffer).transfer(0);
}
