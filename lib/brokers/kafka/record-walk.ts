/**
 * The records of a batch of magic 2, walked without making an object: the hot path of every scan.
 * https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/record/DefaultRecord.java
 */
import { corrupt } from "#lib/brokers/kafka/batch-damage.ts";
import type { BatchHeader } from "#lib/brokers/kafka/batch-header.ts";
import type { LogVisitor } from "#lib/brokers/replica-log-port.ts";

/** Where the varint that was read last ends: a second return value that costs no object. */
let varintEnd = 0;

/** Unsigned 32 bits, still zigzag; a read beyond the buffer ends there as zero and is caught by the caller's check. */
function readVarint(bytes: Buffer, at: number): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[at++]!;
    value |= (byte & 0x7f) << shift;
    if (!(byte > 0x7f)) {
      varintEnd = at;
      return value;
    }
  }
  throw corrupt("a number in it is longer than five bytes");
}

/** Signed 64 bits, decoded, as the nearest number. */
function readVarlong(bytes: Buffer, at: number): number {
  let value = 0;
  let scale = 1;
  for (let count = 0; count < 10; count++) {
    const byte = bytes[at++]!;
    value += (byte & 0x7f) * scale;
    if (!(byte > 0x7f)) {
      varintEnd = at;
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    scale *= 128;
  }
  throw corrupt("a number in it is longer than ten bytes");
}

/**
 * Visits `header.recordCount` records, which must fill the bytes from `start` to `end` exactly.
 * @param evenShare bytes of each record where the batch is compressed; -1: each record's own length
 * @throws BatchDamage; the records before the damage were visited then
 */
export function walkRecords(
  bytes: Buffer,
  start: number,
  end: number,
  header: BatchHeader,
  evenShare: number,
  visitor: Pick<LogVisitor, "record">,
): void {
  const { baseOffset, recordCount, isLogAppendTime } = header;
  const firstTimestamp = isLogAppendTime ? header.maxTimestamp : header.baseTimestamp;
  const lastOffsetDelta = header.lastOffset - baseOffset;
  let at = start;
  for (let i = 0; i < recordCount; i++) {
    const recordStart = at;
    let raw = bytes[at++]!;
    if (raw > 0x7f) {
      raw = readVarint(bytes, at - 1);
      at = varintEnd;
    }
    const recordEnd = at + ((raw >>> 1) ^ -(raw & 1));
    if (recordEnd > end || recordEnd < at) throw corrupt(`record ${i} ends outside of it`);
    // One byte of attributes that nobody uses.
    raw = bytes[++at]!;
    let timestampDelta = (raw >>> 1) ^ -(raw & 1);
    at++;
    if (raw > 0x7f) {
      timestampDelta = readVarlong(bytes, at - 1);
      at = varintEnd;
    }
    raw = bytes[at++]!;
    if (raw > 0x7f) {
      raw = readVarint(bytes, at - 1);
      at = varintEnd;
    }
    const offsetDelta = (raw >>> 1) ^ -(raw & 1);
    raw = bytes[at++]!;
    if (raw > 0x7f) {
      raw = readVarint(bytes, at - 1);
      at = varintEnd;
    }
    const keyLength = (raw >>> 1) ^ -(raw & 1);
    const keyStart = keyLength < 0 ? -1 : at;
    if (keyLength > 0) at += keyLength;
    const keyEnd = keyLength < 0 ? -1 : at;
    // A key that runs over would have the value's length read elsewhere; the check below sees both.
    raw = bytes[at++]!;
    if (raw > 0x7f) {
      raw = readVarint(bytes, at - 1);
      at = varintEnd;
    }
    const valueLength = (raw >>> 1) ^ -(raw & 1);
    if (at > recordEnd || at + valueLength > recordEnd) throw corrupt(`key or value of record ${i} ends outside of it`);
    if (offsetDelta < 0 || offsetDelta > lastOffsetDelta) throw corrupt(`record ${i} has an offset outside of it`);
    const timestamp = isLogAppendTime ? firstTimestamp : firstTimestamp + timestampDelta;
    const sizeInBytes = evenShare < 0 ? recordEnd - recordStart : evenShare;
    visitor.record(baseOffset + offsetDelta, timestamp, bytes, keyStart, keyEnd, valueLength < 0, sizeInBytes);
    at = recordEnd;
  }
  if (at !== end) throw corrupt(`${end - at} bytes follow its last record`);
}
