/**
 * A log in memory that is cut into segments and cleaned by Kafka's rules, for unit tests of what is measured from
 * outside: the truth (segment bases, first dirty offset, sizes) is known at every moment.
 */
export interface FakeRecord {
  offset: number;
  /** Null: no key. */
  key: string | null;
  isTombstone: boolean;
  sizeInBytes: number;
}

export interface FakeBatch {
  baseOffset: number;
  lastOffset: number;
  records: FakeRecord[];
  isControl: boolean;
  isTransactional: boolean;
  isAborted: boolean;
  hasDeleteHorizon: boolean;
  timestamp: number;
}

export interface FakeSegment {
  base: number;
  batches: FakeBatch[];
  bytes: number;
}

export const FAKE_BATCH_HEADER_BYTES = 61;

export const batchBytes = (batch: FakeBatch): number =>
  FAKE_BATCH_HEADER_BYTES + batch.records.reduce((sum, record) => sum + record.sizeInBytes, 0);

const bytesOf = (batches: readonly FakeBatch[]): number => batches.reduce((sum, batch) => sum + batchBytes(batch), 0);

export interface AppendOptions {
  timestamp?: number;
  isTransactional?: boolean;
  isAborted?: boolean;
  isControl?: boolean;
}

export class FakeLog {
  segments: FakeSegment[] = [{ base: 0, batches: [], bytes: 0 }];
  logStart = 0;
  logEnd = 0;
  /** Null: no transaction is open. */
  openTransactionAt: number | null = null;
  firstDirtyOffset = 0;
  readonly #segmentBytesMax: number;

  constructor(segmentBytesMax: number) {
    this.#segmentBytesMax = segmentBytesMax;
  }

  get lastStable(): number {
    return this.openTransactionAt ?? this.logEnd;
  }

  get activeSegmentBase(): number {
    return this.segments[this.segments.length - 1]!.base;
  }

  get bytes(): number {
    return this.segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  append(
    records: { key: string | null; isTombstone?: boolean; sizeInBytes: number }[],
    options: AppendOptions = {},
  ): void {
    const baseOffset = this.logEnd;
    const batch: FakeBatch = {
      baseOffset,
      lastOffset: baseOffset + Math.max(1, records.length) - 1,
      records: records.map((record, index) => ({ isTombstone: false, ...record, offset: baseOffset + index })),
      isControl: options.isControl ?? false,
      isTransactional: options.isTransactional ?? false,
      isAborted: options.isAborted ?? false,
      hasDeleteHorizon: false,
      timestamp: options.timestamp ?? baseOffset,
    };
    const active = this.segments[this.segments.length - 1]!;
    const isFull = active.bytes > this.#segmentBytesMax - batchBytes(batch);
    if (isFull && active.batches.length > 0) {
      this.segments.push({ base: baseOffset, batches: [batch], bytes: batchBytes(batch) });
    } else {
      active.batches.push(batch);
      active.bytes += batchBytes(batch);
    }
    this.logEnd = batch.lastOffset + 1;
  }

  /** Begins a new active segment with the next append, as a roll by time would. */
  roll(): void {
    const isEmpty = this.segments[this.segments.length - 1]!.batches.length === 0;
    if (!isEmpty) this.segments.push({ base: this.logEnd, batches: [], bytes: 0 });
  }

  /** First segment that the cleaner may not clean. */
  get firstUncleanableOffset(): number {
    const holdsStable = this.segments.findLast((segment) => segment.base <= this.lastStable)!.base;
    return Math.min(this.activeSegmentBase, holdsStable);
  }

  get dirtyRatio(): number {
    const uncleanable = this.firstUncleanableOffset;
    const sum = (pick: (segment: FakeSegment) => boolean): number =>
      this.segments.filter(pick).reduce((total, segment) => total + segment.bytes, 0);
    const clean = sum((segment) => segment.base < this.firstDirtyOffset);
    // A segment that the first dirty offset lies inside of counts as both.
    const floor = this.segments.findLast((segment) => segment.base <= this.firstDirtyOffset)!.base;
    const cleanable = this.firstDirtyOffset >= uncleanable ? 0 : sum(({ base }) => base >= floor && base < uncleanable);
    return clean + cleanable === 0 ? 0 : cleanable / (clean + cleanable);
  }

  /** Records that a read_committed reader gets. */
  get retainedRecords(): number {
    return this.segments
      .flatMap((segment) => segment.batches)
      .filter((batch) => !batch.isControl && !batch.isAborted && batch.baseOffset < this.lastStable)
      .reduce((sum, batch) => sum + batch.records.length, 0);
  }

  /**
   * One run of the cleaner.
   * @param mapCapacity keys that the offset map holds; where it fills up the run ends inside a segment
   * @param mergeBytes cleaned segments are joined up to this size, as the cleaner groups them
   */
  clean(mapCapacity = Number.POSITIVE_INFINITY, mergeBytes = 0): void {
    const uncleanable = this.firstUncleanableOffset;
    const newest = new Map<string, number>();
    let end = this.firstDirtyOffset;
    fill: for (const segment of this.segments) {
      if (segment.base >= uncleanable) break;
      for (const batch of segment.batches) {
        if (batch.isControl || batch.isAborted || batch.lastOffset < this.firstDirtyOffset) continue;
        for (const record of batch.records) {
          if (record.offset < this.firstDirtyOffset) continue;
          if (record.key === null) continue;
          if (!newest.has(record.key) && newest.size >= mapCapacity) break fill;
          newest.set(record.key, record.offset);
          end = record.offset + 1;
        }
      }
      end = this.#endOf(segment);
    }
    for (const segment of this.segments) {
      if (segment.base >= Math.min(end, uncleanable)) continue;
      segment.batches = segment.batches.flatMap((batch) => cleanBatch(batch, newest, end));
      segment.bytes = bytesOf(segment.batches);
    }
    if (mergeBytes > 0) this.#merge(end, mergeBytes);
    this.firstDirtyOffset = end;
  }

  #endOf(segment: FakeSegment): number {
    const next = this.segments[this.segments.indexOf(segment) + 1];
    return next?.base ?? this.logEnd;
  }

  #merge(end: number, mergeBytes: number): void {
    const merged: FakeSegment[] = [];
    for (const segment of this.segments) {
      const last = merged[merged.length - 1];
      const canMerge = last !== undefined && this.#endOf(segment) <= end && last.bytes + segment.bytes <= mergeBytes;
      if (canMerge) {
        last.batches.push(...segment.batches);
        last.bytes += segment.bytes;
      } else merged.push({ ...segment, batches: [...segment.batches] });
    }
    this.segments = merged;
  }
}

function cleanBatch(batch: FakeBatch, newest: ReadonlyMap<string, number>, end: number): FakeBatch[] {
  if (batch.isControl || batch.baseOffset >= end) return [batch];
  if (batch.isAborted) return [];
  const records = batch.records.filter(
    (record) => record.offset >= end || (record.key !== null && record.offset >= (newest.get(record.key) ?? -1)),
  );
  if (records.length === 0) return [];
  const hasDeleteHorizon =
    batch.hasDeleteHorizon || records.some((record) => record.isTombstone && record.offset < end);
  return [{ ...batch, records, hasDeleteHorizon }];
}
