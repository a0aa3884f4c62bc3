import { describe, expect, test } from "vitest";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { ByteBudget } from "#lib/compaction/byte-budget.ts";
import { DistinctSample } from "#lib/compaction/keys/distinct-sample.ts";
import { KEY_HASH_SEED_BYTES, KeyHasher } from "#lib/compaction/keys/key-hash.ts";
import { KeyTable } from "#lib/compaction/keys/key-table.ts";
import {
  chooseFetchBytes,
  type PartitionScanParts,
  SCAN_FETCH_BYTES,
  scanPartition,
} from "#lib/compaction/scan/scan-partition.ts";
import { batchOf, RECORD_BYTES, ScriptedPartition } from "../../../support/scripted-log.ts";

const NOW = 1_000_000;

/** A clock whose sleeps end at once and take their time on it. */
function scanOf(log: ScriptedPartition, overrides: Partial<PartitionScanParts> = {}) {
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (milliseconds: number, signal: AbortSignal) => {
      signal.throwIfAborted();
      now += milliseconds;
    },
  };
  const sinks = {
    hasher: new KeyHasher(new Uint8Array(KEY_HASH_SEED_BYTES)),
    table: new KeyTable(),
    sample: new DistinctSample(),
  };
  const parts: PartitionScanParts = {
    partition: 0,
    openLeaderLog: async () => log.open(),
    signal: new AbortController().signal,
    ...clock,
    sinks,
    budget: new ByteBudget(null, clock),
    fetchBytes: SCAN_FETCH_BYTES,
    answerBytesMax: null,
    startedAt: NOW,
    onAdvance: () => {},
    ...overrides,
  };
  return {
    sinks,
    clock,
    run: (resumed = null as Parameters<typeof scanPartition>[1]) => scanPartition(parts, resumed),
  };
}

const keysFrom = (from: number, count: number) => Array.from({ length: count }, (_, i) => `k${from + i}`);

/** More than one answer's worth of batches, each of 100 unique keys. */
function longLog(batches = 2_000): ScriptedPartition {
  const log = new ScriptedPartition();
  for (let i = 0; i < batches; i++) log.batches.push(batchOf(i * 100, keysFrom(i * 100, 100)));
  return log;
}

describe("a scan of a partition", () => {
  test("counts records, tombstones, records without a key and keys as a read_committed reader gets them", async () => {
    const log = new ScriptedPartition();
    log.batches = [
      batchOf(0, ["a", "b", null, "a"]),
      { ...batchOf(4, ["c", "d"]), isTransactional: true, isAborted: true },
      { ...batchOf(6, [null]), isControl: true, isTransactional: true },
      {
        baseOffset: 7,
        lastOffset: 8,
        records: [
          { offset: 7, key: "b", isTombstone: true },
          { offset: 8, key: "e" },
        ],
      },
    ];
    const scan = scanOf(log);
    const { counts } = await scan.run();
    expect(counts).toMatchObject({
      retainedRecords: 6,
      tombstones: 1,
      nullKeyRecords: 1,
      abortedRecords: 2,
      heldRecords: 0,
      keyedBytes: 5 * RECORD_BYTES,
      position: 9,
    });
    expect(scan.sinks.table.countPartition(0)).toMatchObject({ kept: 3, live: 2 });
    expect(scan.sinks.sample.countPartition(0)).toMatchObject({ kept: 3, live: 2 });
  });

  test("ends at the last stable offset of its start, and counts what is held back behind it by batch headers", async () => {
    const log = longLog(10);
    log.batches.push({ ...batchOf(1_000, keysFrom(0, 40)), isTransactional: true });
    log.batches.push(batchOf(1_040, keysFrom(0, 7)));
    log.batches.push({ ...batchOf(1_047, [null]), isControl: true });
    log.lastStable = 1_000;
    log.beforeFetch = (answers) => {
      if (answers === 0) log.batches.push(batchOf(1_048, keysFrom(0, 99)));
    };
    const { counts, offsets } = await scanOf(log).run();
    expect(counts.retainedRecords).toBe(1_000);
    expect(counts.heldRecords).toBe(47);
    expect(offsets).toEqual({ logStart: 0, logEnd: 1_048, lastStable: 1_000 });
  });

  test("passes gaps, empty batches and control batches at the end, where no record ever comes", async () => {
    const log = new ScriptedPartition();
    log.batches = [batchOf(5, ["a"]), { baseOffset: 6, lastOffset: 20, records: [], producerId: 3 }];
    log.gapEnd = 30;
    const { counts } = await scanOf(log).run();
    expect(counts).toMatchObject({ retainedRecords: 1, position: 30 });
    expect(counts.evidence.low).toBe(21);
  });

  test("proves the clean point from both sides as one pass over all windows would", async () => {
    const log = new ScriptedPartition();
    log.batches = [
      {
        baseOffset: 0,
        lastOffset: 9,
        records: [
          { offset: 3, key: "a" },
          { offset: 8, key: "b" },
        ],
      },
      batchOf(10, ["c", "d"]),
      { ...batchOf(12, ["x", "y"]), isTransactional: true, isAborted: true },
      { ...batchOf(14, [null]), isControl: true },
      batchOf(15, ["e", "x", "a"]),
    ];
    const { counts } = await scanOf(log).run();
    expect(counts.evidence).toMatchObject({ low: 10, high: 16 });
  });

  test("a delete horizon proves cleaning, and a tombstone past it is removable", async () => {
    const log = new ScriptedPartition();
    const tombstones = [
      { offset: 0, key: "a", isTombstone: true },
      { offset: 1, key: "b", isTombstone: true },
    ];
    log.batches = [
      { baseOffset: 0, lastOffset: 1, records: tombstones, hasDeleteHorizon: true, baseTimestamp: NOW - 1 },
      {
        baseOffset: 2,
        lastOffset: 2,
        records: [{ offset: 2, key: "c", isTombstone: true }],
        hasDeleteHorizon: true,
        baseTimestamp: NOW + 1,
      },
      batchOf(3, ["b"]),
    ];
    const scan = scanOf(log);
    const { counts } = await scan.run();
    expect(counts.evidence).toMatchObject({ low: 3, high: 3 });
    expect(scan.sinks.table.countPartition(0)).toMatchObject({
      live: 1,
      expiredBytes: RECORD_BYTES,
      lastBytes: 3 * RECORD_BYTES,
    });
  });

  test("an answer that fails half way is asked for again, and nothing counts twice", async () => {
    const log = longLog();
    let failures = 0;
    log.duringFetch = (batch) => {
      if (batch.baseOffset === 50_000 && failures++ < 3) throw new BrokerError("unreachable", "connection reset");
    };
    const scan = scanOf(log);
    const { counts, warnings } = await scan.run();
    expect(failures).toBeGreaterThanOrEqual(3);
    expect(counts.retainedRecords).toBe(200_000);
    expect(counts.batchBytes).toBe(2_000 * (61 + 100 * RECORD_BYTES));
    expect(scan.sinks.table.countPartition(0)).toMatchObject({ kept: 200_000, lastBytes: 200_000 * RECORD_BYTES });
    expect(counts.evidence).toMatchObject({ low: 0, high: 200_000 });
    expect([...warnings]).toEqual([]);
  });

  test("follows the leader and says so", async () => {
    const log = longLog();
    log.beforeFetch = (answers) => {
      if (answers !== 1 || log.brokerId !== 1) return;
      log.brokerId = 2;
      throw new BrokerError("leader-moved", "not the leader");
    };
    const { counts, warnings } = await scanOf(log).run();
    expect(counts.retainedRecords).toBe(200_000);
    expect([...warnings]).toEqual(["leader-moved"]);
  });

  test("gives up after a minute without an answer", async () => {
    const log = longLog(1);
    log.beforeFetch = () => {
      throw new BrokerError("unreachable", "connection refused");
    };
    const scan = scanOf(log);
    await expect(scan.run()).rejects.toMatchObject({ code: "unreachable" });
    expect(scan.clock.now()).toBeGreaterThan(55_000);
    expect(scan.clock.now()).toBeLessThan(70_000);
  });

  test("counts again from a log start that overtook it: what it had read is gone", async () => {
    const log = longLog();
    log.beforeFetch = (answers) => {
      if (answers !== 1) return;
      log.batches = log.batches.filter((batch) => batch.baseOffset >= 150_000);
      log.logStart = 150_000;
    };
    const scan = scanOf(log);
    const { counts, warnings } = await scan.run();
    expect(counts).toMatchObject({ logStart: 150_000, retainedRecords: 50_000 });
    expect(scan.sinks.table.countPartition(0).kept).toBe(50_000);
    const { kept, sampledShare } = scan.sinks.sample.countPartition(0);
    expect(Math.abs(kept / sampledShare / 50_000 - 1)).toBeLessThan(0.05);
    expect(warnings).toContain("log-start-moved");
  });

  test("does not count records below a log start that lies inside a batch", async () => {
    const log = new ScriptedPartition();
    log.batches = [batchOf(0, ["a", "b", "c", "d"]), batchOf(4, ["e"])];
    log.logStart = 2;
    const { counts } = await scanOf(log).run();
    expect(counts.retainedRecords).toBe(3);
  });

  test("records that compaction takes away while it reads end it all the same", async () => {
    const log = longLog();
    log.beforeFetch = (answers) => {
      if (answers === 1)
        log.batches = log.batches.filter((batch) => batch.baseOffset < 90_000 || batch.baseOffset >= 199_900);
      if (answers === 2) {
        log.batches = log.batches.filter((batch) => batch.baseOffset < 199_900);
        log.gapEnd = 200_000;
      }
    };
    const { counts } = await scanOf(log).run();
    expect(counts.position).toBe(200_000);
    expect(counts.retainedRecords).toBeGreaterThan(80_000);
  });

  test("waits for a new leader whose high watermark lags, and says when records were lost for good", async () => {
    const log = longLog(10);
    log.beforeFetch = (answers) => {
      log.lastStable = answers < 5 ? 500 : 1_000;
    };
    const waiting = scanOf(log);
    log.lastStable = 1_000;
    expect((await waiting.run()).counts.retainedRecords).toBe(1_000);
    const lost = longLog(10);
    lost.beforeFetch = () => {
      lost.lastStable = 500;
    };
    await expect(scanOf(lost).run()).rejects.toThrow("Records were lost");
  });

  test("cancelling ends it between two answers and in the middle of one that never comes", async () => {
    const controller = new AbortController();
    const stuck = longLog(1);
    let asked = () => {};
    const wasAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    stuck.beforeFetch = () => {
      asked();
      return new Promise(() => {});
    };
    const running = scanOf(stuck, { signal: controller.signal }).run();
    await wasAsked;
    controller.abort(new BrokerError("cancelled", "The scan was cancelled."));
    await expect(running).rejects.toMatchObject({ code: "cancelled" });
  });

  test("keeps to its byte budget", async () => {
    const log = longLog();
    const scan = scanOf(log);
    const perSecond = 1_000_000;
    const limited = scanOf(log, {
      ...scan.clock,
      budget: new ByteBudget(perSecond, scan.clock),
      fetchBytes: chooseFetchBytes(perSecond, null),
    });
    const { traffic } = await limited.run();
    const seconds = scan.clock.now() / 1_000;
    expect(traffic.fetchedBytes / perSecond).toBeLessThan(seconds + 1.1);
    expect(traffic.fetchedBytes / perSecond).toBeGreaterThan(seconds - 1.1);
  });

  test("goes on from a checkpoint without reading or counting anything twice", async () => {
    const log = longLog();
    const controller = new AbortController();
    let saved: string | null = null;
    const first = scanOf(log, {
      signal: controller.signal,
      onAdvance: (counts) => {
        saved ??= JSON.stringify(counts);
        controller.abort(new Error("killed"));
      },
    });
    await expect(first.run()).rejects.toThrow("killed");
    const second = scanOf(log, { sinks: { ...first.sinks, table: null } });
    const { counts, traffic } = await second.run(JSON.parse(saved!));
    expect(counts.retainedRecords).toBe(200_000);
    expect(traffic.fetchedBytes).toBeLessThan(2_000 * (61 + 100 * RECORD_BYTES) - SCAN_FETCH_BYTES / 2);
  });
});
