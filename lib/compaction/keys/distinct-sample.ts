/**
 * A distinct sample: all keys whose hash lies below a threshold, with what the last record of each says. When it is
 * full the threshold halves. Bounded memory at any number of keys, error about 1/sqrt(keys kept); exact while every key
 * fits. Samples of several partitions, and of several scans with one seed, merge.
 *
 * A key in two partitions has two entries that differ in `partition`.
 */
import type { KeyCounts } from "#lib/compaction/keys/key-counts.ts";
import type { KeyHasher } from "#lib/compaction/keys/key-hash.ts";
import { hashSecondSpelling } from "#lib/compaction/keys/second-hash.ts";
import { RECORD_FLAGS, type WaitingRecords } from "#lib/compaction/keys/waiting-records.ts";

export const DEFAULT_SAMPLE_ENTRIES = 65_536;
const ALL_HASHES = 2 ** 32;
const FIRST_ENTRIES = 1024;
const { tombstone: TOMBSTONE, expired: EXPIRED, sampled: SAMPLED } = RECORD_FLAGS;

/** One key in one partition, as `DistinctSample.entries` gives it and `noteEntry` takes it. */
export interface SampleEntry {
  hi: number;
  lo: number;
  partition: number;
  lastOffset: number;
  /** Milliseconds. */
  lastTimestamp: number;
  highestTimestamp: number;
  lastIsTombstone: boolean;
  /** The last record is a tombstone past its delete horizon. */
  lastIsExpired: boolean;
  /** The last record's share of its batch's bytes. */
  lastSizeInBytes: number;
  /** Records of this key that were scanned. */
  writes: number;
  /** One of `SECOND_HASH_KINDS`. */
  secondKind: number;
  secondHi: number;
  secondLo: number;
}

/** A record of a scan whose key `hasher` has just hashed. */
export interface SampledRecord {
  partition: number;
  offset: number;
  timestamp: number;
  isTombstone: boolean;
  isExpired: boolean;
  sizeInBytes: number;
}

/**
 * An entry is 64 bytes, a cache line, in one buffer that is seen as 16 words and as 8 numbers; `sample-format.ts` stores
 * it in the same order.
 */
const WORDS = 16;
const HI = 0;
const LO = 1;
const PARTITION = 2;
const SECOND_HI = 3;
const SECOND_LO = 4;
const STATE = 5;
const NUMBERS = 8;
const LAST_OFFSET = 3;
const LAST_TIMESTAMP = 4;
const HIGHEST_TIMESTAMP = 5;
const LAST_SIZE = 6;
const WRITES = 7;

export class DistinctSample {
  readonly largestEntries: number;
  #words: Int32Array;
  #numbers: Float64Array;
  #index: Int32Array;
  #size = 0;
  #threshold: number;
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: written alone, it keeps the compiler from dropping the loops that touch entries.
  #touched = 0;

  constructor(largestEntries = DEFAULT_SAMPLE_ENTRIES, threshold = ALL_HASHES) {
    this.largestEntries = largestEntries;
    this.#threshold = threshold;
    const entries = Math.min(FIRST_ENTRIES, largestEntries);
    this.#words = new Int32Array(entries * WORDS);
    this.#numbers = new Float64Array(this.#words.buffer);
    this.#index = new Int32Array(indexSize(entries));
  }

  get size(): number {
    return this.#size;
  }

  /** Keys whose upper hash half, unsigned, is below it are in the sample. */
  get threshold(): number {
    return this.#threshold;
  }

  get sampledShare(): number {
    return this.#threshold / ALL_HASHES;
  }

  /** Notes a record whose key hash is in `hasher`. Records of one partition must come in the order of their offsets. */
  note(hasher: KeyHasher, record: SampledRecord, bytes: Uint8Array, keyStart: number, keyEnd: number): void {
    const { hi, lo } = hasher;
    if (hi >>> 0 >= this.#threshold) return;
    let at = this.#find(hi, lo, record.partition);
    if (at < 0) {
      at = this.#append(hi, lo, record.partition, at);
      const kind = hashSecondSpelling(hasher, bytes, keyStart, keyEnd);
      this.#beginEntry(at, kind, kind === 0 ? 0 : hasher.hi, kind === 0 ? 0 : hasher.lo);
      hasher.hi = hi;
      hasher.lo = lo;
    }
    const flags = (record.isTombstone ? TOMBSTONE : 0) | (record.isExpired ? EXPIRED : 0);
    this.#update(at, record.offset, record.timestamp, record.sizeInBytes, flags);
  }

  /**
   * Notes the records that bear the flag `sampled`, whose keys have no second spelling. What they will change is touched
   * first, see `KeyTable.noteAll`.
   */
  noteAll(records: WaitingRecords, partition: number): void {
    const { count, hi, lo, size, flags, offset, timestamp } = records;
    const index = this.#index;
    const words = this.#words;
    const mask = index.length - 1;
    let touched = 0;
    for (let i = 0; i < count; i++) if ((flags[i]! & SAMPLED) !== 0) touched |= index[lo[i]! & mask]!;
    for (let i = 0; i < count; i++) {
      if ((flags[i]! & SAMPLED) !== 0) touched |= words[Math.max(0, index[lo[i]! & mask]! - 1) * WORDS]!;
    }
    this.#touched = touched;
    for (let i = 0; i < count; i++) {
      if ((flags[i]! & SAMPLED) === 0 || hi[i]! >>> 0 >= this.#threshold) continue;
      let at = this.#find(hi[i]!, lo[i]!, partition);
      if (at < 0) {
        at = this.#append(hi[i]!, lo[i]!, partition, at);
        this.#beginEntry(at, 0, 0, 0);
      }
      this.#update(at, offset[i]!, timestamp[i]!, size[i]!, flags[i]! & (TOMBSTONE | EXPIRED));
    }
  }

  #beginEntry(at: number, kind: number, secondHi: number, secondLo: number): void {
    const word = at * WORDS;
    this.#words[word + STATE] = kind << 2;
    this.#words[word + SECOND_HI] = secondHi;
    this.#words[word + SECOND_LO] = secondLo;
    this.#numbers[at * NUMBERS + HIGHEST_TIMESTAMP] = Number.NEGATIVE_INFINITY;
    this.#numbers[at * NUMBERS + WRITES] = 0;
  }

  #update(at: number, offset: number, timestamp: number, sizeInBytes: number, flags: number): void {
    const number = at * NUMBERS;
    const numbers = this.#numbers;
    numbers[number + LAST_OFFSET] = offset;
    numbers[number + LAST_TIMESTAMP] = timestamp;
    if (timestamp > numbers[number + HIGHEST_TIMESTAMP]!) numbers[number + HIGHEST_TIMESTAMP] = timestamp;
    numbers[number + LAST_SIZE] = sizeInBytes;
    numbers[number + WRITES] = numbers[number + WRITES]! + 1;
    const state = at * WORDS + STATE;
    this.#words[state] = (this.#words[state]! & ~3) | flags;
    if (this.#size > this.largestEntries) this.#thin();
  }

  /** Adds what another sample knows: for a key of one partition that both know, the later offset wins and writes add up. */
  merge(other: DistinctSample): void {
    if (other.#threshold < this.#threshold) this.#thinTo(other.#threshold);
    for (const entry of other.entries()) this.noteEntry(entry);
  }

  noteEntry(entry: SampleEntry): void {
    if (entry.hi >>> 0 >= this.#threshold) return;
    const found = this.#find(entry.hi, entry.lo, entry.partition);
    const at = found < 0 ? this.#append(entry.hi, entry.lo, entry.partition, found) : found;
    const [words, numbers] = [this.#words, this.#numbers];
    const [word, number] = [at * WORDS, at * NUMBERS];
    const isNew = found < 0;
    const highest = isNew
      ? entry.highestTimestamp
      : Math.max(entry.highestTimestamp, numbers[number + HIGHEST_TIMESTAMP]!);
    numbers[number + WRITES] = (isNew ? 0 : numbers[number + WRITES]!) + entry.writes;
    numbers[number + HIGHEST_TIMESTAMP] = highest;
    if (isNew || entry.lastOffset >= numbers[number + LAST_OFFSET]!) {
      numbers[number + LAST_OFFSET] = entry.lastOffset;
      numbers[number + LAST_TIMESTAMP] = entry.lastTimestamp;
      numbers[number + LAST_SIZE] = entry.lastSizeInBytes;
      words[word + SECOND_HI] = entry.secondHi;
      words[word + SECOND_LO] = entry.secondLo;
      words[word + STATE] =
        (entry.secondKind << 2) | (entry.lastIsTombstone ? TOMBSTONE : 0) | (entry.lastIsExpired ? EXPIRED : 0);
    }
    if (this.#size > this.largestEntries) this.#thin();
  }

  *entries(): Generator<SampleEntry> {
    for (let at = 0; at < this.#size; at++) yield this.#entry(at);
  }

  /** Forgets a partition, so that it can be read again. */
  forget(partition: number): void {
    this.#keepOnly((at) => this.#words[at * WORDS + PARTITION] !== partition);
  }

  countPartition(partition: number): KeyCounts {
    return this.#count((at) => this.#words[at * WORDS + PARTITION] === partition);
  }

  /** Counts each key once, in however many partitions it is; it is live where it is live in one of them. */
  countTopic(): KeyCounts {
    const partitions = new Map<string, { first: number; live: boolean; several: boolean }>();
    for (let at = 0; at < this.#size; at++) {
      const word = at * WORDS;
      const key = `${this.#words[word + HI]}:${this.#words[word + LO]}`;
      const live = (this.#words[word + STATE]! & TOMBSTONE) === 0;
      const known = partitions.get(key);
      if (known === undefined) partitions.set(key, { first: at, live, several: false });
      else {
        known.live ||= live;
        known.several = true;
      }
    }
    const groups = [...partitions.values()];
    const first = new Set(groups.map((group) => group.first));
    const counts = this.#count((at) => first.has(at));
    counts.live = groups.filter((group) => group.live).length;
    counts.inSeveralPartitions = groups.filter((group) => group.several).length;
    return counts;
  }

  #count(counted: (at: number) => boolean): KeyCounts {
    let kept = 0;
    let live = 0;
    const sums = { lastBytes: 0, lastBytesSquared: 0, expiredBytes: 0, expiredBytesSquared: 0 };
    for (let at = 0; at < this.#size; at++) {
      if (!counted(at)) continue;
      const size = this.#numbers[at * NUMBERS + LAST_SIZE]!;
      const state = this.#words[at * WORDS + STATE]!;
      kept++;
      if ((state & TOMBSTONE) === 0) live++;
      sums.lastBytes += size;
      sums.lastBytesSquared += size * size;
      if ((state & EXPIRED) === 0) continue;
      sums.expiredBytes += size;
      sums.expiredBytesSquared += size * size;
    }
    return { kept, live, inSeveralPartitions: 0, ...sums, sampledShare: this.sampledShare };
  }

  #entry(at: number): SampleEntry {
    const [words, numbers] = [this.#words, this.#numbers];
    const [word, number] = [at * WORDS, at * NUMBERS];
    const state = words[word + STATE]!;
    return {
      hi: words[word + HI]!,
      lo: words[word + LO]!,
      partition: words[word + PARTITION]!,
      lastOffset: numbers[number + LAST_OFFSET]!,
      lastTimestamp: numbers[number + LAST_TIMESTAMP]!,
      highestTimestamp: numbers[number + HIGHEST_TIMESTAMP]!,
      lastIsTombstone: (state & TOMBSTONE) !== 0,
      lastIsExpired: (state & EXPIRED) !== 0,
      lastSizeInBytes: numbers[number + LAST_SIZE]!,
      writes: numbers[number + WRITES]!,
      secondKind: state >> 2,
      secondHi: words[word + SECOND_HI]!,
      secondLo: words[word + SECOND_LO]!,
    };
  }

  /** The entry's place, or -1 - the free slot of the index where it belongs. */
  #find(hi: number, lo: number, partition: number): number {
    const words = this.#words;
    const mask = this.#index.length - 1;
    for (let slot = lo & mask; ; slot = (slot + 1) & mask) {
      const at = this.#index[slot]! - 1;
      if (at < 0) return -1 - slot;
      const word = at * WORDS;
      if (words[word + LO] === lo && words[word] === hi && words[word + PARTITION] === partition) return at;
    }
  }

  #append(hi: number, lo: number, partition: number, found: number): number {
    const at = this.#size++;
    const isFull = at * WORDS >= this.#words.length;
    if (isFull) this.#grow();
    const word = at * WORDS;
    this.#words[word + HI] = hi;
    this.#words[word + LO] = lo;
    this.#words[word + PARTITION] = partition;
    if (isFull) this.#reindex();
    else this.#index[-1 - found] = at + 1;
    return at;
  }

  #grow(): void {
    const old = this.#words;
    const entries = Math.min((old.length / WORDS) * 2, this.largestEntries + 1);
    this.#words = new Int32Array(entries * WORDS);
    this.#words.set(old);
    this.#numbers = new Float64Array(this.#words.buffer);
    this.#index = new Int32Array(indexSize(entries));
  }

  #thin(): void {
    do this.#thinTo(this.#threshold / 2);
    while (this.#size > this.largestEntries);
  }

  #thinTo(threshold: number): void {
    this.#threshold = threshold;
    this.#keepOnly((at) => this.#words[at * WORDS]! >>> 0 < threshold);
  }

  #keepOnly(keeps: (at: number) => boolean): void {
    let to = 0;
    for (let at = 0; at < this.#size; at++) {
      if (keeps(at)) this.#words.copyWithin(to++ * WORDS, at * WORDS, (at + 1) * WORDS);
    }
    this.#size = to;
    this.#reindex();
  }

  #reindex(): void {
    const words = this.#words;
    this.#index.fill(0);
    for (let at = 0; at < this.#size; at++) {
      const word = at * WORDS;
      this.#index[-1 - this.#find(words[word]!, words[word + LO]!, words[word + PARTITION]!)] = at + 1;
    }
  }
}

/** A power of two, at most half full. */
function indexSize(entries: number): number {
  return 2 ** Math.ceil(Math.log2(entries * 2 + 2));
}
