/**
 * A distinct sample: all keys whose hash lies below a threshold, with what the last record of each says. When it is
 * full the threshold halves. Bounded memory at any number of keys, error about 1/sqrt(keys kept); exact while every key
 * fits. Samples of several partitions, and of several scans with one seed, merge.
 *
 * A key in two partitions has two entries that differ in `partition`.
 */
import type { KeyCounts } from "#lib/compaction/key-counts.ts";
import type { KeyHasher } from "#lib/compaction/key-hash.ts";
import { hashSecondSpelling } from "#lib/compaction/second-hash.ts";

export const DEFAULT_SAMPLE_ENTRIES = 65_536;
const ALL_HASHES = 2 ** 32;
const FIRST_ENTRIES = 1024;
const TOMBSTONE = 1;
const EXPIRED = 2;

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

const WORD_COLUMNS = ["hi", "lo", "partition", "secondHi", "secondLo", "state"] as const;
const NUMBER_COLUMNS = ["lastOffset", "lastTimestamp", "highestTimestamp", "lastSizeInBytes", "writes"] as const;
type WordColumn = (typeof WORD_COLUMNS)[number];
type NumberColumn = (typeof NUMBER_COLUMNS)[number];
type Columns = Record<WordColumn, Int32Array> & Record<NumberColumn, Float64Array>;

function makeColumns(entries: number): Columns {
  const columns: Partial<Columns> = {};
  for (const name of WORD_COLUMNS) columns[name] = new Int32Array(entries);
  for (const name of NUMBER_COLUMNS) columns[name] = new Float64Array(entries);
  return columns as Columns;
}

export class DistinctSample {
  readonly largestEntries: number;
  #columns: Columns;
  #index: Int32Array;
  #size = 0;
  #threshold: number;

  constructor(largestEntries = DEFAULT_SAMPLE_ENTRIES, threshold = ALL_HASHES) {
    this.largestEntries = largestEntries;
    this.#threshold = threshold;
    const entries = Math.min(FIRST_ENTRIES, largestEntries);
    this.#columns = makeColumns(entries);
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
      const columns = this.#columns;
      columns.state[at] = kind << 2;
      columns.secondHi[at] = kind === 0 ? 0 : hasher.hi;
      columns.secondLo[at] = kind === 0 ? 0 : hasher.lo;
      columns.highestTimestamp[at] = record.timestamp;
      columns.writes[at] = 0;
      hasher.hi = hi;
      hasher.lo = lo;
    }
    const columns = this.#columns;
    columns.lastOffset[at] = record.offset;
    columns.lastTimestamp[at] = record.timestamp;
    if (record.timestamp > columns.highestTimestamp[at]!) columns.highestTimestamp[at] = record.timestamp;
    columns.lastSizeInBytes[at] = record.sizeInBytes;
    columns.writes[at] = columns.writes[at]! + 1;
    columns.state[at] =
      (columns.state[at]! & ~3) | (record.isTombstone ? TOMBSTONE : 0) | (record.isExpired ? EXPIRED : 0);
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
    const columns = this.#columns;
    const writes = found < 0 ? 0 : columns.writes[at]!;
    const highest =
      found < 0 ? entry.highestTimestamp : Math.max(entry.highestTimestamp, columns.highestTimestamp[at]!);
    columns.writes[at] = writes + entry.writes;
    columns.highestTimestamp[at] = highest;
    if (found < 0 || entry.lastOffset >= columns.lastOffset[at]!) {
      columns.lastOffset[at] = entry.lastOffset;
      columns.lastTimestamp[at] = entry.lastTimestamp;
      columns.lastSizeInBytes[at] = entry.lastSizeInBytes;
      columns.secondHi[at] = entry.secondHi;
      columns.secondLo[at] = entry.secondLo;
      columns.state[at] =
        (entry.secondKind << 2) | (entry.lastIsTombstone ? TOMBSTONE : 0) | (entry.lastIsExpired ? EXPIRED : 0);
    }
    if (this.#size > this.largestEntries) this.#thin();
  }

  *entries(): Generator<SampleEntry> {
    for (let at = 0; at < this.#size; at++) yield this.#entry(at);
  }

  /** Forgets a partition, so that it can be read again. */
  forget(partition: number): void {
    this.#keepOnly((at) => this.#columns.partition[at] !== partition);
  }

  countPartition(partition: number): KeyCounts {
    return this.#count((at) => this.#columns.partition[at] === partition);
  }

  /** Counts each key once, in however many partitions it is; it is live where it is live in one of them. */
  countTopic(): KeyCounts {
    const partitions = new Map<string, { first: number; live: boolean; several: boolean }>();
    const { hi, lo, state } = this.#columns;
    for (let at = 0; at < this.#size; at++) {
      const key = `${hi[at]}:${lo[at]}`;
      const live = (state[at]! & TOMBSTONE) === 0;
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
    const { lastSizeInBytes, state } = this.#columns;
    let kept = 0;
    let live = 0;
    const sums = { lastBytes: 0, lastBytesSquared: 0, expiredBytes: 0, expiredBytesSquared: 0 };
    for (let at = 0; at < this.#size; at++) {
      if (!counted(at)) continue;
      const size = lastSizeInBytes[at]!;
      kept++;
      if ((state[at]! & TOMBSTONE) === 0) live++;
      sums.lastBytes += size;
      sums.lastBytesSquared += size * size;
      if ((state[at]! & EXPIRED) === 0) continue;
      sums.expiredBytes += size;
      sums.expiredBytesSquared += size * size;
    }
    return { kept, live, inSeveralPartitions: 0, ...sums, sampledShare: this.sampledShare };
  }

  #entry(at: number): SampleEntry {
    const columns = this.#columns;
    const state = columns.state[at]!;
    return {
      hi: columns.hi[at]!,
      lo: columns.lo[at]!,
      partition: columns.partition[at]!,
      lastOffset: columns.lastOffset[at]!,
      lastTimestamp: columns.lastTimestamp[at]!,
      highestTimestamp: columns.highestTimestamp[at]!,
      lastIsTombstone: (state & TOMBSTONE) !== 0,
      lastIsExpired: (state & EXPIRED) !== 0,
      lastSizeInBytes: columns.lastSizeInBytes[at]!,
      writes: columns.writes[at]!,
      secondKind: state >> 2,
      secondHi: columns.secondHi[at]!,
      secondLo: columns.secondLo[at]!,
    };
  }

  /** The entry's place, or -1 - the free slot of the index where it belongs. */
  #find(hi: number, lo: number, partition: number): number {
    const columns = this.#columns;
    const mask = this.#index.length - 1;
    for (let slot = lo & mask; ; slot = (slot + 1) & mask) {
      const at = this.#index[slot]! - 1;
      if (at < 0) return -1 - slot;
      if (columns.lo[at] === lo && columns.hi[at] === hi && columns.partition[at] === partition) return at;
    }
  }

  #append(hi: number, lo: number, partition: number, found: number): number {
    const at = this.#size++;
    const isFull = at >= this.#columns.hi.length;
    if (isFull) this.#grow();
    this.#columns.hi[at] = hi;
    this.#columns.lo[at] = lo;
    this.#columns.partition[at] = partition;
    if (isFull) this.#reindex();
    else this.#index[-1 - found] = at + 1;
    return at;
  }

  #grow(): void {
    const old = this.#columns;
    const entries = Math.min(old.hi.length * 2, this.largestEntries + 1);
    this.#columns = makeColumns(entries);
    for (const name of WORD_COLUMNS) this.#columns[name].set(old[name]);
    for (const name of NUMBER_COLUMNS) this.#columns[name].set(old[name]);
    this.#index = new Int32Array(indexSize(entries));
  }

  #thin(): void {
    do this.#thinTo(this.#threshold / 2);
    while (this.#size > this.largestEntries);
  }

  #thinTo(threshold: number): void {
    this.#threshold = threshold;
    this.#keepOnly((at) => this.#columns.hi[at]! >>> 0 < threshold);
  }

  #keepOnly(keeps: (at: number) => boolean): void {
    const columns = this.#columns;
    let to = 0;
    for (let at = 0; at < this.#size; at++) {
      if (!keeps(at)) continue;
      for (const name of WORD_COLUMNS) columns[name][to] = columns[name][at]!;
      for (const name of NUMBER_COLUMNS) columns[name][to] = columns[name][at]!;
      to++;
    }
    this.#size = to;
    this.#reindex();
  }

  #reindex(): void {
    const { hi, lo, partition } = this.#columns;
    this.#index.fill(0);
    for (let at = 0; at < this.#size; at++) {
      this.#index[-1 - this.#find(hi[at]!, lo[at]!, partition[at]!)] = at + 1;
    }
  }
}

/** A power of two, at most half full. */
function indexSize(entries: number): number {
  return 2 ** Math.ceil(Math.log2(entries * 2 + 2));
}
