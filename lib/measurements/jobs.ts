/** Probes the compacted topics of a cluster, as long as its lease is held. */
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { Broker } from "#lib/brokers/broker-port.ts";
import { describeCapability } from "#lib/brokers/capabilities.ts";
import type { BrokerConnection } from "#lib/clusters/broker-connection.ts";
import { addTraffic } from "#lib/clusters/commands.ts";
import { type Lease, LeaseLostError } from "#lib/jobs/lease.ts";
import type { WatchContext } from "#lib/jobs/watch-context.ts";
import { withBrokerConnection } from "#lib/jobs/with-broker-connection.ts";
import { storeProbe, storeProbeFailure } from "#lib/measurements/commands.ts";
import { type DueTopic, pauseForBudgetMs } from "#lib/measurements/probe-schedule.ts";
import { probeDueTopic } from "#lib/measurements/probe-topic.ts";
import { readDueTopics, readNewestPartitions } from "#lib/measurements/queries.ts";
import { waitMs } from "#lib/platform/clock.ts";
import { withDeadline } from "#lib/platform/deadline.ts";
import { describeError } from "#lib/platform/log.ts";
import type { Signal } from "#lib/platform/signal.ts";

const CLIENT_ID = "keyfold-probe";
/** Where no poll tells of anything new, what is due by time alone is looked for this often. */
const LOOK_MS = 15_000;
const TOPIC_DEADLINE_MS = 5 * 60_000;
/** The longest that a timer can wait. */
const FOR_EVER_MS = 2 ** 31 - 1;
/** Failures that say nothing about the topic: the cluster is away, and its poll says so. */
const CLUSTER_AWAY: ReadonlySet<string> = new Set([
  "unreachable",
  "tls-failed",
  "authentication-failed",
  "cluster-id-changed",
]);

/** Ends when `signal` is aborted; throws `LeaseLostError`. */
export async function probeCluster(
  context: WatchContext,
  lease: Lease,
  polled: Signal,
  signal: AbortSignal,
): Promise<void> {
  const { db, cluster, now, log } = context;
  await withBrokerConnection(context, CLIENT_ID, signal, async (connection) => {
    // Nothing is probed before the cluster was polled.
    await polled.wait(FOR_EVER_MS, signal);
    while (!signal.aborted) {
      const due = await readDueTopics(db, cluster.id, now()).catch((error) => {
        log.error("what to probe can't be read", { cluster: cluster.id, error: describeError(error) });
        return [];
      });
      const isAway = await probeInTurn(context, lease, connection, due, signal);
      if (due.length === 0 || isAway) await polled.wait(LOOK_MS, signal);
    }
  });
}

/** True where the cluster could not be reached: the rest waits for a poll that succeeds. */
async function probeInTurn(
  context: WatchContext,
  lease: Lease,
  connection: BrokerConnection,
  due: readonly DueTopic[],
  signal: AbortSignal,
): Promise<boolean> {
  const { db, cluster, now } = context;
  const startedAt = now();
  let requests = 0;
  for (const topic of due) {
    if (signal.aborted) return false;
    const isAway = await probeTopic(context, lease, connection, topic);
    const traffic = connection.takeTraffic();
    requests += traffic.requests;
    await addTraffic(db, cluster.id, CLIENT_ID, traffic, now()).catch(() => undefined);
    if (isAway) return true;
    await waitMs(pauseForBudgetMs(requests, cluster.budgets.requestsPerSecond, startedAt, now()), signal);
  }
  return false;
}

async function probeTopic(
  context: WatchContext,
  lease: Lease,
  connection: BrokerConnection,
  due: DueTopic,
): Promise<boolean> {
  const { db, cluster, log, now } = context;
  const probedAt = now();
  try {
    const probed = await connection.use((broker) =>
      withDeadline(probeWithBroker(context, broker, due), TOPIC_DEADLINE_MS, "The topic could not be probed"),
    );
    await storeProbe(db, lease, { clusterId: cluster.id, due, probedAt, probed });
    return false;
  } catch (error) {
    if (error instanceof LeaseLostError) throw error;
    if (error instanceof BrokerError && CLUSTER_AWAY.has(error.code)) return true;
    log.warn("a topic could not be probed", { cluster: cluster.id, topic: due.topic, error: describeError(error) });
    const failure = { clusterId: cluster.id, due, probedAt, error: describeError(error) };
    await storeProbeFailure(db, lease, failure).catch((cause) => {
      if (cause instanceof LeaseLostError) throw cause;
    });
    return false;
  }
}

async function probeWithBroker({ db, box, now, random, cluster }: WatchContext, broker: Broker, due: DueTopic) {
  const { kindName } = await db.cluster.findUniqueOrThrow({ where: { id: cluster.id }, select: { kindName: true } });
  const able = describeCapability({ name: kindName === "apache-kafka" ? "apache-kafka" : "other" }, "clean-point");
  if (!able.available)
    throw new BrokerError("unsupported-version", `Clean point: not on this system, because ${able.because}.`);
  const [probes, scans] = await Promise.all([
    readNewestPartitions(db, due.topicRef, "probe"),
    readNewestPartitions(db, due.topicRef, "scan"),
  ]);
  return probeDueTopic(broker, due, { probes, scans }, { clientId: CLIENT_ID, seed: box.keyHashSeed, random, now });
}
