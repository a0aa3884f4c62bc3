/** Stores what is configured and what polls found, each in one transaction. */
import type { Traffic } from "#lib/brokers/broker-port.ts";
import type { PollSnapshot } from "#lib/clusters/poll-snapshot.ts";
import {
  insertTraffic,
  markPolled,
  markPollFailed,
  type RegisteredCluster,
  upsertClusters,
} from "#lib/clusters/store.ts";
import { holdLease, type Lease } from "#lib/jobs/lease.ts";
import { announceChange } from "#lib/platform/change-event.ts";
import type { Db, DbSession } from "#lib/platform/db.ts";
import { storePolledTopics } from "#lib/topics/commands.ts";

/** Makes the stored clusters those of the configuration; the data of others stay, out of sight. */
export const registerClusters = (db: Db, clusters: readonly RegisteredCluster[]): Promise<void> =>
  db.$transaction((tx) => upsertClusters(tx, clusters));

/** Throws `LeaseLostError` where another worker polls the cluster by now. */
export async function storePoll(db: Db, clusterId: string, lease: Lease, snapshot: PollSnapshot): Promise<void> {
  await db.$transaction(
    async (tx) => {
      await holdLease(tx, lease);
      await storePolledTopics(tx, clusterId, snapshot);
      await markPolled(tx, clusterId, snapshot);
      await announceChange(tx, { kind: "cluster", clusterId });
    },
    { timeout: 30_000, maxWait: 10_000 },
  );
}

/** The data of the last poll stay as they are, with their age. Throws `LeaseLostError`. */
export async function storePollFailure(
  db: Db,
  clusterId: string,
  lease: Lease,
  failure: { at: number; error: string },
): Promise<void> {
  await db.$transaction(async (tx) => {
    await holdLease(tx, lease);
    await markPollFailed(tx, clusterId, failure);
    await announceChange(tx, { kind: "cluster", clusterId });
  });
}

/** Adds to the day's counters of Keyfold's own requests and bytes. */
export async function addTraffic(
  db: DbSession,
  clusterId: string,
  clientId: string,
  traffic: Traffic,
  at: number,
): Promise<void> {
  if (traffic.requests === 0 && traffic.receivedBytes === 0) return;
  await insertTraffic(db, clusterId, clientId, traffic, at);
}
