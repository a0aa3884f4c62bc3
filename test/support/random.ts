/** Repeatable randomness of a test run. */

/** What automatic checks of a change repeat: a red one is then about the change, and not about the draw. */
const CI_SEED = 2_144_478_171;

/**
 * The seed of this run: `KEYFOLD_TEST_SEED`, a fixed one where `CI` is set, else another one each time. Print it, so that
 * a failure can be repeated.
 */
export function drawSeed(): number {
  const given = process.env.KEYFOLD_TEST_SEED;
  if (given === undefined || given === "") return process.env.CI ? CI_SEED : Math.floor(Math.random() * 2 ** 31);
  const seed = Number(given);
  if (!Number.isSafeInteger(seed)) throw new Error(`KEYFOLD_TEST_SEED is no integer: ${given}`);
  return seed;
}

export const describeSeed = (seed: number): string => `seed ${seed}; KEYFOLD_TEST_SEED=${seed} repeats it`;

/** A generator of numbers from 0 (inclusive) to 1, the same for the same seed and label (mulberry32). */
export function createRandom(seed: number, label: string): () => number {
  let state = seed | 0;
  for (const character of label) state = Math.imul(state ^ character.codePointAt(0)!, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
