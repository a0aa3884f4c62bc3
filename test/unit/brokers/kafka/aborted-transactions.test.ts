import { describe, expect, it } from "vitest";
import { AbortedTransactions, type TransactionalBatch } from "#lib/brokers/kafka/aborted-transactions.ts";

const data = (producerId: number, lastOffset: number, isTransactional = true): TransactionalBatch => ({
  producerId,
  lastOffset,
  isTransactional,
  isControl: false,
});
const marker = (producerId: number, lastOffset: number): TransactionalBatch => ({
  ...data(producerId, lastOffset),
  isControl: true,
});
const never = (): boolean => {
  throw new Error("asked of a batch that is no marker");
};

describe("aborted transactions", () => {
  it("hold their producer's batches from their first offset to their marker", () => {
    const aborted = new AbortedTransactions([{ producerId: 1, firstOffset: 10 }]);
    expect(aborted.isAborted(data(1, 9), never)).toBe(false);
    expect(aborted.isAborted(data(1, 14), never)).toBe(true);
    expect(aborted.isAborted(data(2, 16), never)).toBe(false);
    expect(aborted.isAborted(data(1, 18), never)).toBe(true);
    expect(aborted.isAborted(marker(1, 19), () => true)).toBe(false);
    expect(aborted.isAborted(data(1, 25), never)).toBe(false);
  });

  it("that began before the first batch of the answer count from its start", () => {
    const aborted = new AbortedTransactions([{ producerId: 1, firstOffset: 10 }]);
    expect(aborted.isAborted(data(1, 512), never)).toBe(true);
    expect(aborted.isAborted(marker(1, 513), () => true)).toBe(false);
    expect(aborted.isAborted(data(1, 520), never)).toBe(false);
  });

  it("of several producers overlap, in whatever order they are listed", () => {
    const aborted = new AbortedTransactions([
      { producerId: 2, firstOffset: 30 },
      { producerId: 1, firstOffset: 10 },
      { producerId: 1, firstOffset: 60 },
    ]);
    expect(aborted.isAborted(data(2, 25), never)).toBe(false);
    expect(aborted.isAborted(data(1, 29), never)).toBe(true);
    expect(aborted.isAborted(data(2, 39), never)).toBe(true);
    expect(aborted.isAborted(marker(1, 40), () => true)).toBe(false);
    expect(aborted.isAborted(data(1, 45), never)).toBe(false);
    expect(aborted.isAborted(marker(1, 46), never)).toBe(false);
    expect(aborted.isAborted(data(2, 50), never)).toBe(true);
    expect(aborted.isAborted(data(1, 65), never)).toBe(true);
  });

  it("do not end at a commit marker, nor at a batch that is no marker any more", () => {
    const aborted = new AbortedTransactions([{ producerId: 1, firstOffset: 10 }]);
    expect(aborted.isAborted(marker(1, 12), () => false)).toBe(false);
    expect(aborted.isAborted(data(1, 15), never)).toBe(true);
  });

  it("never hold what was written outside of transactions", () => {
    const aborted = new AbortedTransactions([{ producerId: 1, firstOffset: 10 }]);
    expect(aborted.isAborted(data(1, 15, false), never)).toBe(false);
    expect(aborted.isAborted(data(-1, 16), never)).toBe(false);
  });
});
