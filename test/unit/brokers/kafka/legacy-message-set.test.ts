import { crc32, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { CollectingVisitor, findRecordSet, walkAll } from "./record-sets.ts";

interface MessageSpec {
  offset: number;
  magic: 0 | 1;
  attributes?: number;
  timestamp?: number;
  key: string | null;
  value: Buffer | null;
}

function buildMessage({ offset, magic, attributes = 0, timestamp = 0, key, value }: MessageSpec): Buffer {
  const field = (bytes: Buffer | null): Buffer[] => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(bytes === null ? -1 : bytes.length);
    return bytes === null ? [length] : [length, bytes];
  };
  const stamp = Buffer.alloc(magic === 1 ? 8 : 0);
  if (magic === 1) stamp.writeBigInt64BE(BigInt(timestamp));
  const checked = Buffer.concat([
    Buffer.from([magic, attributes]),
    stamp,
    ...field(key === null ? null : Buffer.from(key)),
    ...field(value),
  ]);
  const head = Buffer.alloc(16);
  head.writeBigInt64BE(BigInt(offset), 0);
  head.writeInt32BE(checked.length + 4, 8);
  head.writeUInt32BE(crc32(checked), 12);
  return Buffer.concat([head, checked]);
}

const wrap = (magic: 0 | 1, offset: number, inner: Buffer[], more: Partial<MessageSpec> = {}): Buffer =>
  buildMessage({ offset, magic, attributes: 1, key: null, value: gzipSync(Buffer.concat(inner)), ...more });

const inner = (magic: 0 | 1, offset: number, key = "k"): Buffer =>
  buildMessage({ offset, magic, timestamp: 5, key, value: Buffer.from("v") });

function failureOf(bytes: Buffer): { code: string; message: string } {
  try {
    walkAll(bytes, new CollectingVisitor());
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error("nothing was thrown");
}

describe("messages of magic 0 and 1", () => {
  it("each uncompressed one is a batch of one record that has all its bytes", () => {
    const fixture = findRecordSet("v1 none");
    const seen = new CollectingVisitor();
    walkAll(fixture.bytes, seen);
    expect(seen.batches).toHaveLength(40);
    expect(seen.batches[8]).toMatchObject({ magic: 1, recordCount: 1, isCompressed: false, producerId: -1 });
    expect(seen.sizes).toEqual(seen.batches.map(({ sizeInBytes }) => sizeInBytes));
  });

  it("a wrapper of magic 1 counts its offsets backwards from its own", () => {
    const seen = new CollectingVisitor();
    const summary = walkAll(wrap(1, 107, [inner(1, 0), inner(1, 2), inner(1, 5)]), seen);
    expect(seen.records.map(([offset]) => offset)).toEqual([102, 104, 107]);
    expect(seen.batches).toMatchObject([
      { baseOffset: 102, lastOffset: 107, recordCount: 3, isCompressed: true, magic: 1 },
    ]);
    expect(summary.nextOffset).toBe(108);
  });

  it("a wrapper of magic 0 holds offsets as they are", () => {
    const seen = new CollectingVisitor();
    walkAll(wrap(0, 107, [inner(0, 101), inner(0, 107)]), seen);
    expect(seen.records.map(([offset, timestamp]) => [offset, timestamp])).toEqual([
      [101, -1],
      [107, -1],
    ]);
  });

  it("a wrapper with the log's append time gives it to all that it wraps", () => {
    const seen = new CollectingVisitor();
    walkAll(wrap(1, 1, [inner(1, 0), inner(1, 1)], { attributes: 1 | 8, timestamp: 99 }), seen);
    expect(seen.records.map(([, timestamp]) => timestamp)).toEqual([99, 99]);
  });

  it("a compressed message's bytes are shared out evenly", () => {
    const bytes = wrap(1, 2, [inner(1, 0), inner(1, 1, "long".repeat(50)), inner(1, 2)]);
    const seen = new CollectingVisitor();
    walkAll(bytes, seen);
    expect(seen.sizes).toEqual([bytes.length / 3, bytes.length / 3, bytes.length / 3]);
  });

  it("stand beside batches of magic 2 in one answer", () => {
    const [old, now] = [findRecordSet("v1 snappy"), findRecordSet("v2 snappy")];
    const seen = new CollectingVisitor();
    walkAll(Buffer.concat([old.bytes, now.bytes]), seen);
    expect(seen.batches.map(({ magic }) => magic)).toEqual([1, 2]);
    expect(seen.records).toEqual([...old.records, ...now.records]);
  });
});

describe("damaged messages", () => {
  const value = Buffer.from("v");
  const cases: [string, Buffer][] = [
    ["a wrapper without a value", buildMessage({ offset: 1, magic: 1, attributes: 1, key: null, value: null })],
    ["a wrapper of nothing", wrap(1, 1, [])],
    ["a wrapper in a wrapper", wrap(1, 1, [wrap(1, 1, [inner(1, 0)])])],
    ["zstd, which the format does not have", buildMessage({ offset: 1, magic: 1, attributes: 4, key: null, value })],
    ["wrapped offsets above the wrapper's", wrap(1, 3, [inner(1, 0), inner(1, 4)])],
    ["a wrapped message that is cut off", wrap(1, 3, [inner(1, 0), inner(1, 1).subarray(0, 30)])],
    ["a wrapped batch of magic 2", wrap(1, 3, [findRecordSet("v2 none").bytes])],
    ["gzip that is none", buildMessage({ offset: 1, magic: 0, attributes: 1, key: null, value })],
    ["a negative offset", buildMessage({ offset: -3, magic: 0, key: null, value })],
  ];

  it.each(cases)("%s: corrupt", (_, bytes) => {
    expect(failureOf(bytes).code).toBe("corrupt-batch");
  });

  it("a key that runs over is corrupt although the checksum is right", () => {
    const bytes = inner(0, 9);
    bytes.writeInt32BE(1000, 18);
    bytes.writeUInt32BE(crc32(bytes.subarray(16)), 12);
    expect(failureOf(bytes)).toMatchObject({ code: "corrupt-batch", message: expect.stringContaining("offset 9") });
  });
});
