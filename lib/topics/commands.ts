import { type PollSnapshot, toPartitionRows, toSettingsRows, toTopicRows } from "#lib/clusters/poll-snapshot.ts";
import type { DbSession } from "#lib/platform/db.ts";
import { readReplicas, storePartitions, storeSettings, storeTopics } from "#lib/topics/store.ts";

/** Within the transaction that stores the poll. */
export async function storePolledTopics(tx: DbSession, clusterId: string, snapshot: PollSnapshot): Promise<void> {
  const at = new Date(snapshot.at);
  await storeTopics(tx, clusterId, toTopicRows(snapshot.topics), at);
  await storeSettings(tx, clusterId, toSettingsRows(snapshot), at);
  const known = await readReplicas(tx, clusterId);
  await storePartitions(tx, clusterId, toPartitionRows(snapshot, known), at);
}
