import { FakeLog } from "#lib/brokers/fake/fake-log.ts";
import { type FakeBrokerLimits, FakeReplicaLog } from "#lib/brokers/fake/fake-replica-log.ts";
import { probePartition } from "#lib/compaction/probe/probe.ts";
import type { BrokerLimits } from "#lib/compaction/probe/probe-replica.ts";

/** A small seeded generator (mulberry32), so that a failing case can be run again. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface Workload {
  name: string;
  records: number;
  segmentBytes: number;
  batchRecords: number;
  valueBytes: number;
  key(random: () => number, index: number): string | null;
  tombstoneShare?: number;
  transactionRecords?: number;
  abortShare?: number;
  /** Cleaner ratio above which the cleaner runs. */
  minRatio?: number;
  mapCapacity?: number;
  mergeBytes?: number;
  openTransactionAtRecord?: number;
}

/** Writes the workload and runs the cleaner whenever the ratio is above its limit, as the broker would. */
export function writeWorkload(workload: Workload, seed: number): FakeLog {
  const random = seededRandom(seed);
  const log = new FakeLog(workload.segmentBytes);
  let written = 0;
  while (written < workload.records) {
    const size = Math.max(1, Math.round(workload.batchRecords * (0.5 + random())));
    const isAborted = random() < (workload.abortShare ?? 0);
    const isTransactional = (workload.transactionRecords ?? 0) > 0;
    const records = Array.from({ length: Math.min(size, workload.records - written) }, (_, index) => ({
      key: workload.key(random, written + index),
      isTombstone: random() < (workload.tombstoneShare ?? 0),
      sizeInBytes: Math.round(workload.valueBytes * (0.5 + random())) + 20,
    }));
    if (
      workload.openTransactionAtRecord !== undefined &&
      log.openTransactionAt === null &&
      written >= workload.openTransactionAtRecord
    ) {
      log.openTransactionAt = log.logEnd;
    }
    log.append(records, { isTransactional, isAborted });
    written += records.length;
    if (isTransactional) log.append([], { isControl: true, isTransactional: true });
    if (random() < 0.05) cleanIfDue(log, workload);
  }
  cleanIfDue(log, workload);
  return log;
}

function cleanIfDue(log: FakeLog, { minRatio = 0.5, mapCapacity, mergeBytes = 0 }: Workload): void {
  for (let run = 0; run < 20 && log.dirtyRatio > minRatio; run += 1) log.clean(mapCapacity, mergeBytes);
}

export async function probeFakeLog(
  log: FakeLog,
  segmentBytes: number,
  seed: number,
  options: { limits?: Partial<BrokerLimits>; broker?: FakeBrokerLimits } = {},
) {
  return probePartition({
    topic: "t",
    partition: { partition: 0, leader: 1, leaderEpoch: 0, replicas: [1], inSyncReplicas: [1] },
    settings: { segmentBytes, minCompactionLagMs: 0 },
    replicaBytes: new Map([[1, log.bytes]]),
    limits: { answerBytesMax: 55 * 1024 * 1024, offsetMapCapacity: 5_000_000, ...options.limits },
    probeFollowers: false,
    openLog: (brokerId) =>
      new FakeReplicaLog(log, { topic: "t", topicId: "", partition: 0, brokerId, isLeader: true }, options.broker),
    seed: new Uint8Array(16).fill(seed & 0xff),
    random: seededRandom(seed + 1),
    now: () => 0,
  });
}
