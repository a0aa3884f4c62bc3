/** The known name that was probably meant, or null where none is near. */
export function suggestName(typed: string, known: readonly string[]): string | null {
  const lower = typed.toLowerCase();
  const ranked = known
    .map((name) => ({ name, distance: editDistance(lower, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const nearest = ranked[0];
  if (nearest && nearest.distance <= Math.max(1, Math.floor(typed.length / 3))) return nearest.name;
  return known.find((name) => lower.length > 2 && name.toLowerCase().includes(lower)) ?? null;
}

/** Levenshtein's: insertions, deletions and replacements. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[j]! + 1, current[j - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}
