// A transaction that is never finished, as an import that hangs would leave it.
import { setTimeout as sleep } from "node:timers/promises";

const HOUR_MS = 60 * 60 * 1000;
/** Below the broker's transaction.max.timeout.ms: the coordinator aborts what is open for longer. */
const TIMEOUT_MS = 23 * HOUR_MS;
const RENEW_EVERY_MS = 22 * HOUR_MS;

/**
 * Keeps a transaction open until the signal, and leaves it open then. Where an earlier run left one, it is aborted by the same
 * transactional id being taken up again.
 */
export async function keepTransactionOpen(kafka, topic, signal) {
  const producer = kafka.producer({
    transactionalId: "ledger-import-2019",
    idempotent: true,
    maxInFlightRequests: 1,
    transactionTimeout: TIMEOUT_MS,
  });
  await producer.connect();
  while (!signal.aborted) {
    const transaction = await producer.transaction();
    const messages = Array.from({ length: 50 }, (_, n) => ({
      key: `account-9${String(n).padStart(6, "0")}`,
      value: "{}",
    }));
    await transaction.send({ topic, messages });
    await sleep(RENEW_EVERY_MS, undefined, { signal }).catch(() => {});
    if (!signal.aborted) await transaction.abort();
  }
}
