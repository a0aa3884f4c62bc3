import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerClusters, storePoll } from "#lib/clusters/commands.ts";
import { acquireLease, type Lease } from "#lib/jobs/lease.ts";
import { beat } from "#lib/jobs/store.ts";
import { decodeDecimals } from "#lib/measurements/decimal-fields.ts";
import { storeMeasurements } from "#lib/measurements/store.ts";
import type { Db } from "#lib/platform/db.ts";
import { SCHEMA_MIGRATION } from "#lib/platform/schema-version.ts";
import { closeScanSender } from "#lib/scans/queue.ts";
import { claimScan, finishScan } from "#lib/scans/store.ts";
import { findTopicByName, getFleetView, getTopicView } from "#lib/topics/queries.ts";
import { GET as getHealth } from "../../../app/api/health/route.ts";
import { GET as getReady } from "../../../app/api/ready/route.ts";
import { GET as getTopic } from "../../../app/api/v1/clusters/[cluster]/topics/[topic]/route.ts";
import { POST as postCancellation } from "../../../app/api/v1/clusters/[cluster]/topics/[topic]/scans/[scan]/cancellation/route.ts";
import { GET as getScan } from "../../../app/api/v1/clusters/[cluster]/topics/[topic]/scans/[scan]/route.ts";
import { POST as postScan } from "../../../app/api/v1/clusters/[cluster]/topics/[topic]/scans/route.ts";
import { GET as getTopicByName } from "../../../app/api/v1/clusters/[cluster]/topics/route.ts";
import { GET as getFleet } from "../../../app/api/v1/fleet/route.ts";
import { makePartitionMeasurement, makeTopicMeasurement } from "../../support/measurements.ts";
import { makeSnapshot, topicIdOf } from "../../support/poll-snapshots.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const HOSTILE = "<b>\u202E</b>/..%2F?#";
const holder = globalThis as { keyfoldDb?: Db };
let database: TestDatabase;
let lease: Lease;
let before: Db | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
  before = holder.keyfoldDb;
  holder.keyfoldDb = database.db;
});
afterAll(async () => {
  if (before) holder.keyfoldDb = before;
  else delete holder.keyfoldDb;
  await closeScanSender(database.db);
  await database.drop();
});

const request = (path: string, init: RequestInit = {}) =>
  new Request(`http://127.0.0.1:3000${path}`, { ...init, headers: { host: "127.0.0.1:3000", ...init.headers } });
const context = <T>(params: T) => ({ params: Promise.resolve(params) });
const read = async (response: Response) => ({ status: response.status, body: await response.json() });

describe("readiness over HTTP", () => {
  const ready = async () => read(await getReady(request("/api/ready"), undefined));

  it("goes from 503 to 200 as worker, poll and probe come, and stays there after a restart", async () => {
    expect(await ready()).toMatchObject({ status: 503, body: { reasons: ["No worker has started yet."] } });
    await registerClusters(database.db, [{ id: "prod", system: "kafka", pollIntervalMs: 15_000 }]);
    await beat(database.db, { id: "w", host: "h", pid: 1, startedAt: Date.now() }, Date.now());
    expect(await ready()).toMatchObject({ status: 503, body: { clusters: [{ id: "prod", ready: false }] } });
    lease = (await acquireLease(database.db, "watch:prod", "w", 600_000))!;
    const topics = ["customers", HOSTILE].map((name, index) => ({ name, topicId: topicIdOf(index) }));
    await storePoll(database.db, "prod", lease, makeSnapshot(Date.now(), topics));
    expect((await ready()).status).toBe(503);
    await database.query("UPDATE partition_state SET probed_at = now(), probed_end = log_end");
    expect(await ready()).toMatchObject({ status: 200, body: { ready: true, reasons: [] } });
    await beat(database.db, { id: "w2", host: "h", pid: 2, startedAt: Date.now() }, Date.now());
    expect((await ready()).status).toBe(200);
  });

  it("is refused while the newest migration is missing", async () => {
    await database.query(
      `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${SCHEMA_MIGRATION}'`,
    );
    expect(await ready()).toMatchObject({
      status: 503,
      body: { reasons: [expect.stringContaining("apply the migrations")] },
    });
    await database.query("UPDATE _prisma_migrations SET rolled_back_at = NULL");
  });

  it("is never cached, and health looks at nothing but the process", async () => {
    const response = await getReady(request("/api/ready"), undefined);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect((await getHealth(request("/api/health"), undefined)).status).toBe(200);
  });
});

describe("views over HTTP", () => {
  it("carry decimal strings, and decode to what the page shows", async () => {
    const partition = makePartitionMeasurement({ logEndOffset: Number.MAX_SAFE_INTEGER });
    const topicRef = (await findTopicByName(database.db, "prod", "customers"))!.id;
    const measured = { topicRef, mode: "probe" as const, partitions: [partition], written: partition.logEndOffset };
    await storeMeasurements(database.db, { ...measured, topic: makeTopicMeasurement([partition]) });
    const topic = await read(await getTopic(request("/"), context({ cluster: "prod", topic: "customers" })));
    expect(topic.body.partitions[0].probe.logEndOffset).toBe("9007199254740991");
    expect(decodeDecimals(topic.body)).toEqual(await getTopicView("prod", "customers", database.db, topic.body.readAt));
    const fleet = await read(await getFleet(request("/api/v1/fleet"), undefined));
    expect(decodeDecimals(fleet.body)).toEqual(await getFleetView(database.db, fleet.body.readAt));
  });

  it("are found by hostile names, as one segment and by ?name=", async () => {
    const bySegment = await read(await getTopic(request("/"), context({ cluster: "prod", topic: HOSTILE })));
    expect(bySegment).toMatchObject({ status: 200, body: { topic: HOSTILE } });
    const path = `/api/v1/clusters/prod/topics?name=${encodeURIComponent(HOSTILE)}`;
    const byName = await read(await getTopicByName(request(path), context({ cluster: "prod" })));
    expect(byName).toMatchObject({ status: 200, body: { topic: HOSTILE } });
  });

  it("that are not there answer with a problem that names the field and the remedy", async () => {
    const unknown = await getTopic(request("/"), context({ cluster: "prod", topic: "nowhere" }));
    expect(unknown.headers.get("content-type")).toBe("application/problem+json");
    expect(await read(unknown)).toMatchObject({
      status: 404,
      body: { status: 404, field: "topic", detail: expect.any(String) },
    });
    const nameless = await getTopicByName(request("/api/v1/clusters/prod/topics"), context({ cluster: "prod" }));
    expect(await read(nameless)).toMatchObject({ status: 400, body: { field: "name" } });
  });

  it("are refused to a site whose name leads to this machine", async () => {
    const rebound = request("/api/v1/fleet", { headers: { host: "evil.example" } });
    expect(await read(await getFleet(rebound, undefined))).toMatchObject({ status: 403, body: { field: "Host" } });
  });
});

describe("scans over HTTP", () => {
  const params = { cluster: "prod", topic: "customers" };
  const post = (headers: Record<string, string> = {}) =>
    postScan(request("/", { method: "POST", headers }), context(params));

  it("are accepted once, shown, refused twice, and cancelled", async () => {
    const accepted = await read(await post());
    expect(accepted).toMatchObject({ status: 202, body: { state: "queued", bytesRead: "0", recordsScanned: "0" } });
    const scan = accepted.body.id as string;
    expect(await read(await post())).toMatchObject({ status: 409, body: { field: "topic", scanId: scan } });
    expect(await read(await getScan(request("/"), context({ ...params, scan })))).toMatchObject({
      status: 200,
      body: { id: scan },
    });
    const cancel = () => postCancellation(request("/", { method: "POST" }), context({ ...params, scan }));
    expect(await read(await cancel())).toMatchObject({ status: 202, body: { state: "cancelled" } });
    expect(await read(await cancel())).toMatchObject({ status: 409, body: { field: "scan" } });
  });

  it("of another topic's path are not there", async () => {
    const scan = (await read(await post())).body.id as string;
    const elsewhere = context({ cluster: "prod", topic: HOSTILE, scan });
    expect((await getScan(request("/"), elsewhere)).status).toBe(404);
    expect((await postCancellation(request("/", { method: "POST" }), elsewhere)).status).toBe(404);
    const claimed = (await claimScan(database.db, scan, "w", Date.now()))!;
    await database.db.$transaction((tx) => finishScan(tx, claimed, "succeed", null, Date.now()));
  });

  it("can't be ordered by a page of another origin", async () => {
    expect((await post({ origin: "https://evil.example" })).status).toBe(403);
    expect((await post({ "sec-fetch-site": "cross-site" })).status).toBe(403);
  });
});
