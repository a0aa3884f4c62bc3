import { describe, expect, it } from "vitest";
import { type ClusterProgress, decideReadiness } from "#lib/jobs/readiness.ts";

const NOW = 1_800_000_000_000;
const cluster = (progress: Partial<ClusterProgress>): ClusterProgress => ({
  id: "prod",
  polled: true,
  attempted: true,
  lastError: null,
  compactedPartitions: 4,
  probedPartitions: 1,
  triedPartitions: 1,
  ...progress,
});
const decide = (clusters: ClusterProgress[], newestHeartbeatAt: number | null = NOW - 1000) =>
  decideReadiness({ migrationApplied: true, newestHeartbeatAt, clusters }, NOW);

describe("readiness", () => {
  it("is given when the schema is right, a worker beats and every cluster was polled and probed", () => {
    expect(decide([cluster({})])).toEqual({
      ready: true,
      reasons: [],
      clusters: [{ id: "prod", ready: true, reason: expect.stringContaining("1 of 4") }],
    });
  });

  it("waits for the schema, and says when the database can't be read", () => {
    const without = { newestHeartbeatAt: null, clusters: [] };
    expect(decideReadiness({ migrationApplied: false, ...without }, NOW)).toMatchObject({ ready: false });
    expect(decideReadiness({ migrationApplied: null, ...without }, NOW).reasons[0]).toContain("DATABASE_URL");
  });

  it("waits for a worker, and notices one that is silent", () => {
    expect(decide([], null).reasons).toEqual(["No worker has started yet."]);
    expect(decide([], NOW - 60_000).ready).toBe(false);
    expect(decide([], NOW - 5_000).ready).toBe(true);
  });

  it("waits for the first poll and the first probe of a compacted partition", () => {
    expect(decide([cluster({ polled: false, attempted: false })]).ready).toBe(false);
    expect(decide([cluster({ probedPartitions: 0, triedPartitions: 0 })]).ready).toBe(false);
  });

  it("does not wait for a probe where there is nothing compacted, or nothing may be read", () => {
    expect(decide([cluster({ compactedPartitions: 0, probedPartitions: 0, triedPartitions: 0 })]).ready).toBe(true);
    expect(decide([cluster({ probedPartitions: 0, triedPartitions: 4 })]).ready).toBe(true);
  });

  it("does not wait for a cluster that was tried and not reached, and says so", () => {
    const away = cluster({ polled: false, lastError: "connection refused" });
    expect(decide([away])).toMatchObject({
      ready: true,
      clusters: [{ ready: true, reason: expect.stringContaining("connection refused") }],
    });
  });

  it("names every cluster that is not there yet", () => {
    const reasons = decide([cluster({ id: "a", polled: false, attempted: false }), cluster({ id: "b" })]).reasons;
    expect(reasons).toEqual([expect.stringContaining("Cluster a")]);
  });
});
