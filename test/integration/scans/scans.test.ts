import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerClusters, storePoll } from "#lib/clusters/commands.ts";
import { acquireLease } from "#lib/jobs/lease.ts";
import { createSealedBox } from "#lib/platform/sealed-box.ts";
import { cancelScan, requestScan } from "#lib/scans/commands.ts";
import { getScanView } from "#lib/scans/queries.ts";
import { closeScanSender } from "#lib/scans/queue.ts";
import { statesFor } from "#lib/scans/scan-states.ts";
import type { ScanState } from "#lib/scans/scan-view.ts";
import {
  type ClaimedScan,
  claimScan,
  finishScan,
  readCheckpoint,
  reportScan,
  storeCheckpoint,
} from "#lib/scans/store.ts";
import { makeSnapshot, topicIdOf } from "../../support/poll-snapshots.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const START = 1_800_000_000_000;
const box = createSealedBox(new Uint8Array(32));
const PROGRESS = {
  progress: 0.5,
  recordsScanned: 10,
  bytesRead: 900,
  partitionsDone: 1,
  partitionCount: 2,
  remainingMs: 700,
};
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await registerClusters(database.db, [{ id: "prod", system: "kafka", pollIntervalMs: 15_000 }]);
  const lease = (await acquireLease(database.db, "watch:prod", "worker", 600_000))!;
  const topics = ["one", "two", "gone"].map((name, index) => ({ name, topicId: topicIdOf(index), partitions: 2 }));
  await storePoll(database.db, "prod", lease, makeSnapshot(START, topics));
  await storePoll(database.db, "prod", lease, makeSnapshot(START + 1, topics.slice(0, 2)));
  await storePoll(database.db, "prod", lease, makeSnapshot(START + 2, topics.slice(0, 2)));
});
afterAll(async () => {
  await closeScanSender(database.db);
  await database.drop();
});

const order = (topic: string) => requestScan({ clusterId: "prod", topic, requestedBy: "somebody" }, database.db, START);
const setState = (id: string, state: ScanState) =>
  database.query("UPDATE scan_request SET state = $2 WHERE id = $1", [id, state]);
const stateOf = async (scanId: string) =>
  (await getScanView({ clusterId: "prod", topic: "one", scanId }, database.db))?.state;
const jobsOf = (scanId: string) =>
  database.query("SELECT singleton_key FROM pgboss.job WHERE data->>'scanId' = $1", [scanId]);

async function orderFresh(): Promise<string> {
  await database.query("DELETE FROM scan_request");
  const scan = await order("one");
  if (!scan.ok) throw new Error(scan.error.reason);
  return scan.value.id;
}

describe("an order to scan", () => {
  it("stores the scan and its job together", async () => {
    const id = await orderFresh();
    expect(await stateOf(id)).toBe("queued");
    expect(await jobsOf(id)).toEqual([{ singleton_key: "prod" }]);
  });

  it("is refused while one of the topic is open, and accepted for another topic", async () => {
    const id = await orderFresh();
    expect(await order("one")).toMatchObject({ ok: false, error: { reason: "scan-open", scan: { id } } });
    expect((await order("two")).ok).toBe(true);
  });

  it("of many at once for one topic makes one scan", async () => {
    await database.query("DELETE FROM scan_request");
    const orders = await Promise.all(Array.from({ length: 6 }, () => order("one")));
    expect(orders.filter((scan) => scan.ok)).toHaveLength(1);
    expect(orders.filter((scan) => !scan.ok && scan.error.reason === "scan-open")).toHaveLength(5);
  });

  it("is refused for a topic that is not there or gone, and makes no job", async () => {
    const [before] = await database.query("SELECT count(*)::int AS n FROM pgboss.job");
    expect(await order("nowhere")).toEqual({ ok: false, error: { reason: "topic-unknown" } });
    expect(await order("gone")).toEqual({ ok: false, error: { reason: "topic-gone" } });
    expect(await database.query("SELECT count(*)::int AS n FROM pgboss.job")).toEqual([before]);
  });
});

describe("a cancellation", () => {
  it("of a scan that waits ends it at once, and no worker takes it any more", async () => {
    const id = await orderFresh();
    expect(await cancelScan(id, database.db, START)).toMatchObject({ ok: true, value: { state: "cancelled" } });
    expect(await claimScan(database.db, id, "w", START)).toBeNull();
    expect((await order("one")).ok).toBe(true);
  });

  it("of a scan that runs reaches its worker with the next report", async () => {
    const id = await orderFresh();
    const claimed = (await claimScan(database.db, id, "w", START))!;
    expect(await reportScan(database.db, claimed, PROGRESS, START)).toBe("go-on");
    expect(await cancelScan(id, database.db, START)).toMatchObject({ ok: true, value: { state: "cancelling" } });
    expect(await reportScan(database.db, claimed, PROGRESS, START)).toBe("cancel");
    expect(await cancelScan(id, database.db, START)).toMatchObject({ ok: true, value: { state: "cancelling" } });
  });

  it.each(["succeeded", "failed", "cancelled"] as const)("of a scan that is %s is refused", async (state) => {
    const id = await orderFresh();
    await setState(id, state);
    expect(await cancelScan(id, database.db, START)).toMatchObject({ ok: false, error: { reason: "scan-ended" } });
    expect(await stateOf(id)).toBe(state);
  });

  it("of a scan that never was is refused, whatever the id looks like", async () => {
    for (const id of [randomUUID(), "", "' OR 1=1", "../.."]) {
      expect(await cancelScan(id, database.db, START)).toEqual({ ok: false, error: { reason: "scan-unknown" } });
    }
  });

  it("whose worker died is carried out by the one that takes over", async () => {
    const id = await orderFresh();
    await claimScan(database.db, id, "w", START);
    await cancelScan(id, database.db, START);
    expect(await claimScan(database.db, id, "v", START)).toBeNull();
    expect(await stateOf(id)).toBe("cancelled");
  });
});

describe("a scan in the hands of a worker", () => {
  it("stores progress that the page shows", async () => {
    const id = await orderFresh();
    await reportScan(database.db, (await claimScan(database.db, id, "w", START))!, PROGRESS, START);
    const view = await getScanView({ clusterId: "prod", topic: "one", scanId: id }, database.db);
    expect(view).toMatchObject({ state: "running", startedAt: START, ...PROGRESS });
  });

  it("refuses everything from a worker that was replaced", async () => {
    const id = await orderFresh();
    const old = (await claimScan(database.db, id, "w", START))!;
    const next = (await claimScan(database.db, id, "v", START))!;
    expect(await reportScan(database.db, old, PROGRESS, START)).toBe("stop");
    await storeCheckpoint(database.db, box, old, new Uint8Array([1]), START);
    expect(await readCheckpoint(database.db, box, id)).toBeNull();
    const finish = (scan: ClaimedScan) =>
      database.db.$transaction((tx) => finishScan(tx, scan, "succeed", null, START));
    expect(await finish(old)).toBe(false);
    expect(await stateOf(id)).toBe("running");
    expect(await finish(next)).toBe(true);
  });

  it("hands its checkpoint on, sealed, and drops it at its end", async () => {
    const id = await orderFresh();
    const claimed = (await claimScan(database.db, id, "w", START))!;
    const bytes = new TextEncoder().encode("KFCP hashes");
    await storeCheckpoint(database.db, box, claimed, bytes, START);
    expect(await readCheckpoint(database.db, box, id)).toEqual(bytes);
    const [row] = await database.query("SELECT checkpoint_sealed AS sealed FROM scan_request WHERE id = $1", [id]);
    expect((row!.sealed as Buffer).includes("KFCP")).toBe(false);
    expect(await readCheckpoint(database.db, createSealedBox(new Uint8Array(32).fill(1)), id)).toBeNull();
    await database.db.$transaction((tx) => finishScan(tx, claimed, "fail", "why", START));
    expect(await readCheckpoint(database.db, box, id)).toBeNull();
  });

  const ENDINGS = ["succeed", "fail", "confirmCancellation"] as const;
  const STATES: ScanState[] = ["queued", "running", "cancelling", "cancelled", "succeeded", "failed"];
  for (const ending of ENDINGS) {
    for (const state of STATES.filter((one) => !statesFor(ending).includes(one))) {
      it(`can't ${ending} while it is ${state}`, async () => {
        const id = await orderFresh();
        const claimed = (await claimScan(database.db, id, "w", START))!;
        await setState(id, state);
        expect(await database.db.$transaction((tx) => finishScan(tx, claimed, ending, "late", START))).toBe(false);
        expect(await stateOf(id)).toBe(state);
      });
    }
  }

  it("can't be claimed once it has ended", async () => {
    const id = await orderFresh();
    for (const state of ["cancelled", "succeeded", "failed"] as const) {
      await setState(id, state);
      expect(await claimScan(database.db, id, "w", START)).toBeNull();
      expect(await stateOf(id)).toBe(state);
    }
  });
});
