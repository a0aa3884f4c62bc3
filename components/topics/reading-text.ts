/** A reading in words. Pure. */

import { formatCount } from "#lib/platform/format-count.ts";
import { type FigureKind, formatEstimate, NOT_KNOWN } from "#lib/platform/format-figure.ts";
import type { Reading } from "#lib/topics/fleet-view.ts";

export interface ReadingText {
  /** The number, or a dash. */
  figure: string;
  /** How it was got: `by scan`, `by offset span`; null where there is no reading. */
  method: string | null;
  /** `exact`, `±2 %`, `bounds`, `upper bound`; null where there is no reading. */
  error: string | null;
}

const METHODS: Record<Reading["method"], string> = {
  probe: "by probe",
  scan: "by scan",
  offsets: "by offset span",
  "log-dirs": "by server",
};

/**
 * @param short three digits, for columns
 */
export function describeReading(reading: Reading | null, kind: FigureKind, short = false): ReadingText {
  if (reading === null) return { figure: NOT_KNOWN, method: null, error: null };
  const { estimate, method } = reading;
  // Offsets bound the records from above and are never written as if they were records.
  if (method === "offsets") {
    const bound = short
      ? formatEstimate({ ...estimate, value: null, low: 0 }, kind).text
      : `≤\u00a0${formatCount(estimate.high)}`;
    return { figure: bound, method: METHODS.offsets, error: "upper bound" };
  }
  // Bounds from nothing to everything tell nothing.
  if (kind === "share" && estimate.value === null && estimate.low <= 0.005 && estimate.high >= 0.995) {
    return { figure: NOT_KNOWN, method: METHODS[method], error: "known by scan" };
  }
  const { text, error } = formatEstimate(estimate, kind, short);
  return { figure: text, method: METHODS[method], error: error ?? "exact" };
}
