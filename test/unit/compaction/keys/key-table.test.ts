import { describe, expect, test } from "vitest";
import { estimateCount, estimateSum } from "#lib/compaction/keys/key-counts.ts";
import { KEY_HASH_SEED_BYTES, KeyHasher } from "#lib/compaction/keys/key-hash.ts";
import { KeyTable } from "#lib/compaction/keys/key-table.ts";

const hasherOf = (seed: number) => new KeyHasher(new Uint8Array(KEY_HASH_SEED_BYTES).fill(seed));

function note(table: KeyTable, hasher: KeyHasher, key: string, partition = 0, size = 10, tombstone = false) {
  const bytes = Buffer.from(key);
  hasher.hash(bytes, 0, bytes.length);
  return table.note(hasher.hi, hasher.lo, partition, size, tombstone, false);
}

describe("the table of all keys", () => {
  test("counts exactly while it grows, whatever the order and number of writes", () => {
    const table = new KeyTable();
    const hasher = hasherOf(1);
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 50_000; i++) {
        expect(note(table, hasher, `k${(i * 7919) % 50_000}`, 0, round + 1, round === 2 && i % 5 === 0)).toBe(
          round > 0,
        );
      }
    }
    const counts = table.countPartition(0);
    expect(counts).toMatchObject({ kept: 50_000, live: 40_000, lastBytes: 150_000, sampledShare: 1 });
    expect(estimateCount(counts.kept, counts.sampledShare)).toEqual({
      value: 50_000,
      low: 50_000,
      high: 50_000,
      exact: true,
    });
  });

  test("counts a key of two partitions once for the topic, and as live where one partition has it live", () => {
    const table = new KeyTable();
    const hasher = hasherOf(2);
    for (let i = 0; i < 10_000; i++) note(table, hasher, `k${i}`, 0, 10, i % 2 === 0);
    for (let i = 0; i < 3_000; i++) note(table, hasher, `k${i}`, 1, 10, i % 3 === 0);
    for (let i = 0; i < 100; i++) note(table, hasher, `k${i}`, 2, 10, true);
    expect(table.countPartition(1)).toMatchObject({ kept: 3_000, live: 2_000 });
    const dead = Array.from({ length: 10_000 }, (_, i) => i).filter((i) => i % 2 === 0 && (i >= 3_000 || i % 3 === 0));
    expect(table.countTopic()).toMatchObject({
      kept: 10_000,
      live: 10_000 - dead.length,
      inSeveralPartitions: 3_000,
    });
  });

  test("a partition that is forgotten leaves no trace", () => {
    const table = new KeyTable();
    const hasher = hasherOf(3);
    for (let i = 0; i < 5_000; i++) note(table, hasher, `k${i}`, 0);
    for (let i = 0; i < 5_000; i++) note(table, hasher, `k${i + 2_500}`, 1);
    table.forget(0);
    expect(table.countPartition(0).kept).toBe(0);
    expect(table.countTopic()).toMatchObject({ kept: 5_000, inSeveralPartitions: 0 });
    expect(note(table, hasher, "k2500", 1)).toBe(true);
    expect(note(table, hasher, "k2500", 0)).toBe(false);
    expect(table.countTopic()).toMatchObject({ kept: 5_000, inSeveralPartitions: 1 });
  });

  test("beyond its largest size its interval holds the truth in about 95 of 100 seeds", () => {
    let held = 0;
    let bytesHeld = 0;
    const seeds = 60;
    for (let seed = 0; seed < seeds; seed++) {
      const table = new KeyTable(1 << 12);
      const hasher = hasherOf(seed);
      for (let i = 0; i < 20_000; i++) note(table, hasher, `k${i}`, 0, 50 + (i % 100));
      const counts = table.countPartition(0);
      expect(counts.sampledShare).toBeLessThan(1);
      const keys = estimateCount(counts.kept, counts.sampledShare, 20_000_000);
      const bytes = estimateSum(counts.lastBytes, counts.lastBytesSquared, counts.sampledShare, 1e12);
      expect(keys.exact).toBe(false);
      if (keys.low <= 20_000 && 20_000 <= keys.high) held++;
      if (bytes.low <= 1_990_000 && 1_990_000 <= bytes.high) bytesHeld++;
    }
    expect(held).toBeGreaterThanOrEqual(Math.floor(seeds * 0.87));
    expect(bytesHeld).toBeGreaterThanOrEqual(Math.floor(seeds * 0.87));
  });
});
