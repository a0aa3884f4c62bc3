/**
 * The stored form of a distinct sample. It holds hashes of keys, which are personal data: whoever stores it encrypts it.
 *
 * Little-endian: "KFDS", version (u32), largest number of entries (u32), entries (u32), threshold (f64), then the
 * entries, 64 bytes each.
 */
import { DistinctSample, type SampleEntry } from "#lib/compaction/keys/distinct-sample.ts";

export const SAMPLE_FORMAT_VERSION = 1;
const MAGIC = 0x5344464b;
const HEADER_BYTES = 24;
const ENTRY_BYTES = 64;
const TOMBSTONE = 1;
const EXPIRED = 2;

export function serialiseSample(sample: DistinctSample): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + sample.size * ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, SAMPLE_FORMAT_VERSION, true);
  view.setUint32(8, sample.largestEntries, true);
  view.setUint32(12, sample.size, true);
  view.setFloat64(16, sample.threshold, true);
  let at = HEADER_BYTES;
  for (const entry of sample.entries()) {
    writeEntry(view, at, entry);
    at += ENTRY_BYTES;
  }
  return bytes;
}

/** @throws Error where the bytes are no sample, or of a version that this program does not know */
export function deserialiseSample(bytes: Uint8Array): DistinctSample {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw new Error("These bytes are no stored sample of keys.");
  }
  const version = view.getUint32(4, true);
  if (version !== SAMPLE_FORMAT_VERSION) {
    throw new Error(
      `The stored sample has format version ${version}; this program reads ${SAMPLE_FORMAT_VERSION}. Scan the topic again.`,
    );
  }
  const entries = view.getUint32(12, true);
  if (bytes.byteLength !== HEADER_BYTES + entries * ENTRY_BYTES) throw new Error("The stored sample is cut short.");
  const sample = new DistinctSample(view.getUint32(8, true), view.getFloat64(16, true));
  for (let i = 0; i < entries; i++) sample.noteEntry(readEntry(view, HEADER_BYTES + i * ENTRY_BYTES));
  return sample;
}

function writeEntry(view: DataView, at: number, entry: SampleEntry): void {
  view.setInt32(at, entry.hi, true);
  view.setInt32(at + 4, entry.lo, true);
  view.setInt32(at + 8, entry.partition, true);
  view.setInt32(at + 12, entry.secondHi, true);
  view.setInt32(at + 16, entry.secondLo, true);
  const flags = (entry.lastIsTombstone ? TOMBSTONE : 0) | (entry.lastIsExpired ? EXPIRED : 0);
  view.setInt32(at + 20, (entry.secondKind << 2) | flags, true);
  view.setFloat64(at + 24, entry.lastOffset, true);
  view.setFloat64(at + 32, entry.lastTimestamp, true);
  view.setFloat64(at + 40, entry.highestTimestamp, true);
  view.setFloat64(at + 48, entry.lastSizeInBytes, true);
  view.setFloat64(at + 56, entry.writes, true);
}

function readEntry(view: DataView, at: number): SampleEntry {
  const state = view.getInt32(at + 20, true);
  return {
    hi: view.getInt32(at, true),
    lo: view.getInt32(at + 4, true),
    partition: view.getInt32(at + 8, true),
    secondHi: view.getInt32(at + 12, true),
    secondLo: view.getInt32(at + 16, true),
    secondKind: state >> 2,
    lastIsTombstone: (state & TOMBSTONE) !== 0,
    lastIsExpired: (state & EXPIRED) !== 0,
    lastOffset: view.getFloat64(at + 24, true),
    lastTimestamp: view.getFloat64(at + 32, true),
    highestTimestamp: view.getFloat64(at + 40, true),
    lastSizeInBytes: view.getFloat64(at + 48, true),
    writes: view.getFloat64(at + 56, true),
  };
}
