/**
 * LZ4 frames. The expander allocates as it goes and knows no bound, so the frame's blocks are looked through first.
 * https://github.com/lz4/lz4/blob/v1.10.0/doc/lz4_Frame_format.md
 */
import { decompressFrameSync } from "lz4-napi";
import { corrupt, exceedsLimit } from "#lib/brokers/kafka/batch-damage.ts";

const FRAME_MAGIC = 0x184d2204;

interface FrameDescriptor {
  headerBytes: number;
  blockMaxBytes: number;
  hasBlockChecksums: boolean;
}

/**
 * @param magic of the batch: before magic 1 Kafka hashed the wrong bytes for the header's checksum, so that it is
 *   replaced (https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/compress/Lz4BlockInputStream.java)
 * @throws BatchDamage
 */
export function expandLz4(compressed: Buffer, limitBytes: number, magic: number): Buffer {
  const descriptor = readDescriptor(compressed);
  if (!isWithinLimit(compressed, descriptor, limitBytes)) throw exceedsLimit(limitBytes);
  try {
    return decompressFrameSync(magic === 0 ? withHeaderChecksum(compressed, descriptor) : compressed);
  } catch (error) {
    throw corrupt("its lz4 data can't be expanded", error);
  }
}

function readDescriptor(frame: Buffer): FrameDescriptor {
  if (frame.length < 7 || frame.readUInt32LE(0) !== FRAME_MAGIC) throw corrupt("its lz4 data begins with no frame");
  const flags = frame[4]!;
  const blockSizeId = (frame[5]! >>> 4) & 7;
  if (flags >>> 6 !== 1 || blockSizeId < 4) throw corrupt("its lz4 frame has an unknown header");
  const headerBytes = 7 + (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0);
  if (frame.length < headerBytes) throw corrupt("its lz4 data ends within the header");
  return { headerBytes, blockMaxBytes: 1 << (8 + 2 * blockSizeId), hasBlockChecksums: (flags & 16) !== 0 };
}

/**
 * First by the most that its blocks can hold, which costs a look at each length; where that is too much (many blocks that
 * are not full), by what their sequences really expand to.
 */
function isWithinLimit(frame: Buffer, descriptor: FrameDescriptor, limitBytes: number): boolean {
  return (
    sumBlocks(frame, descriptor, limitBytes, () => descriptor.blockMaxBytes) <= limitBytes ||
    sumBlocks(frame, descriptor, limitBytes, (start, end) => countExpandedBytes(frame, start, end)) <= limitBytes
  );
}

/** Ends early above the limit. What follows the frame is not expanded: Kafka's clients write one frame. */
function sumBlocks(
  frame: Buffer,
  { headerBytes, hasBlockChecksums }: FrameDescriptor,
  limitBytes: number,
  measure: (start: number, end: number) => number,
): number {
  let sum = 0;
  let at = headerBytes;
  while (sum <= limitBytes) {
    if (at + 4 > frame.length) throw corrupt("its lz4 data ends before the frame does");
    const word = frame.readUInt32LE(at);
    at += 4;
    if (word === 0) break;
    const length = word & 0x7fffffff;
    if (at + length > frame.length) throw corrupt("an lz4 block ends outside of it");
    sum += word >>> 31 ? length : measure(at, at + length);
    at += length + (hasBlockChecksums ? 4 : 0);
  }
  return sum;
}

/** Expanded size of a block, from the lengths of its literals and matches. */
function countExpandedBytes(frame: Buffer, start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end; ) {
    const token = frame[at++]!;
    let literals = token >>> 4;
    if (literals === 15) {
      for (let byte = 255; byte === 255 && at < end; literals += byte) byte = frame[at++]!;
    }
    at += literals;
    sum += literals;
    if (at >= end) break;
    at += 2;
    let match = token & 15;
    if (match === 15) {
      for (let byte = 255; byte === 255 && at < end; match += byte) byte = frame[at++]!;
    }
    sum += match + 4;
  }
  return sum;
}

function withHeaderChecksum(frame: Buffer, { headerBytes }: FrameDescriptor): Buffer {
  const copy = Buffer.from(frame);
  copy[headerBytes - 1] = (hashShort(frame.subarray(4, headerBytes - 1)) >>> 8) & 0xff;
  return copy;
}

/** xxHash32 with seed 0 of fewer than 16 bytes, which is all that a frame's header has. */
export function hashShort(bytes: Buffer): number {
  let hash = (0x165667b1 + bytes.length) | 0;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    hash = (hash + Math.imul(bytes.readInt32LE(at), 0xc2b2ae3d)) | 0;
    hash = Math.imul((hash << 17) | (hash >>> 15), 0x27d4eb2f);
  }
  for (; at < bytes.length; at++) {
    hash = (hash + Math.imul(bytes[at]!, 0x165667b1)) | 0;
    hash = Math.imul((hash << 11) | (hash >>> 21), 0x9e3779b1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae3d);
  return (hash ^ (hash >>> 16)) >>> 0;
}
