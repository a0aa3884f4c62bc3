import type { AbortedTransaction } from "#lib/brokers/kafka/fetch-request.ts";

export interface TransactionalBatch {
  lastOffset: number;
  producerId: number;
  isTransactional: boolean;
  isControl: boolean;
}

/**
 * Tells the batches of aborted transactions, as Kafka's own read_committed consumer does: the broker lists the
 * transactions that overlap the answer (those that began before it too), and each one ends at its producer's marker.
 *
 * https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/clients/consumer/internals/CompletedFetch.java
 */
export class AbortedTransactions {
  readonly #transactions: AbortedTransaction[];
  readonly #openProducers = new Set<number>();
  #next = 0;

  constructor(transactions: readonly AbortedTransaction[]) {
    this.#transactions = transactions.toSorted((a, b) => a.firstOffset - b.firstOffset);
  }

  /**
   * Batches must come in the order of the log, each once.
   * @param isAbortMarker asked of control batches alone
   */
  isAborted(batch: TransactionalBatch, isAbortMarker: () => boolean): boolean {
    if (batch.producerId < 0) return false;
    this.#openUpTo(batch.lastOffset);
    if (batch.isControl) {
      if (this.#openProducers.has(batch.producerId) && isAbortMarker()) this.#openProducers.delete(batch.producerId);
      return false;
    }
    return batch.isTransactional && this.#openProducers.has(batch.producerId);
  }

  #openUpTo(offset: number): void {
    for (;;) {
      const transaction = this.#transactions[this.#next];
      if (transaction === undefined || transaction.firstOffset > offset) return;
      this.#openProducers.add(transaction.producerId);
      this.#next++;
    }
  }
}
