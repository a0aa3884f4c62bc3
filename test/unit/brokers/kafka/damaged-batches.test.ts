import { expect, it } from "vitest";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { sealBatch } from "./record-batch-builder.ts";
import { CollectingVisitor, RECORD_SETS, walkAll } from "./record-sets.ts";

/** The same damage on every run; mulberry32. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Mutation = (bytes: Buffer, random: (below: number) => number) => Buffer;

const MUTATIONS: Mutation[] = [
  (bytes, random) => {
    for (let times = 1 + random(4); times > 0; times--) bytes[random(bytes.length)]! ^= 1 << random(8);
    return bytes;
  },
  (bytes, random) => {
    const at = random(bytes.length);
    bytes.fill(random(2) ? 0xff : 0x80, at, Math.min(bytes.length, at + 1 + random(12)));
    return bytes;
  },
  (bytes, random) => bytes.subarray(0, 1 + random(bytes.length)),
  (bytes, random) => {
    bytes.writeInt32BE([-1, 0, 2 ** 31 - 1, -(2 ** 31), 61][random(5)]!, Math.min(random(70), bytes.length - 4));
    return bytes;
  },
  (bytes, random) => {
    const at = random(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(9))]);
  },
  (bytes, random) => {
    const at = random(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(random(at + 1), at), bytes.subarray(at)]);
  },
];

const EXPECTED_CODES = new Set(["corrupt-batch", "expansion-bound", "unsupported-format", "protocol"]);
const LIMIT_BYTES = 8 * 1024 * 1024;
const ROUNDS = 4000;

/** Makes checksum and length fit again, so that the damage below them is met. */
function reseal(bytes: Buffer): Buffer {
  if (bytes.length < 62 || bytes[16] !== 2) return bytes;
  bytes.writeInt32BE(bytes.length - 12, 8);
  return sealBatch(bytes);
}

it(`${ROUNDS} damaged record sets are each walked or refused with a reason, in bounded time and memory`, () => {
  const random = createRandom(20_260_101);
  const outcomes = new Map<string, number>();
  const startedAt = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    const fixture = RECORD_SETS[random(RECORD_SETS.length)]!;
    const damaged = MUTATIONS[random(MUTATIONS.length)]!(Buffer.from(fixture.bytes), random);
    const outcome = walk(round % 4 === 0 ? damaged : reseal(Buffer.from(damaged)), `round ${round}, ${fixture.name}`);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  const failures = [...outcomes.keys()].filter((code) => code !== "walked");
  expect(failures.every((code) => EXPECTED_CODES.has(code))).toBe(true);
  // The damage reaches beyond the checksum: some of it is harmless, and much is found by the walk.
  expect(outcomes.get("walked")).toBeGreaterThan(ROUNDS / 20);
  expect(outcomes.get("corrupt-batch")).toBeGreaterThan(ROUNDS / 3);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});

function walk(bytes: Buffer, what: string): string {
  try {
    walkAll(bytes, new CollectingVisitor(), { expansionLimitBytes: LIMIT_BYTES });
    return "walked";
  } catch (error) {
    if (error instanceof BrokerError) return error.code;
    throw new Error(`${what}: ${error}`, { cause: error });
  }
}
