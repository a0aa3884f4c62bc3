import { describe, expect, test } from "vitest";
import { DistinctSample } from "#lib/compaction/keys/distinct-sample.ts";
import { estimateCount } from "#lib/compaction/keys/key-counts.ts";
import { KEY_HASH_SEED_BYTES, KeyHasher } from "#lib/compaction/keys/key-hash.ts";
import { deserialiseSample, SAMPLE_FORMAT_VERSION, serialiseSample } from "#lib/compaction/keys/sample-format.ts";
import { SECOND_HASH_KINDS } from "#lib/compaction/keys/second-hash.ts";

const hasherOf = (seed: number) => new KeyHasher(new Uint8Array(KEY_HASH_SEED_BYTES).fill(seed));

function noteKey(sample: DistinctSample, hasher: KeyHasher, key: string | Buffer, offset: number, partition = 0) {
  const bytes = Buffer.from(key as string);
  hasher.hash(bytes, 0, bytes.length);
  const record = {
    partition,
    offset,
    timestamp: 1_000 + offset,
    isTombstone: offset % 4 === 3,
    isExpired: false,
    sizeInBytes: 20,
  };
  sample.note(hasher, record, bytes, 0, bytes.length);
}

const sorted = (sample: DistinctSample) =>
  [...sample.entries()].sort((a, b) => a.hi - b.hi || a.lo - b.lo || a.partition - b.partition);

describe("the distinct sample", () => {
  test("is exact while every key fits, and knows the last record of each", () => {
    const sample = new DistinctSample();
    const hasher = hasherOf(1);
    for (let offset = 0; offset < 120_000; offset++) noteKey(sample, hasher, `k${offset % 40_000}`, offset);
    expect(sample.sampledShare).toBe(1);
    expect(sample.countPartition(0)).toMatchObject({ kept: 40_000, live: 30_000 });
    const bytes = Buffer.from("k7");
    hasher.hash(bytes, 0, 2);
    const entry = [...sample.entries()].find((one) => one.hi === hasher.hi && one.lo === hasher.lo);
    expect(entry).toMatchObject({ lastOffset: 80_007, lastTimestamp: 81_007, writes: 3, lastIsTombstone: true });
  });

  test("stays within its entries, and errs by about 1/sqrt(kept) over seeds", () => {
    const keys = 60_000;
    const errors: number[] = [];
    let held = 0;
    const seeds = 30;
    for (let seed = 0; seed < seeds; seed++) {
      const sample = new DistinctSample(2_048);
      const hasher = hasherOf(seed);
      for (let i = 0; i < keys; i++) noteKey(sample, hasher, `customer-${i}`, i);
      expect(sample.size).toBeLessThanOrEqual(2_048);
      const { kept, sampledShare } = sample.countPartition(0);
      const estimate = estimateCount(kept, sampledShare);
      errors.push((estimate.value! - keys) / keys);
      if (estimate.low <= keys && keys <= estimate.high) held++;
    }
    const rms = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / seeds);
    expect(rms).toBeLessThan(0.045);
    expect(Math.abs(errors.reduce((sum, error) => sum + error, 0) / seeds)).toBeLessThan(0.02);
    expect(held).toBeGreaterThanOrEqual(Math.floor(seeds * 0.85));
  });

  test("merges to the same sample in any order and grouping, thinned ones included", () => {
    const make = (partition: number, from: number, to: number) => {
      const sample = new DistinctSample(1_000);
      const hasher = hasherOf(9);
      for (let i = from; i < to; i++) noteKey(sample, hasher, `k${i}`, i, partition);
      return sample;
    };
    const parts = () => [make(0, 0, 700), make(1, 350, 5_000), make(2, 4_000, 4_900)] as const;
    const [a, b, c] = parts();
    a.merge(b);
    a.merge(c);
    const [d, e, f] = parts();
    f.merge(e);
    d.merge(f);
    expect(a.threshold).toBe(d.threshold);
    expect(a.size).toBeGreaterThan(300);
    expect(sorted(a)).toEqual(sorted(d));
    expect(a.countTopic()).toEqual(d.countTopic());
  });

  test("a key in two partitions counts once for the topic", () => {
    const sample = new DistinctSample();
    const hasher = hasherOf(4);
    for (let i = 0; i < 1_000; i++) noteKey(sample, hasher, `k${i}`, i * 4, 0);
    for (let i = 500; i < 800; i++) noteKey(sample, hasher, `k${i}`, i * 4, 1);
    expect(sample.countTopic()).toMatchObject({ kept: 1_000, live: 1_000, inSeveralPartitions: 300 });
    expect(sample.countPartition(1).kept).toBe(300);
    sample.forget(1);
    expect(sample.countTopic()).toMatchObject({ kept: 1_000, inSeveralPartitions: 0 });
  });

  test("keys that differ only in a schema id, and JSON keys that differ only in spelling, share their second hash", () => {
    const sample = new DistinctSample();
    const hasher = hasherOf(5);
    const withId = (id: number) => Buffer.concat([Buffer.from([0, 0, 0, 0, id]), Buffer.from("customer-1")]);
    const keys = [
      withId(1),
      withId(2),
      Buffer.from('{"a": 1, "b": {"d": 2, "c": 3}}'),
      Buffer.from('{"b":{"c":3,"d":2},"a":1}'),
    ];
    for (const [i, key] of keys.entries()) noteKey(sample, hasher, key, i);
    noteKey(sample, hasher, "{broken", 9);
    noteKey(sample, hasher, "plain", 10);
    const entries = [...sample.entries()];
    expect(new Set(entries.map((entry) => entry.hi)).size).toBe(6);
    expect(entries.map((entry) => entry.secondKind)).toEqual([
      SECOND_HASH_KINDS.withoutSchemaId,
      SECOND_HASH_KINDS.withoutSchemaId,
      SECOND_HASH_KINDS.canonicalJson,
      SECOND_HASH_KINDS.canonicalJson,
      SECOND_HASH_KINDS.none,
      SECOND_HASH_KINDS.none,
    ]);
    expect([entries[0]!.secondHi, entries[0]!.secondLo]).toEqual([entries[1]!.secondHi, entries[1]!.secondLo]);
    expect([entries[2]!.secondHi, entries[2]!.secondLo]).toEqual([entries[3]!.secondHi, entries[3]!.secondLo]);
  });

  test("comes back from its stored form whole, and refuses other versions and cut bytes", () => {
    const sample = new DistinctSample(3_000);
    const hasher = hasherOf(6);
    for (let i = 0; i < 10_000; i++) noteKey(sample, hasher, `k${i}`, i, i % 3);
    const bytes = serialiseSample(sample);
    const back = deserialiseSample(bytes);
    expect(back.threshold).toBe(sample.threshold);
    expect(sorted(back)).toEqual(sorted(sample));
    expect(() => deserialiseSample(bytes.subarray(0, bytes.length - 1))).toThrow("cut short");
    expect(() => deserialiseSample(new Uint8Array(64))).toThrow("no stored sample");
    new DataView(bytes.buffer).setUint32(4, SAMPLE_FORMAT_VERSION + 1, true);
    expect(() => deserialiseSample(bytes)).toThrow("format version");
  });
});
