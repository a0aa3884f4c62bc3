/** How numbers, times and durations are written. Pure, so that server, browser and command line write the same. */
import { formatCount } from "#lib/platform/format-count.ts";

/** No-break space: between a number and its unit. */
const GAP = "\u00a0";

export const NOT_KNOWN = "—";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Three digits: `6.20`, `61.3`, `778`. Rounds before it chooses, so that 9.996 is `10.0` and not `10.00`. */
function threeDigits(value: number): string {
  for (const decimals of [2, 1]) {
    const text = value.toFixed(decimals);
    if (text.length <= 4) return text;
  }
  return value.toFixed(0);
}

function scaled(value: number, step: number, units: readonly string[]): string {
  let rest = value;
  let index = 0;
  while (rest >= step && index < units.length - 1) {
    rest /= step;
    index += 1;
  }
  // 999.96 k is written 1.00 M, not 1000 k.
  if (Math.round(rest) >= step && index < units.length - 1) {
    rest /= step;
    index += 1;
  }
  const unit = units[index] ?? "";
  const text = index === 0 ? formatCount(rest) : rest >= 1000 ? formatCount(rest) : threeDigits(rest);
  return unit === "" ? text : `${text}${GAP}${unit}`;
}

/** `6200000` as `6.20 M`: for columns and estimates. */
export function formatCompact(value: number): string {
  return scaled(value, 1000, ["", "k", "M", "B", "T"]);
}

/** `100000000` as `100 M`: for the ticks of an axis. */
export function formatTick(value: number): string {
  return formatCompact(value)
    .replace(/\.0+(?=\D)/, "")
    .replace(/(\.\d)0(?=\D)/, "$1");
}

/** `815792128` as `778 MiB`. */
export function formatBytes(value: number): string {
  return scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]);
}

/** Two decimals, always with its limit beside it where one is known. */
export function formatRatio(value: number): string {
  return value.toFixed(2);
}

/** `0.66` as `66 %`. What is not quite none or all is never rounded to it. */
export function formatShare(value: number): string {
  if (value > 0 && value < 0.005) return `<1${GAP}%`;
  if (value < 1 && value > 0.995) return `>99${GAP}%`;
  return `${Math.round(value * 100)}${GAP}%`;
}

/** Two units at most: `9 d 4 h`, `31 min`, `0.4 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10 * SECOND) return `${(Math.max(0, ms) / SECOND).toFixed(1).replace(/\.0$/, "")}${GAP}s`;
  const units: [number, string][] = [
    [DAY, "d"],
    [HOUR, "h"],
    [MINUTE, "min"],
    [SECOND, "s"],
  ];
  const index = units.findIndex(([size]) => ms >= size);
  const [size, unit] = units[index] as [number, string];
  const first = Math.floor(ms / size);
  const next = units[index + 1];
  if (next === undefined) return `${first}${GAP}${unit}`;
  const second = Math.floor((ms - first * size) / next[0]);
  return second === 0 ? `${first}${GAP}${unit}` : `${first}${GAP}${unit} ${second}${GAP}${next[1]}`;
}

/** One unit: `9 s`, `22 min`, `5 h`, `3 d`. A time that a skewed clock puts into the future is `0 s`. */
export function formatAge(ms: number): string {
  const age = Math.max(0, ms);
  if (age < MINUTE) return `${Math.floor(age / SECOND)}${GAP}s`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)}${GAP}min`;
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)}${GAP}h`;
  return `${Math.floor(age / DAY)}${GAP}d`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `21 Nov 22:57`, UTC. */
export function formatInstant(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => value.toString().padStart(2, "0");
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${clock}`.replaceAll(" ", GAP);
}

/** `21 Nov`, UTC: for axes. */
export function formatDay(at: number): string {
  const date = new Date(at);
  return `${date.getUTCDate()}${GAP}${MONTHS[date.getUTCMonth()]}`;
}

/** A value within bounds; null where only the bounds are known. */
export interface BoundedValue {
  value: number | null;
  low: number;
  high: number;
  exact: boolean;
}

export type FigureKind = "count" | "bytes" | "ratio" | "share";

/** A figure in words: the number, and its error where it is not exact. */
export interface Figure {
  text: string;
  /** `±2 %`, `bounds only`; null where the figure is exact. */
  error: string | null;
}

const FULL: Record<FigureKind, (value: number) => string> = {
  count: formatCount,
  bytes: formatBytes,
  ratio: formatRatio,
  share: formatShare,
};

const SHORT: Record<FigureKind, (value: number) => string> = { ...FULL, count: formatCompact };

/** How far off `value` may be, such as `±2 %`. */
export function formatError(estimate: BoundedValue, value: number, kind: FigureKind): string {
  const half = Math.max(estimate.high - value, value - estimate.low);
  if (kind === "ratio") return half < 0.005 ? "±<0.01" : `±${half.toFixed(2)}`;
  if (kind === "share") return half < 0.005 ? `±<1${GAP}%` : `±${Math.ceil(half * 100)}${GAP}%`;
  if (value === 0) return `at most ${SHORT[kind](estimate.high)}`;
  const percent = (half / value) * 100;
  if (percent < 0.1) return `±<0.1${GAP}%`;
  // Rounded up: an error is never written smaller than it is.
  return percent < 1 ? `±${Math.ceil(percent * 10) / 10}${GAP}%` : `±${Math.ceil(percent)}${GAP}%`;
}

function formatBounds(estimate: BoundedValue, kind: FigureKind): string {
  const write = SHORT[kind];
  if (estimate.low <= 0) return `≤${GAP}${write(estimate.high)}`;
  if ((kind === "ratio" || kind === "share") && estimate.high >= 1) return `≥${GAP}${write(estimate.low)}`;
  const low = write(estimate.low);
  const high = write(estimate.high);
  return low === high ? `≈${GAP}${low}` : `${low} – ${high}`;
}

/**
 * An estimate as text. Exact figures are written in full (`short`: three digits, for columns); estimates have three
 * digits and their error; where only bounds are known the bounds are written and no middle is made up.
 */
export function formatEstimate(estimate: BoundedValue, kind: FigureKind, short = false): Figure {
  if (estimate.value === null) return { text: formatBounds(estimate, kind), error: "bounds" };
  if (estimate.exact) return { text: (short ? SHORT : FULL)[kind](estimate.value), error: null };
  return { text: SHORT[kind](estimate.value), error: formatError(estimate, estimate.value, kind) };
}
