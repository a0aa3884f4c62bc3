/** Rows do not move under the pointer: a new order is offered, not taken. Pure. */

export interface SteadyOrder<T> {
  items: T[];
  /** Items that would stand elsewhere in the new order. */
  movedCount: number;
}

/**
 * @param order ids in the order that is shown; null takes the new order
 * @param sorted the items in their new order
 */
export function keepOrder<T extends { id: string }>(
  order: readonly string[] | null,
  sorted: readonly T[],
): SteadyOrder<T> {
  if (order === null) return { items: [...sorted], movedCount: 0 };
  const rank = new Map(order.map((id, index) => [id, index]));
  const known = sorted
    .filter((item) => rank.has(item.id))
    .sort((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0));
  // New ones come last, in the order that they have among themselves.
  const items = [...known, ...sorted.filter((item) => !rank.has(item.id))];
  const movedCount = sorted.filter((item, index) => items[index]?.id !== item.id).length;
  return { items, movedCount };
}
