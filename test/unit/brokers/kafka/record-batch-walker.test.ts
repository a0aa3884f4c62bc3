import { describe, expect, it } from "vitest";
import type { BrokerError } from "#lib/brokers/broker-error.ts";
import { RecordBatchWalker } from "#lib/brokers/kafka/record-batch-walker.ts";
import { buildBatch, buildRecord, sealBatch } from "./record-batch-builder.ts";
import { CollectingVisitor, findRecordSet, RECORD_SETS, walkAll } from "./record-sets.ts";

const failure = (walk: () => unknown): BrokerError => {
  try {
    walk();
  } catch (error) {
    return error as BrokerError;
  }
  throw new Error("nothing was thrown");
};

describe("record sets written by Kafka", () => {
  it.each(RECORD_SETS)("$name: batches and records are those that Kafka's own reader finds", (fixture) => {
    const seen = new CollectingVisitor();
    const summary = walkAll(fixture.bytes, seen);
    expect(seen.records).toEqual(fixture.records);
    // A compressed batch of the old formats begins at its first surviving record, in Kafka's reader too.
    expect(
      seen.batches.map((b) => [
        b.baseOffset,
        b.lastOffset,
        b.sizeInBytes,
        b.producerId,
        b.isControl,
        b.hasDeleteHorizon,
      ]),
    ).toEqual(fixture.batches);
    expect(summary).toEqual({
      batchCount: fixture.batches.length,
      endsInPartialBatch: false,
      firstBaseOffset: fixture.batches[0]![0],
      lastBaseOffset: fixture.batches.at(-1)![0],
      nextOffset: fixture.batches.at(-1)![1] + 1,
      wholeBytes: fixture.bytes.length,
    });
  });

  it.each(RECORD_SETS)("$name: any end within the set leaves whole batches and a partial one", (fixture) => {
    for (const cut of [1, 5, 20, Math.floor(fixture.bytes.length / 2), fixture.bytes.length - 1]) {
      const seen = new CollectingVisitor();
      const summary = walkAll(fixture.bytes.subarray(0, cut), seen);
      const whole = seen.batches.reduce((sum, batch) => sum + batch.sizeInBytes, 0);
      expect(summary.wholeBytes).toBe(whole);
      expect(summary.endsInPartialBatch).toBe(whole < cut);
      expect(seen.records).toEqual(fixture.records.slice(0, seen.records.length));
    }
  });

  it("batches that are declined are not expanded, and the others' count is told by the header", () => {
    const { bytes, records } = findRecordSet("v2 gzip");
    const broken = Buffer.from(bytes);
    broken.fill(0xff, 61);
    const seen = new CollectingVisitor(false);
    walkAll(sealBatch(broken), seen);
    expect(seen.records).toEqual([]);
    expect(seen.batches[0]!.recordCount).toBe(records.length);
  });

  it("a record's size is its own length, or an even share of a compressed batch", () => {
    const plain = new CollectingVisitor();
    const packed = new CollectingVisitor();
    walkAll(findRecordSet("v2 none").bytes, plain);
    walkAll(findRecordSet("v2 lz4").bytes, packed);
    expect(plain.sizes.reduce((a, b) => a + b)).toBe(findRecordSet("v2 none").bytes.length - 61);
    expect(plain.sizes[0]).toBe(29);
    expect(new Set(packed.sizes)).toEqual(new Set([findRecordSet("v2 lz4").bytes.length / 40]));
  });
});

describe("batches that Kafka keeps for other reasons than their records", () => {
  it("an empty batch is shown with its last offset and no record", () => {
    const seen = new CollectingVisitor();
    const summary = walkAll(
      buildBatch({ baseOffset: 70, lastOffsetDelta: 9, recordCount: 0, body: Buffer.alloc(0), producerId: 4 }),
      seen,
    );
    expect(seen.batches).toMatchObject([{ baseOffset: 70, lastOffset: 79, recordCount: 0, producerId: 4 }]);
    expect(summary.nextOffset).toBe(80);
  });

  it("a delete horizon stands in the base timestamp, and timestamps count from it", () => {
    const seen = new CollectingVisitor();
    const body = buildRecord({ timestampDelta: -5_000_000_000 });
    walkAll(buildBatch({ attributes: 64, baseTimestamp: 1_800_000_000_000, body }), seen);
    expect(seen.batches[0]).toMatchObject({ hasDeleteHorizon: true, baseTimestamp: 1_800_000_000_000 });
    expect(seen.records[0]![1]).toBe(1_795_000_000_000);
  });

  it("records of a control batch are never visited", () => {
    const seen = new CollectingVisitor();
    walkAll(findRecordSet("v2 commit marker").bytes, seen);
    expect(seen.batches).toMatchObject([{ isControl: true, isTransactional: true }]);
    expect(seen.records).toEqual([]);
  });
});

describe("checksums", () => {
  it.each(["v0 none", "v1 gzip", "v2 none", "v2 zstd"])(
    "%s: one changed bit is found, and named with its place",
    (name) => {
      const bytes = Buffer.from(findRecordSet(name).bytes);
      bytes[40]! ^= 4;
      const error = failure(() => walkAll(bytes, new CollectingVisitor()));
      expect(error).toMatchObject({ name: "BrokerError", code: "corrupt-batch", retry: false });
      expect(error.message).toMatch(/^Batch at offset 10\d\d of partition 0 of the test: its checksum/);
    },
  );

  it("are checked of batches that are declined, too", () => {
    const bytes = Buffer.from(findRecordSet("v2 none").bytes);
    bytes[bytes.length - 1]! ^= 1;
    expect(failure(() => walkAll(bytes, new CollectingVisitor(false))).code).toBe("corrupt-batch");
  });
});

describe("contradictions that a right checksum covers", () => {
  const one = buildRecord({});
  const cases: [string, Buffer][] = [
    ["a record longer than its batch", buildBatch({ body: Buffer.concat([Buffer.from([0x7e]), one.subarray(1)]) })],
    ["a record of negative length", buildBatch({ body: Buffer.from([0x03, 0, 0, 0, 0]) })],
    ["a length of more than five bytes", buildBatch({ body: Buffer.alloc(20, 0xff) })],
    ["a key longer than its record", buildBatch({ body: Buffer.from([0x0c, 0, 0, 0, 0x7e, 0x61, 0x01]) })],
    ["a value longer than its record", buildBatch({ body: Buffer.from([0x0c, 0, 0, 0, 0x02, 0x61, 0x7e]) })],
    ["fewer records than claimed", buildBatch({ recordCount: 2, body: one })],
    ["more records than claimed", buildBatch({ body: Buffer.concat([one, one]) })],
    ["a negative count", buildBatch({ recordCount: -1, lastOffsetDelta: 0, body: one })],
    ["more records than offsets", buildBatch({ recordCount: 5, lastOffsetDelta: 1, body: one })],
    [
      "a count of two thousand million",
      buildBatch({ recordCount: 2 ** 31 - 1, lastOffsetDelta: 2 ** 31 - 1, body: one }),
    ],
    ["an offset beyond the batch's last", buildBatch({ body: buildRecord({ offsetDelta: 1 }) })],
    ["a negative base offset", buildBatch({ baseOffset: -5, body: one })],
    ["a length below the header's", buildBatch({ length: 20, body: one })],
    ["a negative length", buildBatch({ length: -1, body: one })],
  ];

  it.each(cases)("%s is a corrupt batch", (_, bytes) => {
    expect(failure(() => walkAll(bytes, new CollectingVisitor()))).toMatchObject({
      name: "BrokerError",
      code: "corrupt-batch",
    });
  });

  it("a format of the future is named with its offset", () => {
    const bytes = buildBatch({ baseOffset: 44, body: one });
    bytes.writeInt8(3, 16);
    const error = failure(() => walkAll(bytes, new CollectingVisitor()));
    expect(error.code).toBe("unsupported-format");
    expect(error.message).toContain("offset 44 of partition 0 of the test: it has format v3");
  });

  it("an unknown compression is not taken for damage", () => {
    const error = failure(() => walkAll(buildBatch({ attributes: 5, body: one }), new CollectingVisitor()));
    expect(error.code).toBe("unsupported-format");
  });

  it("an offset above 2^53 - 1 is refused, not rounded", () => {
    const error = failure(() => walkAll(buildBatch({ baseOffset: 2n ** 53n, body: one }), new CollectingVisitor()));
    expect(error.code).toBe("protocol");
    expect(error.message).toContain("2^53 - 1");
  });
});

it("an error that the visitor throws comes through unchanged", () => {
  const thrown = new Error("mine");
  const visitor = new CollectingVisitor();
  visitor.record = () => {
    throw thrown;
  };
  expect(failure(() => walkAll(findRecordSet("v2 none").bytes, visitor))).toBe(thrown);
});

it("aborted batches are told by the answer's list, and visited all the same", () => {
  const [data, abort, commit] = ["v2 transactional", "v2 abort marker", "v2 commit marker"].map(
    (name) => findRecordSet(name).bytes,
  );
  const again = Buffer.from(data!);
  again.writeBigInt64BE(1100n, 0);
  const bytes = Buffer.concat([data!, abort!, again, commit!]);
  const seen = new CollectingVisitor();
  const walker = new RecordBatchWalker({ where: "the test" });
  walker.walk(bytes, 0, bytes.length, seen, [{ producerId: 77, firstOffset: 1000 }]);
  expect(seen.batches.map(({ isAborted }) => isAborted)).toEqual([true, false, false, false]);
  expect(seen.records).toHaveLength(80);
});
