/** How much of the fleet comes with the page itself. Pure. */
import { type FleetOverview, listItems, SORT_VALUES, summarizeItems } from "#components/fleet/fleet-items.ts";
import type { FleetView } from "#lib/topics/fleet-view.ts";

/** Up to here the whole view is part of the page; a row is 2 to 4 KB. */
const WHOLE_ROWS_MAX = 300;
const FIRST_ROWS = 60;

export interface FirstRows {
  initial: FleetView;
  /** Of all rows, where `initial` holds the first ones only; null where it holds all. */
  overview: FleetOverview | null;
}

/** Of a large fleet the rows that are seen first; the browser then reads the whole by itself. */
export function firstRows(view: FleetView): FirstRows {
  if (view.rows.length <= WHOLE_ROWS_MAX) return { initial: view, overview: null };
  const items = listItems(view);
  const overview = summarizeItems(items);
  const rank = SORT_VALUES.attention;
  const first = items.sort((a, b) => Number(rank(a)) - Number(rank(b))).slice(0, FIRST_ROWS);
  return { initial: { ...view, rows: first.map((item) => item.row) }, overview };
}
