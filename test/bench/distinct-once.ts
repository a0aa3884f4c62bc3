/** `distinct-once.ts KEYS`: scans a made-up log of so many distinct keys and prints estimate and peak memory. */
import { randomBytes } from "node:crypto";
import type { FetchAnswer, RecordBatch, ReplicaLog } from "#lib/brokers/replica-log-port.ts";
import { ByteBudget } from "#lib/compaction/byte-budget.ts";
import { DistinctSample } from "#lib/compaction/keys/distinct-sample.ts";
import { estimateCount } from "#lib/compaction/keys/key-counts.ts";
import { KeyHasher } from "#lib/compaction/keys/key-hash.ts";
import { KeyTable } from "#lib/compaction/keys/key-table.ts";
import { SCAN_FETCH_BYTES, scanPartition } from "#lib/compaction/scan/scan-partition.ts";

const keys = Number(process.argv[2]);
const BATCH_RECORDS = 500;
const BATCHES_AN_ANSWER = 80;
const RECORD_BYTES = 100;

const batch: RecordBatch = {
  baseOffset: 0,
  lastOffset: 0,
  recordCount: BATCH_RECORDS,
  sizeInBytes: BATCH_RECORDS * RECORD_BYTES,
  magic: 2,
  isCompressed: false,
  isTransactional: false,
  isControl: false,
  hasDeleteHorizon: false,
  baseTimestamp: 0,
  maxTimestamp: 0,
  producerId: -1,
  isAborted: false,
};
const traffic = { fetches: 0, fetchedBytes: 0 };
const key = Buffer.alloc(16);

const log: ReplicaLog = {
  target: { topic: "made-up", topicId: "", partition: 0, brokerId: 1, isLeader: true },
  offsets: async () => ({ logStart: 0, logEnd: keys, lastStable: keys }),
  offsetForTimestamp: async () => null,
  peek: () => Promise.reject(new Error("a scan does not peek")),
  traffic: () => traffic,
  close: async () => {},
  async fetch({ offset }, visitor): Promise<FetchAnswer> {
    let at = offset;
    for (let i = 0; i < BATCHES_AN_ANSWER && at < keys; i++) {
      batch.baseOffset = at;
      batch.lastOffset = Math.min(keys, at + BATCH_RECORDS) - 1;
      visitor.batch(batch);
      for (; at <= batch.lastOffset; at++) {
        key.write(at.toString().padStart(16, "0"), 0, "latin1");
        visitor.record(at, at, key, 0, 16, false, RECORD_BYTES);
      }
    }
    const bytes = (at - offset) * RECORD_BYTES;
    traffic.fetches++;
    traffic.fetchedBytes += bytes;
    return {
      recordSetBytes: bytes,
      batchCount: BATCHES_AN_ANSWER,
      endsInPartialBatch: false,
      firstBaseOffset: offset,
      lastBaseOffset: at - BATCH_RECORDS,
      nextOffset: at,
      highWatermark: keys,
      lastStableOffset: keys,
      logStartOffset: 0,
      wasThrottled: false,
    };
  },
};

const clock = { now: () => performance.now(), sleep: async () => {} };
const sinks = { hasher: new KeyHasher(randomBytes(16)), table: new KeyTable(), sample: new DistinctSample() };
const startedAt = performance.now();
await scanPartition({
  partition: 0,
  openLeaderLog: async () => log,
  signal: new AbortController().signal,
  ...clock,
  sinks,
  budget: new ByteBudget(null, clock),
  fetchBytes: SCAN_FETCH_BYTES,
  answerBytesMax: null,
  startedAt: Date.now(),
  onAdvance: () => {},
});
const { kept, sampledShare } = sinks.table.countTopic();
const estimate = estimateCount(kept, sampledShare, keys);
const peakBytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ ...estimate, ms: performance.now() - startedAt, peakBytes }));
