/**
 * Messages of magic 0 and 1, written before Kafka 0.11 and still found in old segments. A compressed one wraps others.
 * https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/record/AbstractLegacyRecordBatch.java
 */
import { crc32 } from "@node-rs/crc32";
import { corrupt } from "#lib/brokers/kafka/batch-damage.ts";
import { type BatchHeader, LOG_OVERHEAD_BYTES, MAGIC_AT, readInt64 } from "#lib/brokers/kafka/batch-header.ts";
import { expand } from "#lib/brokers/kafka/codecs.ts";
import { checkOffset } from "#lib/brokers/kafka/safe-number.ts";
import type { LogVisitor } from "#lib/brokers/replica-log-port.ts";

/** Offset, size, checksum, magic, attributes and the lengths of key and value. */
export const LEAST_MESSAGE_BYTES = LOG_OVERHEAD_BYTES + 14;
const CRC_AT = 12;

/** One message, wrapper or wrapped, located in its buffer. */
interface Message {
  bytes: Buffer;
  offset: number;
  /** Milliseconds; -1 in magic 0. */
  timestamp: number;
  codec: number;
  isLogAppendTime: boolean;
  magic: 0 | 1;
  keyStart: number;
  keyEnd: number;
  /** -1: null. */
  valueStart: number;
  valueEnd: number;
  sizeInBytes: number;
}

/**
 * Checks and visits one message of the log, as a batch of its own: what a compressed one wraps are its records.
 * @param start where the message begins; `sizeInBytes` bytes of it are there
 * @throws BatchDamage
 */
export function walkLegacyMessage(
  bytes: Buffer,
  start: number,
  sizeInBytes: number,
  header: BatchHeader,
  limitBytes: number,
  visitor: LogVisitor,
): void {
  if (sizeInBytes < LEAST_MESSAGE_BYTES) throw corrupt(`it claims a size of ${sizeInBytes} bytes`);
  const checked = bytes.subarray(start + MAGIC_AT, start + sizeInBytes);
  if (crc32(checked) !== bytes.readUInt32BE(start + CRC_AT)) throw corrupt("its checksum (CRC-32) does not match");
  const message = readMessage(bytes, start, start + sizeInBytes);
  // Offsets and count of a compressed message stand inside, so it is expanded before anybody can decline it.
  const records = message.codec === 0 ? [message] : unwrap(message, limitBytes);
  fillHeader(header, message, records);
  if (!visitor.batch(header)) return;
  const evenShare = sizeInBytes / records.length;
  for (const record of records) {
    const timestamp = message.isLogAppendTime ? message.timestamp : record.timestamp;
    const { keyStart, keyEnd, valueStart } = record;
    visitor.record(record.offset, timestamp, record.bytes, keyStart, keyEnd, valueStart < 0, evenShare);
  }
}

function fillHeader(header: BatchHeader, message: Message, records: readonly Message[]): void {
  header.baseOffset = records[0]!.offset;
  header.lastOffset = message.offset;
  header.recordCount = records.length;
  header.sizeInBytes = message.sizeInBytes;
  header.magic = message.magic;
  header.codec = message.codec;
  header.isCompressed = message.codec !== 0;
  header.isLogAppendTime = message.isLogAppendTime;
  header.isTransactional = false;
  header.isControl = false;
  header.hasDeleteHorizon = false;
  header.baseTimestamp = message.timestamp;
  header.maxTimestamp = message.timestamp;
  header.producerId = -1;
  header.isAborted = false;
}

/** @throws BatchDamage where its parts do not fill the bytes from `start` to `end` exactly */
function readMessage(bytes: Buffer, start: number, end: number): Message {
  const magic = bytes[start + MAGIC_AT];
  if (magic !== 0 && magic !== 1) throw corrupt(`it wraps a message of magic ${magic}`);
  const attributes = bytes[start + MAGIC_AT + 1]!;
  const offset = checkOffset(readInt64(bytes, start));
  if (offset < 0) throw corrupt("its offset is negative");
  let at = start + MAGIC_AT + 2;
  let timestamp = -1;
  if (magic === 1) {
    if (at + 8 > end) throw corrupt("it ends within its timestamp");
    timestamp = readInt64(bytes, at);
    at += 8;
  }
  const key = readField(bytes, at, end);
  const value = readField(bytes, key.next, end);
  if (value.next !== end) throw corrupt(`${end - value.next} bytes follow its value`);
  return {
    bytes,
    offset,
    timestamp,
    codec: attributes & 7,
    isLogAppendTime: magic === 1 && (attributes & 8) !== 0,
    magic,
    keyStart: key.start,
    keyEnd: key.end,
    valueStart: value.start,
    valueEnd: value.end,
    sizeInBytes: end - start,
  };
}

function readField(bytes: Buffer, at: number, end: number): { start: number; end: number; next: number } {
  if (at + 4 > end) throw corrupt("it ends within a length");
  const length = bytes.readInt32BE(at);
  if (length < 0) return { start: -1, end: -1, next: at + 4 };
  if (at + 4 + length > end) throw corrupt("its key or value ends outside of it");
  return { start: at + 4, end: at + 4 + length, next: at + 4 + length };
}

function unwrap(wrapper: Message, limitBytes: number): Message[] {
  if (wrapper.valueStart < 0) throw corrupt("it is compressed and has no value");
  if (wrapper.codec === 4) throw corrupt("it claims zstd, which its format does not have");
  const compressed = wrapper.bytes.subarray(wrapper.valueStart, wrapper.valueEnd);
  const records = listMessages(expand(wrapper.codec, compressed, limitBytes, wrapper.magic));
  const last = records.at(-1);
  if (last === undefined) throw corrupt("it wraps no message");
  if (wrapper.magic === 0) return records;
  // Wrapped offsets count from the wrapper's first one, and the wrapper has the offset of its last one. Some versions of
  // librdkafka left the wrapper's at 0.
  const base = wrapper.offset === 0 ? 0 : wrapper.offset - last.offset;
  if (base < 0) throw corrupt("the offsets that it wraps are above its own");
  for (const record of records) record.offset += base;
  return records;
}

function listMessages(bytes: Buffer): Message[] {
  const messages: Message[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + LEAST_MESSAGE_BYTES > bytes.length) throw corrupt("a message that it wraps ends too early");
    const end = at + LOG_OVERHEAD_BYTES + bytes.readInt32BE(at + 8);
    if (end > bytes.length || end < at + LEAST_MESSAGE_BYTES)
      throw corrupt("a message that it wraps ends outside of it");
    const message = readMessage(bytes, at, end);
    if (message.codec !== 0) throw corrupt("it wraps a compressed message");
    messages.push(message);
    at = end;
  }
  return messages;
}
