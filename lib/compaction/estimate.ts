import type { Estimate } from "#lib/compaction/measurement.ts";

/** 97.5 % quantiles of Student's t by degrees of freedom; between two entries the larger one is taken. */
const T_QUANTILES: readonly (readonly [degrees: number, quantile: number])[] = [
  [1, 12.71],
  [2, 4.3],
  [3, 3.18],
  [4, 2.78],
  [5, 2.57],
  [7, 2.36],
  [10, 2.23],
  [15, 2.13],
  [20, 2.09],
  [30, 2.04],
  [60, 2.0],
];

export function tQuantile(degrees: number): number {
  let quantile = T_QUANTILES[0]![1];
  for (const [at, value] of T_QUANTILES) if (degrees >= at) quantile = value;
  return quantile;
}

export const estimated = (value: number | null, low: number, high: number): Estimate => ({
  value: value === null ? null : clamp(value, low, high),
  low,
  high: Math.max(low, high),
  exact: false,
});

export const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Sum of independent figures; the bounds are added, which is wider than needed. */
export function addEstimates(a: Estimate, b: Estimate): Estimate {
  return {
    value: a.value === null || b.value === null ? null : a.value + b.value,
    low: a.low + b.low,
    high: a.high + b.high,
    exact: a.exact && b.exact,
  };
}
