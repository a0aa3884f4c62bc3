/** Half-open offset ranges `[from, to)` that were looked at, kept sorted and merged. */
export class OffsetRanges {
  #ranges: { from: number; to: number }[] = [];

  add(from: number, to: number): void {
    if (to <= from) return;
    const kept: { from: number; to: number }[] = [];
    const merged = { from, to };
    for (const range of this.#ranges) {
      if (range.to < merged.from || range.from > merged.to) kept.push(range);
      else {
        merged.from = Math.min(merged.from, range.from);
        merged.to = Math.max(merged.to, range.to);
      }
    }
    kept.push(merged);
    this.#ranges = kept.sort((a, b) => a.from - b.from);
  }

  /** The parts of `[from, to)` that were not looked at, in order. */
  gaps(from: number, to: number): { from: number; to: number }[] {
    const gaps: { from: number; to: number }[] = [];
    let at = from;
    for (const range of this.#ranges) {
      if (range.to <= at) continue;
      if (range.from >= to) break;
      if (range.from > at) gaps.push({ from: at, to: Math.min(range.from, to) });
      at = Math.max(at, range.to);
    }
    if (at < to) gaps.push({ from: at, to });
    return gaps;
  }

  largestGap(from: number, to: number): { from: number; to: number } | null {
    let largest: { from: number; to: number } | null = null;
    for (const gap of this.gaps(from, to)) {
      if (largest === null || gap.to - gap.from > largest.to - largest.from) largest = gap;
    }
    return largest;
  }

  covers(from: number, to: number): boolean {
    return this.gaps(from, to).length === 0;
  }
}
