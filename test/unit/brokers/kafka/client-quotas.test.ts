import { expect, test } from "vitest";
import { type QuotaEntry, resolveQuota } from "#lib/brokers/kafka/client-quotas.ts";

const CLIENT = "keyfold-scan";

/** In the order in which they count, the first one first. */
const LEVELS: QuotaEntry[] = [
  { user: "ann", clientId: CLIENT, bytesPerSecond: 1 },
  { user: "ann", clientId: null, bytesPerSecond: 2 },
  { user: "ann", bytesPerSecond: 3 },
  { user: null, clientId: CLIENT, bytesPerSecond: 4 },
  { user: null, clientId: null, bytesPerSecond: 5 },
  { user: null, bytesPerSecond: 6 },
  { clientId: CLIENT, bytesPerSecond: 7 },
  { clientId: null, bytesPerSecond: 8 },
];

test.each(LEVELS.map((level, index) => [index, level.bytesPerSecond] as const))(
  "the most specific quota that is left counts (%i)",
  (index, expected) => {
    expect(resolveQuota(LEVELS.slice(index).reverse(), CLIENT, "ann")).toBe(expected);
  },
);

test("quotas of others do not count", () => {
  const others = [
    { user: "bob", bytesPerSecond: 1 },
    { clientId: "other", bytesPerSecond: 2 },
  ];
  expect(resolveQuota(others, CLIENT, "ann")).toBe("unlimited");
});

test("no quota at all is unlimited", () => {
  expect(resolveQuota([], CLIENT, "ann")).toBe("unlimited");
  expect(resolveQuota([], CLIENT, null)).toBe("unlimited");
});

test("where only the broker knows the user, the lowest that may apply is told", () => {
  expect(resolveQuota([{ user: "bob", bytesPerSecond: 9 }, ...LEVELS.slice(6)], CLIENT, null)).toBe(7);
  expect(resolveQuota([{ user: "bob", bytesPerSecond: 2 }, ...LEVELS.slice(6)], CLIENT, null)).toBe(2);
});
