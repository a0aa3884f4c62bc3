/**
 * What a scan needs to go on after its thread was killed, as opaque bytes. It holds hashes of keys, which are personal
 * data: whoever stores it encrypts it.
 *
 * Little-endian: "KFCP", version (u32), length of the JSON (u32), the JSON, the sample (`sample-format.ts`).
 */
import type { DistinctSample } from "#lib/compaction/keys/distinct-sample.ts";
import { deserialiseSample, serialiseSample } from "#lib/compaction/keys/sample-format.ts";
import type { FailedPartition } from "#lib/compaction/measure-topic.ts";
import type { PartitionMeasurement } from "#lib/compaction/measurement.ts";
import type { TallyState } from "#lib/compaction/scan/partition-tally.ts";

export const CHECKPOINT_FORMAT_VERSION = 1;
const MAGIC = 0x5043464b;
const HEADER_BYTES = 12;

export interface ScanCheckpoint {
  topic: string;
  topicId: string;
  measuredAt: number;
  partitions: PartitionMeasurement[];
  failed: FailedPartition[];
  /** The partition that was being read: its counters, and the probe from before. */
  current: { partition: number; counts: TallyState; before: PartitionMeasurement | null } | null;
}

export function serialiseCheckpoint(checkpoint: ScanCheckpoint, sample: DistinctSample): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(checkpoint));
  const stored = serialiseSample(sample);
  const bytes = new Uint8Array(HEADER_BYTES + json.length + stored.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, CHECKPOINT_FORMAT_VERSION, true);
  view.setUint32(8, json.length, true);
  bytes.set(json, HEADER_BYTES);
  bytes.set(stored, HEADER_BYTES + json.length);
  return bytes;
}

/** @throws Error where the bytes are no checkpoint, or of a version that this program does not know */
export function deserialiseCheckpoint(bytes: Uint8Array): { checkpoint: ScanCheckpoint; sample: DistinctSample } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw new Error("These bytes are no checkpoint of a scan.");
  }
  const version = view.getUint32(4, true);
  if (version !== CHECKPOINT_FORMAT_VERSION) {
    throw new Error(
      `The checkpoint has format version ${version}; this program reads ${CHECKPOINT_FORMAT_VERSION}. Start the scan again.`,
    );
  }
  const jsonEnd = HEADER_BYTES + view.getUint32(8, true);
  if (jsonEnd > bytes.byteLength) throw new Error("The checkpoint is cut short.");
  const checkpoint = JSON.parse(new TextDecoder().decode(bytes.subarray(HEADER_BYTES, jsonEnd))) as ScanCheckpoint;
  return { checkpoint, sample: deserialiseSample(bytes.subarray(jsonEnd)) };
}
