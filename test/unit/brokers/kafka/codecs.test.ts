import { randomBytes } from "node:crypto";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { compressFrameSync } from "lz4-napi";
import { compressSync } from "snappy";
import { describe, expect, it } from "vitest";
import { BatchDamage } from "#lib/brokers/kafka/batch-damage.ts";
import { expand } from "#lib/brokers/kafka/codecs.ts";
import { hashShort } from "#lib/brokers/kafka/lz4-frame.ts";

const MIB = 1024 * 1024;

/** As snappy-java frames it. */
function frameXerial(...blocks: Buffer[]): Buffer {
  const header = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
  const lengths = blocks.map((block) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(block.length);
    return length;
  });
  return Buffer.concat([header, ...blocks.flatMap((block, i) => [lengths[i]!, block])]);
}

/** An lz4 frame whose blocks are given as they stand. */
function frameLz4(...blocks: Buffer[]): Buffer {
  const header = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0]);
  header[6] = (hashShort(header.subarray(4, 6)) >>> 8) & 0xff;
  const parts = blocks.flatMap((block) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(block.length);
    return [length, block];
  });
  return Buffer.concat([header, ...parts, Buffer.alloc(4)]);
}

const CODECS: [name: string, codec: number, compress: (bytes: Buffer) => Buffer][] = [
  ["gzip", 1, gzipSync],
  ["snappy as one block", 2, (bytes) => compressSync(bytes)],
  ["snappy as snappy-java frames it", 2, (bytes) => frameXerial(...slice(bytes).map((part) => compressSync(part)))],
  ["lz4", 3, (bytes) => compressFrameSync(bytes)],
  ["zstd", 4, zstdCompressSync],
];

function slice(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 32_768) parts.push(bytes.subarray(at, at + 32_768));
  return parts;
}

function damageOf(run: () => unknown): BatchDamage {
  try {
    run();
  } catch (error) {
    if (error instanceof BatchDamage) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe.each(CODECS)("%s", (_, codec, compress) => {
  it("gives back what was compressed, whether or not it compresses well", () => {
    for (const bytes of [randomBytes(300_000), Buffer.alloc(2 * MIB, "abcdefgh"), Buffer.from("x")]) {
      expect(expand(codec, compress(bytes), 4 * MIB, 2).equals(bytes)).toBe(true);
    }
  });

  it("expands up to the bound and refuses one byte more", () => {
    const bytes = Buffer.alloc(MIB, "0123456789abcdef");
    const packed = compress(bytes);
    expect(expand(codec, packed, MIB, 2)).toHaveLength(MIB);
    expect(damageOf(() => expand(codec, packed, MIB - 1, 2)).code).toBe("expansion-bound");
  });

  it("refuses data that is cut off or empty as corrupt", () => {
    const packed = compress(Buffer.concat([randomBytes(50_000), Buffer.alloc(50_000)]));
    for (const cut of [0, 1, 3, 12, packed.length >> 1, packed.length - 9]) {
      expect(damageOf(() => expand(codec, packed.subarray(0, cut), MIB, 2)).code).toBe("corrupt-batch");
    }
  });

  it("spends no memory on a small batch that expands beyond the bound", () => {
    const packed = compress(Buffer.alloc(128 * MIB));
    const before = process.memoryUsage();
    expect(damageOf(() => expand(codec, packed, 4 * MIB, 2)).code).toBe("expansion-bound");
    const after = process.memoryUsage();
    expect(after.arrayBuffers + after.external - before.arrayBuffers - before.external).toBeLessThan(32 * MIB);
  });
});

describe("claims in headers", () => {
  it("a snappy length that its bytes can't hold is refused before it is allocated", () => {
    const claim = Buffer.from([0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0]);
    expect(damageOf(() => expand(2, claim, 2 ** 31, 2)).code).toBe("corrupt-batch");
  });

  it("snappy blocks are bounded in all, not each", () => {
    const block = compressSync(Buffer.alloc(60_000, "ab"));
    const framed = frameXerial(block, block, block);
    expect(expand(2, framed, 180_000, 2)).toHaveLength(180_000);
    expect(damageOf(() => expand(2, framed, 179_999, 2)).code).toBe("expansion-bound");
  });

  it("a snappy-java block of negative or too great length is corrupt", () => {
    for (const length of [-1, 2 ** 31 - 1, 5]) {
      const framed = frameXerial(Buffer.from([1, 0, 0]));
      framed.writeInt32BE(length, 16);
      expect(damageOf(() => expand(2, framed, MIB, 2)).code).toBe("corrupt-batch");
    }
  });

  it("many small lz4 blocks are bounded by what they hold, not by what they could", () => {
    // "a", as one literal: 1,000 blocks of up to 4 MiB each that hold 1,000 bytes.
    const framed = frameLz4(...Array.from({ length: 1000 }, () => Buffer.from([0x10, 0x61])));
    expect(expand(3, framed, 1000, 2).toString()).toBe("a".repeat(1000));
    expect(damageOf(() => expand(3, framed, 999, 2)).code).toBe("expansion-bound");
  });

  it("a match of great length is counted before it is written out", () => {
    const long = Buffer.concat([
      Buffer.from([0x1f, 0x61, 1, 0]),
      Buffer.alloc(9000, 255),
      Buffer.from([0, 0x50]),
      Buffer.from("abcde"),
    ]);
    expect(damageOf(() => expand(3, frameLz4(long, long), 2 * MIB, 2)).code).toBe("expansion-bound");
    expect(expand(3, frameLz4(long), 4 * MIB, 2).length).toBe(1 + 19 + 255 * 9000 + 5);
  });

  it("an unknown codec is unsupported, not corrupt", () => {
    expect(damageOf(() => expand(7, Buffer.alloc(10), MIB, 2)).code).toBe("unsupported-format");
  });
});
