import { BatchEvidence } from "#lib/compaction/batch-evidence.ts";

/** Evidence of windows that lie anywhere in the log and were read in any order. */
export class WindowEvidence extends BatchEvidence {
  readonly #logStart: number;
  readonly #lowestOffsets = new Map<number, number>();
  #isKeyLimited = false;

  /** @param end the last stable offset: the cleaner does not pass it */
  constructor(logStart: number, end: number) {
    super(logStart, end);
    this.#logStart = logStart;
  }

  /** A batch or a record proved something: this log is rewritten. */
  get hasAny(): boolean {
    return this.#isKeyLimited || this.low > this.#logStart;
  }

  /** @param keyHash 53 bits or fewer; null where the record has no key */
  addRecord(offset: number, keyHash: number | null): void {
    this.addOffset(offset);
    if (keyHash === null) {
      this.#limitByKey(offset);
      return;
    }
    // Over all windows together, the second lowest offset of a key is what counts.
    const lowest = this.#lowestOffsets.get(keyHash);
    if (lowest === undefined) this.#lowestOffsets.set(keyHash, offset);
    else if (offset > lowest) this.#limitByKey(offset);
    else if (offset < lowest) {
      this.#lowestOffsets.set(keyHash, offset);
      this.#limitByKey(lowest);
    }
  }

  #limitByKey(offset: number): void {
    this.#isKeyLimited = true;
    this.limit(offset);
  }
}
