import { crc32c } from "@node-rs/crc32";

/** Fields that a test gives a batch of magic 2; whatever is left out is ordinary. */
export interface BatchSpec {
  baseOffset?: number | bigint;
  lastOffsetDelta?: number;
  attributes?: number;
  baseTimestamp?: number;
  maxTimestamp?: number;
  producerId?: number;
  recordCount?: number;
  /** The records as they stand in the batch, compressed ones compressed. */
  body: Buffer;
  /** What the length field claims, where it lies. */
  length?: number;
}

export function buildBatch(spec: BatchSpec): Buffer {
  const batch = Buffer.alloc(61 + spec.body.length);
  const count = spec.recordCount ?? 1;
  batch.writeBigInt64BE(BigInt(spec.baseOffset ?? 0), 0);
  batch.writeInt32BE(spec.length ?? batch.length - 12, 8);
  batch.writeInt8(2, 16);
  batch.writeInt16BE(spec.attributes ?? 0, 21);
  batch.writeInt32BE(spec.lastOffsetDelta ?? Math.max(0, count - 1), 23);
  batch.writeBigInt64BE(BigInt(spec.baseTimestamp ?? 0), 27);
  batch.writeBigInt64BE(BigInt(spec.maxTimestamp ?? 0), 35);
  batch.writeBigInt64BE(BigInt(spec.producerId ?? -1), 43);
  batch.writeInt16BE(-1, 51);
  batch.writeInt32BE(-1, 53);
  batch.writeInt32BE(count, 57);
  spec.body.copy(batch, 61);
  return sealBatch(batch);
}

/** Writes the checksum that fits the bytes: damage below it is then no longer caught by it. */
export function sealBatch(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  return batch;
}

export interface RecordSpec {
  offsetDelta?: number;
  timestampDelta?: number;
  key?: string | null;
  value?: Buffer | null;
}

export function buildRecord({ offsetDelta = 0, timestampDelta = 0, key = "k", value = Buffer.from("v") }: RecordSpec) {
  const field = (bytes: Buffer | null) => (bytes === null ? [varint(-1)] : [varint(bytes.length), bytes]);
  const body = Buffer.concat([
    Buffer.from([0]),
    varint(timestampDelta),
    varint(offsetDelta),
    ...field(key === null ? null : Buffer.from(key)),
    ...field(value),
    varint(0),
  ]);
  return Buffer.concat([varint(body.length), body]);
}

export function varint(value: number): Buffer {
  let rest = value < 0 ? -BigInt(value) * 2n - 1n : BigInt(value) * 2n;
  const bytes: number[] = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}
