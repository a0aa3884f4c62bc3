import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { RecordBatchWalker } from "#lib/brokers/kafka/record-batch-walker.ts";
import type { LogVisitor, RecordBatch } from "#lib/brokers/replica-log-port.ts";

/** A record set and what Kafka's own reader says about it; `fixtures/WriteFixtures.java` tells where each comes from. */
export interface RecordSetFixture {
  name: string;
  bytes: Buffer;
  batches: [
    baseOffset: number,
    lastOffset: number,
    size: number,
    producer: number,
    control: boolean,
    horizon: boolean,
  ][];
  records: SeenRecord[];
}

export type SeenRecord = [offset: number, timestamp: number, keyHex: string | null, isTombstone: boolean];

const FILE = fileURLToPath(new URL("./fixtures/record-sets.jsonl", import.meta.url));

export const RECORD_SETS: RecordSetFixture[] = readFileSync(FILE, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))
  .map((fixture) => ({ ...fixture, bytes: Buffer.from(fixture.bytes, "base64") }));

export function findRecordSet(name: string): RecordSetFixture {
  const found = RECORD_SETS.find((fixture) => fixture.name === name);
  if (!found) throw new Error(`no record set is named ${name}`);
  return found;
}

/** Copies what it is shown, for it is valid during the call only. */
export class CollectingVisitor implements LogVisitor {
  readonly batches: RecordBatch[] = [];
  readonly records: SeenRecord[] = [];
  readonly sizes: number[] = [];
  readonly #wantsRecords: boolean;

  constructor(wantsRecords = true) {
    this.#wantsRecords = wantsRecords;
  }

  batch(batch: RecordBatch): boolean {
    this.batches.push({ ...batch });
    return this.#wantsRecords;
  }

  record(
    offset: number,
    timestamp: number,
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    isTombstone: boolean,
    sizeInBytes: number,
  ): void {
    const key = keyStart < 0 ? null : Buffer.from(bytes.subarray(keyStart, keyEnd)).toString("hex");
    this.records.push([offset, timestamp, key, isTombstone]);
    this.sizes.push(sizeInBytes);
  }
}

/** Walks all of the bytes. */
export function walkAll(bytes: Buffer, visitor: LogVisitor, options: { expansionLimitBytes?: number } = {}) {
  const walker = new RecordBatchWalker({ where: "partition 0 of the test", ...options });
  return walker.walk(bytes, 0, bytes.length, visitor, null);
}
