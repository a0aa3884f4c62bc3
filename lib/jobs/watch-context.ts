/** What the jobs of one cluster work with; a test gives its own clock, pace and broker. */
import type { openBroker } from "#lib/brokers/open-broker.ts";
import type { Clock } from "#lib/platform/clock.ts";
import type { ClusterConfig } from "#lib/platform/cluster-config.ts";
import type { Db } from "#lib/platform/db.ts";
import type { Log } from "#lib/platform/log.ts";
import type { SealedBox } from "#lib/platform/sealed-box.ts";

export interface WatchContext {
  db: Db;
  box: SealedBox;
  log: Log;
  now: Clock;
  random: () => number;
  openBroker: typeof openBroker;
  workerId: string;
  cluster: ClusterConfig;
  pollIntervalMs: number;
}
