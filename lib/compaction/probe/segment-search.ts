import { type LogExplorer, type Look, type SegmentEnd, WINDOW_BYTES } from "#lib/compaction/probe/log-explorer.ts";

/** With less than this left to the segment's end one look reaches it. */
const LAST_LOOK_BYTES = 80 * 1024;
const LAST_MARGIN_BYTES = 32 * 1024;
const STEPS_MAX = 14;
/** Without peeks a segment is walked by this many looks before it counts as too large. */
const PLAIN_LOOKS_MAX = 4;
/** A jump is believed where the bytes that it passed are within these multiples of what the density says. */
const PLAUSIBLE_LOW = 0.75;
const PLAUSIBLE_HIGH = 1.35;

/**
 * Finds the end of the segment that holds `offset`, and the bytes up to it.
 *
 * A peek tells the bytes from an offset to the end of its segment; the local density tells about how many offsets those
 * are; a jump short of the end and another peek make the density exact over that stretch, so that the way left shrinks
 * by a factor with each step; the last step is a look whose answer ends at the boundary by proof. A jump into the next
 * segment shows: the bytes passed no longer fit the density.
 *
 * @returns null where it was not reached: peeks are not allowed and the segment is large, or the budget ended
 */
export async function findSegmentEnd(explorer: LogExplorer, offset: number): Promise<SegmentEnd | null> {
  const known = explorer.segmentEnds.get(offset);
  if (known !== undefined) return known;
  const end = await new SegmentEndSearch(explorer, offset).run();
  if (end !== null) explorer.segmentEnds.set(offset, end);
  return end;
}

class SegmentEndSearch {
  readonly #explorer: LogExplorer;
  #at: number;
  /** Bytes from the offset that was asked for to `#at`. */
  #passedBytes = 0;
  #areBytesExact = true;
  #isJumped = false;
  /** The density was looked at here, and not taken from elsewhere. */
  #isDensityLocal = false;
  /** Bytes from `#at` to the end of the segment; null while not known. */
  #leftBytes: number | null = null;
  /** Bytes per offset ahead; null while not known. */
  #density: number | null;
  /** Share of the way left that a jump covers. */
  #reach = 0.94;
  #plainLooks = 0;

  constructor(explorer: LogExplorer, offset: number) {
    this.#explorer = explorer;
    this.#at = offset;
    this.#density =
      explorer.bytesPerOffset(offset, explorer.highWatermark) ??
      explorer.bytesPerOffset(explorer.evidence.low, explorer.highWatermark);
  }

  async run(): Promise<SegmentEnd | null> {
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const end = await this.#step();
      if (end !== "on") return end;
    }
    return null;
  }

  #step(): Promise<SegmentEnd | null | "on"> {
    const left = this.#leftBytes;
    if (this.#density === null) return this.#lookHere(WINDOW_BYTES);
    if (left === null) return this.#explorer.canPeek() ? this.#measureLeft() : this.#lookPlainly();
    if (left <= LAST_LOOK_BYTES) return this.#lookHere(Math.max(WINDOW_BYTES, left + 8191));
    const { largestBatchBytes } = this.#explorer;
    // Half a batch: the one that holds the target begins before it, and is sent whole.
    const margin = Math.max(LAST_MARGIN_BYTES, largestBatchBytes / 2, (1 - this.#reach) * left);
    if (left <= 2 * margin) return this.#lookHere(left + 8191);
    const target = this.#at + Math.max(1, Math.floor((left - margin) / this.#density));
    if (target >= this.#explorer.highWatermark) return this.#shorten();
    return margin <= Math.max(LAST_LOOK_BYTES, this.#explorer.largestBatchBytes)
      ? this.#lookAcross(target, margin)
      : this.#advance(target);
  }

  async #lookPlainly(): Promise<SegmentEnd | null | "on"> {
    this.#plainLooks += 1;
    return this.#plainLooks > PLAIN_LOOKS_MAX ? null : this.#lookHere(WINDOW_BYTES);
  }

  async #lookHere(ask: number): Promise<SegmentEnd | null | "on"> {
    if (!this.#explorer.canLook(ask)) return null;
    const look = await this.#explorer.look(this.#at, ask);
    const end = await this.#endOf(look, this.#passedBytes + look.bytes);
    if (end !== "on" || look.to <= this.#at) return end === "on" ? null : end;
    this.#passedBytes += look.bytes;
    this.#at = look.to;
    if (this.#leftBytes !== null) this.#leftBytes = Math.max(1, this.#leftBytes - look.bytes);
    if (look.bytes > 0) this.#density = look.bytes / (look.to - look.from);
    return "on";
  }

  async #measureLeft(): Promise<SegmentEnd | "on"> {
    const explorer = this.#explorer;
    const peek = await explorer.peek(this.#at);
    if (peek.wholeTo !== null && peek.wholeTo >= explorer.highWatermark) {
      const bytes = this.#passedBytes + peek.recordSetBytes;
      const { areBytesExact, isJumped } = this.#quality();
      return { isLogEnd: true, base: peek.wholeTo, bytes, areBytesExact, isJumped };
    }
    if (!peek.reachesAsk) {
      this.#leftBytes = peek.recordSetBytes;
      this.#at = peek.base;
      return "on";
    }
    // More is left than one answer can hold: jump within what it holds, by density alone.
    const jump = Math.max(1, Math.floor((0.8 * peek.recordSetBytes) / this.#density!));
    this.#isJumped = true;
    this.#passedBytes += jump * this.#density!;
    this.#areBytesExact = false;
    this.#at = Math.min(this.#at + jump, this.#explorer.highWatermark - 1);
    return "on";
  }

  /** The last jump: what is left after it fits one look, whose end is a proof and whose bytes tell those passed. */
  async #lookAcross(target: number, margin: number): Promise<SegmentEnd | null | "on"> {
    const ask = Math.ceil(margin + Math.max(margin, this.#explorer.largestBatchBytes)) + LAST_MARGIN_BYTES;
    if (!this.#explorer.canLook(ask)) return null;
    const left = this.#leftBytes!;
    const look = await this.#explorer.look(target, ask);
    const isEnd = look.endsAtBoundary || look.to >= look.answer.highWatermark;
    if (isEnd) {
      const isSameSegment = this.#isPlausible(left - look.bytes, look.from - this.#at);
      this.#isJumped = true;
      return isSameSegment ? this.#endOf(look, this.#passedBytes + left) : this.#shorten();
    }
    return look.to > target ? this.#advance(look.to) : null;
  }

  /** Goes on from `target`, which should lie in the same segment, and measures what is left there. */
  async #advance(target: number): Promise<SegmentEnd | null | "on"> {
    if (!this.#explorer.canPeek()) return null;
    const left = this.#leftBytes!;
    const peek = await this.#explorer.peek(target);
    const passed = left - peek.recordSetBytes;
    const offsets = peek.base - this.#at;
    if (peek.reachesAsk || offsets <= 0 || !this.#isPlausible(passed, offsets)) return this.#shorten();
    this.#isJumped = true;
    this.#density = passed / offsets;
    this.#passedBytes += passed;
    this.#at = peek.base;
    this.#leftBytes = peek.recordSetBytes;
    this.#reach = 0.95;
    return "on";
  }

  /** A jump that is not believed: once the density ahead is looked at anew, after that jumps get shorter. */
  async #shorten(): Promise<null | "on"> {
    if (!this.#isDensityLocal) {
      this.#isDensityLocal = true;
      this.#density = null;
      return "on";
    }
    this.#reach /= 2;
    return this.#reach < 0.1 ? null : "on";
  }

  #isPlausible(passedBytes: number, offsets: number): boolean {
    const ratio = passedBytes / (this.#density! * Math.max(1, offsets));
    return ratio >= PLAUSIBLE_LOW && ratio <= PLAUSIBLE_HIGH;
  }

  async #endOf(look: Look, bytes: number): Promise<SegmentEnd | null | "on"> {
    const quality = this.#quality();
    if (look.to >= look.answer.highWatermark) return { isLogEnd: true, base: look.to, bytes, ...quality };
    if (!look.endsAtBoundary) return "on";
    const base = await this.#explorer.resolveFirst(this.#explorer.boundaries.get(look.to)!);
    return base === null ? null : { isLogEnd: false, base, bytes, ...quality };
  }

  #quality(): { areBytesExact: boolean; isJumped: boolean } {
    return { areBytesExact: this.#areBytesExact, isJumped: this.#isJumped };
  }
}
