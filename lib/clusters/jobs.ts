/**
 * Watches one cluster: whichever worker holds its lease polls and probes it. Every cluster has loops of its own, so that
 * one that hangs delays no other.
 */
import type { BrokerConnection } from "#lib/clusters/broker-connection.ts";
import { addTraffic, storePoll, storePollFailure } from "#lib/clusters/commands.ts";
import { type PolicyCache, pollCluster } from "#lib/clusters/poll.ts";
import { pauseBeforePollMs } from "#lib/clusters/poll-pace.ts";
import { acquireLease, type Lease, LeaseLostError, releaseLease } from "#lib/jobs/lease.ts";
import type { WatchContext } from "#lib/jobs/watch-context.ts";
import { withBrokerConnection } from "#lib/jobs/with-broker-connection.ts";
import { probeCluster } from "#lib/measurements/jobs.ts";
import { waitMs } from "#lib/platform/clock.ts";
import { withDeadline } from "#lib/platform/deadline.ts";
import { describeError } from "#lib/platform/log.ts";
import { Signal } from "#lib/platform/signal.ts";

const LEASE_MS = 20_000;
const RENEW_MS = 5_000;
const POLL_DEADLINE_MS = 60_000;
const CLIENT_ID = "keyfold-poll";

/** Ends when `signal` is aborted. */
export async function watchCluster(context: WatchContext, signal: AbortSignal): Promise<void> {
  const { db, cluster, workerId, log } = context;
  while (!signal.aborted) {
    const lease = await acquireLease(db, leaseName(cluster.id), workerId, LEASE_MS).catch((error) => {
      log.warn("the lease of a cluster can't be asked for", { cluster: cluster.id, error: describeError(error) });
      return null;
    });
    if (lease) await leadCluster(context, lease, signal);
    await waitMs(RENEW_MS, signal);
  }
}

const leaseName = (clusterId: string): string => `watch:${clusterId}`;

async function leadCluster(context: WatchContext, lease: Lease, signal: AbortSignal): Promise<void> {
  const { db, cluster, log } = context;
  const lost = new AbortController();
  const leading = AbortSignal.any([signal, lost.signal]);
  const polled = new Signal();
  log.info("watching a cluster", { cluster: cluster.id, epoch: lease.epoch });
  const stopWith = (error: unknown): void => {
    if (!(error instanceof LeaseLostError)) {
      log.error("watching a cluster failed", { cluster: cluster.id, error: describeError(error) });
    }
    lost.abort();
  };
  await Promise.all([
    renewLease(context, lease, leading).then(() => lost.abort(), stopWith),
    pollForever(context, lease, polled, leading).catch(stopWith),
    probeCluster(context, lease, polled, leading).catch(stopWith),
  ]);
  await releaseLease(db, lease).catch(() => undefined);
}

/** Resolves when the lease is lost or may be: without a word from the database it can't be known. */
async function renewLease({ db, workerId }: WatchContext, lease: Lease, signal: AbortSignal): Promise<void> {
  let renewedAt = performance.now();
  while (!signal.aborted) {
    await waitMs(RENEW_MS, signal);
    if (signal.aborted) return;
    const renewed = await acquireLease(db, lease.name, workerId, LEASE_MS).catch(() => "unknown" as const);
    if (renewed !== "unknown") {
      if (renewed?.epoch !== lease.epoch) return;
      renewedAt = performance.now();
    }
    if (performance.now() - renewedAt > LEASE_MS) return;
  }
}

async function pollForever(context: WatchContext, lease: Lease, polled: Signal, signal: AbortSignal): Promise<void> {
  const { db, cluster, log, now, pollIntervalMs } = context;
  const policies: PolicyCache = new Map();
  let failures = 0;
  await withBrokerConnection(context, CLIENT_ID, signal, async (connection) => {
    while (!signal.aborted) {
      const startedAt = now();
      const outcome = await pollOnce(connection, policies, context);
      if (signal.aborted) break;
      const isStored = await storeOutcome(context, lease, policies, startedAt, outcome);
      await addTraffic(db, cluster.id, CLIENT_ID, connection.takeTraffic(), startedAt).catch(() => undefined);
      if (!outcome.ok && failures === 0)
        log.warn("a cluster can't be polled", { cluster: cluster.id, error: outcome.error });
      if (outcome.ok && failures > 0) log.info("a cluster is polled again", { cluster: cluster.id });
      failures = outcome.ok ? 0 : failures + 1;
      if (outcome.ok && isStored) polled.raise();
      await waitMs(pauseBeforePollMs(failures, pollIntervalMs, now() - startedAt), signal);
    }
  });
}

/** False where the database refused it; throws `LeaseLostError`. */
async function storeOutcome(
  { db, cluster, log }: WatchContext,
  lease: Lease,
  policies: PolicyCache,
  startedAt: number,
  outcome: PollOutcome,
): Promise<boolean> {
  try {
    if (outcome.ok) await storePoll(db, cluster.id, lease, outcome.value);
    else await storePollFailure(db, cluster.id, lease, { at: startedAt, error: outcome.error });
    return true;
  } catch (error) {
    if (error instanceof LeaseLostError) throw error;
    log.error("a poll could not be stored", { cluster: cluster.id, error: describeError(error) });
    // What it learned of settings is lost with it: ask again.
    policies.clear();
    return false;
  }
}

type PollOutcome = { ok: true; value: Awaited<ReturnType<typeof pollCluster>> } | { ok: false; error: string };

async function pollOnce(
  connection: BrokerConnection,
  policies: PolicyCache,
  { now }: WatchContext,
): Promise<PollOutcome> {
  try {
    const value = await connection.use((broker) =>
      withDeadline(pollCluster(broker, policies, now), POLL_DEADLINE_MS, "The cluster did not answer all of a poll"),
    );
    return { ok: true, value };
  } catch (error) {
    return { ok: false, error: describeError(error) };
  }
}
