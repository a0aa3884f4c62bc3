/**
 * Snappy as Kafka's clients write it: one raw block (librdkafka), or blocks with lengths behind the header of
 * snappy-java (Java clients).
 * https://github.com/xerial/snappy-java/blob/v1.1.10.5/src/main/java/org/xerial/snappy/SnappyCodec.java
 */
import { uncompressSync } from "snappy";
import { corrupt, exceedsLimit } from "#lib/brokers/kafka/batch-damage.ts";

const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER_BYTES = 16;
/** A block expands by 22 at most (64 bytes from a copy of three); more was never written by a compressor. */
const GREATEST_RATIO = 64;

/** @throws BatchDamage */
export function expandSnappy(compressed: Buffer, limitBytes: number): Buffer {
  if (!compressed.subarray(0, 8).equals(XERIAL_MAGIC)) return expandBlock(compressed, limitBytes);
  if (compressed.length < XERIAL_HEADER_BYTES) throw corrupt("its snappy data ends within the header");
  const blocks: Buffer[] = [];
  let left = limitBytes;
  for (let at = XERIAL_HEADER_BYTES; at < compressed.length; ) {
    if (at + 4 > compressed.length) throw corrupt("its snappy data ends within a length");
    const length = compressed.readInt32BE(at);
    at += 4;
    if (length < 0 || at + length > compressed.length) throw corrupt("a snappy block ends outside of it");
    const block = expandBlock(compressed.subarray(at, at + length), left, limitBytes);
    left -= block.length;
    blocks.push(block);
    at += length;
  }
  return blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks);
}

function expandBlock(block: Buffer, leftBytes: number, limitBytes = leftBytes): Buffer {
  const declared = readDeclaredLength(block);
  if (declared > block.length * GREATEST_RATIO) throw corrupt("a snappy block claims more than it can hold");
  if (declared > leftBytes) throw exceedsLimit(limitBytes);
  try {
    return uncompressSync(block) as Buffer;
  } catch (error) {
    throw corrupt("its snappy data can't be expanded", error);
  }
}

function readDeclaredLength(block: Buffer): number {
  let length = 0;
  for (let i = 0; i < 5 && i < block.length; i++) {
    const byte = block[i]!;
    length += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return length;
  }
  throw corrupt("its snappy data has no length");
}
