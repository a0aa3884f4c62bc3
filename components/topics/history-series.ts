/** From a topic's history to the lines of its charts. Pure. */
import type { HistoryPoint } from "#lib/topics/topic-view.ts";

export type SeriesField = "distinctKeys" | "retainedRecords" | "written" | "dirtyRatio" | "removableShare";

export interface SeriesPoint extends Record<SeriesField, number | null> {
  at: number;
}

/** Points in the order of time, of those that know at least one of the fields. */
export function seriesOf(history: readonly HistoryPoint[], fields: readonly SeriesField[]): SeriesPoint[] {
  return history
    .filter((point) => fields.some((field) => point[field] !== null))
    .map(({ at, distinctKeys, retainedRecords, written, dirtyRatio, removableShare }) => ({
      at,
      distinctKeys,
      retainedRecords,
      written,
      dirtyRatio,
      removableShare,
    }))
    .sort((a, b) => a.at - b.at);
}

export interface LastPoint {
  at: number;
  value: number;
}

export function lastOf(points: readonly SeriesPoint[], field: SeriesField): LastPoint | null {
  const point = points.findLast((candidate) => candidate[field] !== null);
  return point === undefined ? null : { at: point.at, value: point[field] as number };
}

/** A logarithmic axis needs powers of ten around all values; zero has no place on it and is drawn at 1. */
export function logDomain(points: readonly SeriesPoint[], fields: readonly SeriesField[]): [number, number] {
  const values = points.flatMap((point) => fields.map((field) => point[field])).filter((value) => value !== null);
  const low = Math.floor(Math.log10(Math.max(1, Math.min(...values))));
  const high = Math.ceil(Math.log10(Math.max(10, ...values)));
  return [10 ** low, 10 ** Math.max(high, low + 1)];
}

export function logTicks([low, high]: [number, number]): number[] {
  const ticks: number[] = [];
  for (let tick = low; tick <= high * 1.001; tick *= 10) ticks.push(tick);
  const step = Math.ceil(ticks.length / 5);
  return ticks.filter((_, index) => index % step === 0);
}

/** Direct labels, pushed apart so that they can be read; in order from above, as shares of the height from the top. */
export function spreadLabels(places: readonly number[], gap: number): number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  let floor = Number.NEGATIVE_INFINITY;
  const spread = [...places];
  for (const { place, index } of order) {
    const at = Math.max(place, floor);
    spread[index] = at;
    floor = at + gap;
  }
  const over = Math.max(0, ...spread.map((place) => place - 1));
  return spread.map((place) => place - over);
}
