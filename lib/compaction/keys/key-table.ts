/**
 * Every key of a scan, as long as there is room: an open-addressing table of 16 bytes a slot in one typed array, so
 * that a record costs one cache line. It doubles up to its largest size (6.7 million keys in 128 MiB by default) and is
 * exact until then; after that it keeps the keys whose hash lies below a threshold, which halves whenever it is full
 * (Gibbons, "Distinct Sampling for Highly-Accurate Answers", VLDB 2001).
 *
 * A key in two partitions has two entries. Both stand in the same run of slots, because the slot depends on the hash
 * alone: that is how keys in several partitions are found.
 */
import type { KeyCounts } from "#lib/compaction/keys/key-counts.ts";
import { RECORD_FLAGS, type WaitingRecords } from "#lib/compaction/keys/waiting-records.ts";

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
/** The first entry of a key that other partitions have too. */
const SHARED = 1 << 28;

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
  #roomLeft: number;
  #threshold = ALL_HASHES;
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: written alone, it keeps the compiler from dropping the loop that touches slots.
  #touched = 0;
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
          slots[at + META] = state | (meta & (REPEATED | SHARED));
          slots[at + SIZE] = size;
          return true;
        }
        if ((meta & REPEATED) === 0) slots[at + META] = meta | SHARED;
        repeated = REPEATED;
      }
      slot = (slot + 1) & mask;
    }
    const at = slot * FIELDS;
    slots[at] = hi;
    slots[at + 1] = lo;
    slots[at + META] = state | repeated;
    slots[at + SIZE] = size;
    if (--this.#roomLeft <= 0) this.#makeRoom();
    return false;
  }

  /**
   * Notes records one after the other, as `note` does. Their slots are touched first, in a loop that does nothing else:
   * the processor then waits for many of them at once instead of one after the other.
   * @returns index of the first record whose key had been noted for this partition before; -1 where there is none
   */
  noteAll(records: WaitingRecords, partition: number): number {
    const { count, hi, lo, size, flags } = records;
    const slots = this.#slots;
    const mask = this.#mask;
    let touched = 0;
    for (let i = 0; i < count; i++) touched |= slots[(lo[i]! & mask) * FIELDS]!;
    this.#touched = touched;
    let firstSeen = -1;
    for (let i = 0; i < count; i++) {
      const flag = flags[i]!;
      const wasSeen = this.note(
        hi[i]!,
        lo[i]!,
        partition,
        size[i]!,
        (flag & RECORD_FLAGS.tombstone) !== 0,
        (flag & RECORD_FLAGS.expired) !== 0,
      );
      if (wasSeen && firstSeen < 0) firstSeen = i;
    }
    return firstSeen;
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
    for (let at = 0; at < slots.length; at += FIELDS) {
      const meta = slots[at + META]!;
      if (meta === 0 || (meta & REPEATED) !== 0) continue;
      addEntry(counts, meta, slots[at + SIZE]!);
      if ((meta & SHARED) === 0) continue;
      counts.inSeveralPartitions++;
      if ((meta & TOMBSTONE) !== 0 && this.#isLiveAnywhere(slots[at]!, slots[at + 1]!)) counts.live++;
    }
    return counts;
  }

  #isLiveAnywhere(hi: number, lo: number): boolean {
    for (let slot = lo & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * FIELDS;
      const meta = this.#slots[at + META]!;
      if (meta === 0) return false;
      if ((meta & TOMBSTONE) === 0 && this.#slots[at + 1] === lo && this.#slots[at] === hi) return true;
    }
  }

  #makeRoom(): void {
    const size = this.#mask + 1;
    if (size < this.#largest) {
      this.#rebuild(size * 2, () => true);
      return;
    }
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
    this.#roomLeft = Math.floor(size * LARGEST_LOAD) - survivors;
    for (let at = 0; at < packed.length; at += FIELDS) this.#place(packed, at);
    release(packed);
  }

  #place(from: Int32Array, at: number): void {
    const hi = from[at]!;
    const lo = from[at + 1]!;
    let repeated = 0;
    let slot = lo & this.#mask;
    for (;;) {
      const other = slot * FIELDS;
      const meta = this.#slots[other + META]!;
      if (meta === 0) break;
      if (this.#slots[other + 1] === lo && this.#slots[other] === hi) {
        if ((meta & REPEATED) === 0) this.#slots[other + META] = meta | SHARED;
        repeated = REPEATED;
      }
      slot = (slot + 1) & this.#mask;
    }
    const to = slot * FIELDS;
    this.#slots[to] = hi;
    this.#slots[to + 1] = lo;
    this.#slots[to + META] = (from[at + META]! & ~(REPEATED | SHARED)) | repeated;
    this.#slots[to + SIZE] = from[at + SIZE]!;
  }
}

/** Gives an array's memory back at once: the collector sees 100 MiB of it only after the next one was asked for. */
function release(array: Int32Array): void {
  (array.buffer as ArrayBuffer).transfer(0);
}
