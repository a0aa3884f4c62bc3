import type { FetchAnswer, PeekAnswer, RecordBatch, ReplicaLog } from "#lib/brokers/replica-log-port.ts";
import type { KeyHasher } from "#lib/compaction/keys/key-hash.ts";
import type { AnswerCap } from "#lib/compaction/probe/answer-cap.ts";
import { OffsetRanges } from "#lib/compaction/probe/offset-ranges.ts";
import type { ProbeBudget } from "#lib/compaction/probe/probe-budget.ts";
import { WindowEvidence } from "#lib/compaction/probe/window-evidence.ts";

/** Odd, so that batches of a power of two do not end exactly at what was asked for. */
export const WINDOW_BYTES = 64 * 1024 - 1;
export const WINDOW_BYTES_MAX = 256 * 1024 - 1;
export const PEEK_BYTES = 50 * 1024 * 1024;
const PEEKS_MAX = 15;
const PEEK_READ_BYTES = 64 * 1024;

/** What one window held. Offsets from `from` (inclusive) to `to` (exclusive). */
export interface LogWindow {
  from: number;
  to: number;
  /** Bytes of its whole batches. */
  bytes: number;
  /** Records in its batches, control batches left out. */
  records: number;
  tombstones: number;
  holdsTransactions: boolean;
  maxTimestamp: number;
}

export interface Look extends LogWindow {
  answer: FetchAnswer;
  endsAtBoundary: boolean;
}

/**
 * A segment boundary: the base of a segment lies in `[next, first]`, where `next` follows the last record before it and
 * `first` is the base offset of the first batch after it; null while nobody looked there. Above the clean point the
 * base is `first`.
 */
export interface SegmentBoundary {
  next: number;
  first: number | null;
}

export interface Peek {
  /** Bytes from the offset to the end of its segment, or the ask where `reachesAsk`. */
  recordSetBytes: number;
  reachesAsk: boolean;
  /** Base offset of the batch that holds the offset, or of the next one: the bytes count from there. */
  base: number;
  /** Bytes per offset of the whole batches at its head; null where not even one was read. */
  headDensity: number | null;
  /** Where all of it was read: the offset after it. Else null. */
  wholeTo: number | null;
}

/** Where the segment that holds an offset ends. */
export interface SegmentEnd {
  /** The segment is the active one: it ends at the log end. */
  isLogEnd: boolean;
  /** Base offset of the next segment; the high watermark where `isLogEnd`. */
  base: number;
  /** Bytes from the offset that was asked for to the end of its segment. */
  bytes: number;
  areBytesExact: boolean;
  /** Reached by a jump, which only the density says to have stayed in the segment. */
  isJumped: boolean;
}

/**
 * Reads windows of one replica's log and keeps what they prove together: evidence for the clean point, offsets that
 * were looked at, segment boundaries.
 */
export class LogExplorer {
  readonly log: ReplicaLog;
  readonly logStart: number;
  /** `segment.bytes`: no segment is longer, but for one batch. */
  readonly segmentBytes: number;
  /** Size of the replica; null where it is not known. */
  readonly replicaBytes: number | null;
  readonly evidence: WindowEvidence;
  readonly explored = new OffsetRanges();
  readonly boundaries = new Map<number, SegmentBoundary>();
  /** By the offset that was asked for. */
  readonly segmentEnds = new Map<number, SegmentEnd>();
  readonly windows: LogWindow[] = [];
  highWatermark: number;
  wasThrottled = false;
  largestBatchBytes = 0;
  readonly #cap: AnswerCap;
  readonly #budget: ProbeBudget;
  readonly #hasher: KeyHasher;
  readonly #peeked = new Map<number, Peek>();
  /** Base offsets of the first batches of answers: a batch begins there. */
  readonly #firstBases = new Set<number>();
  /** Answers of whole batches that were as long as what was asked for, or longer: by their end, from where and how long. */
  readonly #wholeAnswers = new Map<number, { offset: number; recordSetBytes: number }>();
  #peeks = 0;

  constructor(
    log: ReplicaLog,
    range: { logStart: number; logEnd: number; lastStable: number },
    parts: {
      cap: AnswerCap;
      budget: ProbeBudget;
      hasher: KeyHasher;
      segmentBytes: number;
      replicaBytes: number | null;
    },
  ) {
    this.log = log;
    this.logStart = range.logStart;
    this.highWatermark = range.logEnd;
    this.evidence = new WindowEvidence(range.logStart, Math.min(range.lastStable, range.logEnd));
    this.#cap = parts.cap;
    this.#budget = parts.budget;
    this.#hasher = parts.hasher;
    this.segmentBytes = parts.segmentBytes;
    this.replicaBytes = parts.replicaBytes;
  }

  /** @param bytesKept bytes of the budget that must be left for something else */
  canLook(ask: number = WINDOW_BYTES, bytesKept = 0): boolean {
    return this.#budget.allows(ask) && this.#budget.bytesLeft() >= bytesKept;
  }

  /** Peeks are sound only where the broker is known to answer with that much. */
  canPeek(): boolean {
    return this.arePeeksAllowed() && this.#peeks < PEEKS_MAX && this.#budget.allowsPeek(2 * PEEK_READ_BYTES);
  }

  arePeeksAllowed(): boolean {
    return this.#cap.allows(PEEK_BYTES) && !this.wasThrottled;
  }

  async look(offset: number, ask: number = WINDOW_BYTES): Promise<Look> {
    const window = { from: offset, bytes: 0, records: 0, tombstones: 0, holdsTransactions: false, maxTimestamp: 0 };
    const answer = await this.#fetch(offset, ask, window);
    const from = Math.min(offset, answer.firstBaseOffset ?? offset);
    this.explored.add(from, answer.nextOffset);
    if (answer.firstBaseOffset !== null) this.#firstBases.add(answer.firstBaseOffset);
    const known = this.boundaries.get(offset);
    if (known && answer.firstBaseOffset !== null) known.first = answer.firstBaseOffset;
    const endsAtBoundary = await this.#endsAtBoundary(ask, answer);
    if (endsAtBoundary && !this.boundaries.has(answer.nextOffset)) {
      this.boundaries.set(answer.nextOffset, { next: answer.nextOffset, first: null });
    }
    const look = { ...window, from, to: answer.nextOffset, answer, endsAtBoundary };
    this.windows.push(look);
    return look;
  }

  /** What was peeked at before is not asked again: only the active segment grows, and its end is looked at. */
  async peek(offset: number): Promise<Peek> {
    const before = this.#peeked.get(offset);
    if (before !== undefined) return before;
    this.#peeks += 1;
    const answer = await this.log.peek(offset, PEEK_BYTES);
    this.highWatermark = Math.max(this.highWatermark, answer.highWatermark);
    this.wasThrottled ||= answer.wasThrottled;
    const known = this.boundaries.get(offset);
    if (known && answer.firstBaseOffset !== null) known.first = answer.firstBaseOffset;
    const isWhole = answer.readBytes === answer.recordSetBytes && answer.readBytes > 0;
    const peek = {
      recordSetBytes: answer.recordSetBytes,
      reachesAsk: answer.recordSetBytes >= PEEK_BYTES,
      base: answer.firstBaseOffset ?? offset,
      headDensity: headDensityOf(answer),
      wholeTo: isWhole ? answer.readNextOffset : null,
    };
    this.#peeked.set(offset, peek);
    if (answer.firstBaseOffset !== null) this.#peeked.set(answer.firstBaseOffset, peek);
    return peek;
  }

  /**
   * The base of the segment that begins at this boundary, looked up where it is not known yet; null without budget. A
   * peek tells the size of that segment as well.
   */
  async resolveFirst(boundary: SegmentBoundary): Promise<number | null> {
    if (boundary.first === null && this.#firstBases.has(boundary.next)) boundary.first = boundary.next;
    if (boundary.first === null && boundary.next < this.highWatermark) {
      if (this.canPeek()) await this.peek(boundary.next);
      else if (this.canLook()) await this.look(boundary.next);
    }
    return boundary.first;
  }

  /** The highest bytes per offset of the windows that begin at `from` or later; null where there is none. */
  highestDensityFrom(from: number): number | null {
    const each = this.windows.filter((one) => one.from >= from && one.bytes > 0);
    return each.length === 0 ? null : Math.max(...each.map((one) => one.bytes / (one.to - one.from)));
  }

  /** Bytes per offset between two offsets, from the windows that lie there; null where there is none. */
  bytesPerOffset(from: number, to: number): number | null {
    let bytes = 0;
    let span = 0;
    for (const window of this.windows) {
      if (window.from < from || window.to > to || window.to <= window.from) continue;
      bytes += window.bytes;
      span += window.to - window.from;
    }
    return span === 0 ? null : bytes / span;
  }

  /**
   * Proves ends of answers in `[low, high]` that their length alone does not prove (one batch larger than what was asked
   * for): a peek from the same offset is as long only where the segment ends there.
   */
  async proveEnds(low: number, high: number): Promise<void> {
    for (const [next, { offset, recordSetBytes }] of this.#wholeAnswers) {
      if (next < low || next > high || next >= this.highWatermark || this.boundaries.has(next) || !this.canPeek())
        continue;
      const peek = await this.peek(offset);
      if (!peek.reachesAsk && peek.recordSetBytes === recordSetBytes) this.boundaries.set(next, { next, first: null });
    }
  }

  /** True where an answer ended in `[low, high]` that may be a segment's end, and nobody could prove it. */
  hasUnprovenEnd(low: number, high: number): boolean {
    return [...this.#wholeAnswers].some(([next, { offset }]) => {
      return next >= low && next <= high && !this.boundaries.has(next) && !this.#peeked.has(offset);
    });
  }

  async #endsAtBoundary(ask: number, answer: FetchAnswer): Promise<boolean> {
    const isLong = answer.batchCount > 0 && !answer.endsInPartialBatch && answer.recordSetBytes >= ask;
    if (isLong && answer.nextOffset < answer.highWatermark) {
      const offset = answer.firstBaseOffset!;
      const peeked = this.#peeked.get(offset);
      if (peeked && !peeked.reachesAsk && peeked.recordSetBytes === answer.recordSetBytes) return true;
      this.#wholeAnswers.set(answer.nextOffset, { offset, recordSetBytes: answer.recordSetBytes });
    }
    const end = this.#cap.judge(ask, answer);
    if (end !== "confirm") return end === "boundary";
    if (!this.canLook(ask)) return false;
    const again = await this.#fetch(answer.lastBaseOffset!, ask, null);
    const isWhole = again.batchCount > 0 && !again.endsInPartialBatch;
    return isWhole && again.nextOffset === answer.nextOffset && again.recordSetBytes < answer.recordSetBytes;
  }

  async #fetch(offset: number, ask: number, window: Omit<LogWindow, "from" | "to"> | null): Promise<FetchAnswer> {
    const { evidence } = this;
    const hasher = this.#hasher;
    evidence.beginAt(offset);
    const answer = await this.log.fetch(
      { offset, maxBytes: ask, isolation: "read_uncommitted" },
      {
        batch: (batch) => {
          this.#budget.noteBatch(batch.sizeInBytes);
          if (batch.sizeInBytes > this.largestBatchBytes) this.largestBatchBytes = batch.sizeInBytes;
          if (window) addToWindow(window, batch);
          evidence.addBatch(batch);
          return !batch.isControl && batch.recordCount > 0;
        },
        record: (recordOffset, _timestamp, bytes, keyStart, keyEnd, isTombstone) => {
          if (window && isTombstone) window.tombstones += 1;
          if (keyStart < 0) {
            evidence.addRecord(recordOffset, null);
            return;
          }
          hasher.hash(bytes, keyStart, keyEnd);
          evidence.addRecord(recordOffset, (hasher.hi >>> 0) * 0x20_0000 + (hasher.lo >>> 11));
        },
      },
    );
    evidence.endBatch();
    this.highWatermark = Math.max(this.highWatermark, answer.highWatermark);
    this.wasThrottled ||= answer.wasThrottled;
    return answer;
  }
}

function headDensityOf({ firstBaseOffset, readBatchCount, readBytes, readNextOffset }: PeekAnswer): number | null {
  const offsets = firstBaseOffset === null ? 0 : readNextOffset - firstBaseOffset;
  return readBatchCount === 0 || offsets <= 0 ? null : readBytes / offsets;
}

function addToWindow(window: Omit<LogWindow, "from" | "to">, batch: RecordBatch): void {
  window.bytes += batch.sizeInBytes;
  if (!batch.isControl) window.records += batch.recordCount;
  if (batch.isTransactional) window.holdsTransactions = true;
  if (batch.maxTimestamp > window.maxTimestamp) window.maxTimestamp = batch.maxTimestamp;
}
