// Readers of the demo's topics: one group of each protocol that keeps up, and one that has not run for a long time.
import { Consumer } from "@platformatic/kafka";

/** A group of the classic protocol, with a member that keeps up. */
export async function joinClassicGroup(kafka) {
  const consumer = kafka.consumer({ groupId: "search-indexer", sessionTimeout: 15_000, maxWaitTimeInMs: 1000 });
  await consumer.connect();
  await consumer.subscribe({ topics: ["customer.address.v2", "catalog.product"], fromBeginning: true });
  await consumer.run({ eachBatchAutoResolve: true, eachBatch: async () => {} });
  return () => consumer.disconnect();
}

/** A group of the consumer protocol (KIP-848), with a member that keeps up. */
export async function joinConsumerGroup(address) {
  const consumer = new Consumer({
    clientId: "order-projection",
    groupId: "order-projection",
    groupProtocol: "consumer",
    bootstrapBrokers: [address],
  });
  const stream = await consumer.consume({
    topics: ["orders.order-state"],
    mode: "committed",
    fallbackMode: "earliest",
    autocommit: 5000,
  });
  const failed = new Promise((_, reject) => stream.once("error", reject));
  stream.resume();
  return { leave: () => consumer.close(true), failed };
}

/** A group without members whose offsets stand near the start: what it never read of the deletes is gone by now. */
export function leaveGroupBehind(admin) {
  const partitionOffsets = [0, 1, 2].map((partition) => ({ partition, offset: 1200n }));
  return admin.commitOffsets("consent-warehouse-export", "customer.consent", partitionOffsets);
}
