/** A connection to a watched cluster for one purpose of this worker, as long as it watches. */
import { BrokerConnection } from "#lib/clusters/broker-connection.ts";
import { findBrokerClusterId } from "#lib/clusters/queries.ts";
import type { WatchContext } from "#lib/jobs/watch-context.ts";

/** Runs `use` with a connection that is closed at once when `signal` is aborted, which ends what waits for an answer. */
export async function withBrokerConnection(
  { db, cluster, openBroker }: WatchContext,
  clientId: string,
  signal: AbortSignal,
  use: (connection: BrokerConnection) => Promise<void>,
): Promise<void> {
  const connection = new BrokerConnection(async () =>
    openBroker(cluster, { clientId, expectedClusterId: await findBrokerClusterId(db, cluster.id) }),
  );
  const closeNow = (): void => void connection.close();
  signal.addEventListener("abort", closeNow, { once: true });
  try {
    await use(connection);
  } finally {
    signal.removeEventListener("abort", closeNow);
    await connection.close();
  }
}
