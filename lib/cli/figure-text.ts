/** Figures for a terminal: exact ones in full, estimates with `≈` and their error, bounds as bounds. Pure. */
import type { Estimate, OffsetInterval } from "#lib/compaction/measurement.ts";
import { formatCount } from "#lib/platform/format-count.ts";
import { formatError, NOT_KNOWN } from "#lib/platform/format-figure.ts";

/** `4 188 204`, `≈ 4 190 000 ±2 %`, `≤ 412 880`, `1 200 to 1 900`. */
export function writeCountEstimate(estimate: Estimate | null): string {
  if (estimate === null) return NOT_KNOWN;
  const { value, low, high, exact } = estimate;
  if (value === null) return bounds(low, high, formatCount);
  if (exact) return formatCount(value);
  return `≈ ${formatCount(rounded(value))} ${formatError(estimate, value, "count")}`;
}

/** `0.17`, `≈ 0.17 (0.15 to 0.19)`, `≤ 0.40`. */
export function writePartEstimate(estimate: Estimate | null, write: (part: number) => string): string {
  if (estimate === null) return NOT_KNOWN;
  const { value, low, high, exact } = estimate;
  if (value === null) return bounds(low, high, write);
  if (exact) return write(value);
  return write(low) === write(high) ? `≈ ${write(value)}` : `≈ ${write(value)} (${write(low)} to ${write(high)})`;
}

export function writeInterval(interval: OffsetInterval | null): string {
  if (interval === null) return NOT_KNOWN;
  return interval.low === interval.high
    ? formatCount(interval.low)
    : `${formatCount(interval.low)} to ${formatCount(interval.high)}`;
}

function bounds(low: number, high: number, write: (value: number) => string): string {
  if (low === high) return `≈ ${write(low)}`;
  return low <= 0 ? `≤ ${write(high)}` : `${write(low)} to ${write(high)}`;
}

/** Three digits: an estimate has no more. */
const rounded = (value: number): number => Number(value.toPrecision(3));
