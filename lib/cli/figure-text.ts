/** Figures for a terminal: exact ones in full, estimates with `≈` and their error, bounds as bounds. Pure. */
import type { Estimate, OffsetInterval } from "#lib/compaction/measurement.ts";
import { formatCount } from "#lib/platform/format-count.ts";

export const NOT_KNOWN = "—";
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function writeBytes(bytes: number): string {
  let rest = bytes;
  let unit = 0;
  while (rest >= 1024 && unit < UNITS.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${unit === 0 ? rest : Number(rest.toPrecision(3))} ${UNITS[unit]}`;
}

export function writeDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export const writeRatio = (ratio: number): string => ratio.toFixed(2);

/** What is not quite none or all is never rounded to it. */
export function writeShare(share: number): string {
  if (share > 0 && share < 0.005) return "<1 %";
  if (share < 1 && share > 0.995) return ">99 %";
  return `${Math.round(share * 100)} %`;
}

/** Rounded up: an error is never written smaller than it is. */
function relativeError({ low, high }: Estimate, value: number): string {
  if (value === 0) return "";
  const percent = (Math.max(high - value, value - low) / value) * 100;
  return percent < 1 ? ` ±${Math.ceil(percent * 10) / 10} %` : ` ±${Math.ceil(percent)} %`;
}

/** `4 188 204`, `≈ 4 190 000 ±2 %`, `≤ 412 880`, `1 200 to 1 900`. */
export function writeCountEstimate(estimate: Estimate | null): string {
  if (estimate === null) return NOT_KNOWN;
  const { value, low, high, exact } = estimate;
  if (value === null) return bounds(low, high, formatCount);
  if (exact) return formatCount(value);
  return `≈ ${formatCount(rounded(value))}${relativeError(estimate, value)}`;
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
