/**
 * The header of a record batch of magic 2, 61 bytes.
 * https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/record/DefaultRecordBatch.java
 */
import { corrupt } from "#lib/brokers/kafka/batch-damage.ts";
import { checkOffset } from "#lib/brokers/kafka/safe-number.ts";
import type { RecordBatch } from "#lib/brokers/replica-log-port.ts";

/** Offset and length, before what the length counts; the same for every magic. */
export const LOG_OVERHEAD_BYTES = 12;
/** Where every format has its magic byte. */
export const MAGIC_AT = 16;
export const HEADER_BYTES = 61;
const CRC_AT = 17;
/** The checksum covers the batch from here on. */
export const ATTRIBUTES_AT = 21;

/** A header with what only the walk needs. Reused from batch to batch, so that a walk allocates nothing. */
export class BatchHeader implements RecordBatch {
  baseOffset = 0;
  lastOffset = 0;
  recordCount = 0;
  sizeInBytes = 0;
  magic: 0 | 1 | 2 = 2;
  isCompressed = false;
  isTransactional = false;
  isControl = false;
  hasDeleteHorizon = false;
  baseTimestamp = 0;
  maxTimestamp = 0;
  producerId = -1;
  isAborted = false;
  /** Of the compression; 0 is none. */
  codec = 0;
  /** Every record then has the batch's largest timestamp. */
  isLogAppendTime = false;
  checksum = 0;
}

/** Signed 64 bits as the nearest number. */
export const readInt64 = (bytes: Buffer, at: number): number =>
  bytes.readInt32BE(at) * 4294967296 + bytes.readUInt32BE(at + 4);

/**
 * @param start where the batch begins; `sizeInBytes` (at least `HEADER_BYTES`) bytes of it are there
 * @throws BatchDamage; BrokerError `protocol` for offsets above 2^53 - 1
 */
export function readBatchHeader(bytes: Buffer, start: number, sizeInBytes: number, header: BatchHeader): void {
  const attributes = bytes.readInt16BE(start + ATTRIBUTES_AT);
  const lastOffsetDelta = bytes.readInt32BE(start + 23);
  header.magic = 2;
  header.sizeInBytes = sizeInBytes;
  header.baseOffset = checkOffset(readInt64(bytes, start));
  header.lastOffset = checkOffset(header.baseOffset + lastOffsetDelta);
  header.recordCount = bytes.readInt32BE(start + 57);
  header.codec = attributes & 7;
  header.isCompressed = header.codec !== 0;
  header.isLogAppendTime = (attributes & 8) !== 0;
  header.isTransactional = (attributes & 16) !== 0;
  header.isControl = (attributes & 32) !== 0;
  header.hasDeleteHorizon = (attributes & 64) !== 0;
  header.baseTimestamp = readInt64(bytes, start + 27);
  header.maxTimestamp = readInt64(bytes, start + 35);
  header.producerId = readInt64(bytes, start + 43);
  header.isAborted = false;
  header.checksum = bytes.readUInt32BE(start + CRC_AT);
  if (header.baseOffset < 0 || lastOffsetDelta < 0) throw corrupt("its offsets are negative");
  if (header.recordCount < 0) throw corrupt(`it claims ${header.recordCount} records`);
  if (header.recordCount > lastOffsetDelta + 1) {
    throw corrupt(`it claims ${header.recordCount} records for ${lastOffsetDelta + 1} offsets`);
  }
}
