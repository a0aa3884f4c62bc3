/** One broker object for one purpose, opened when it is needed and opened anew after it failed. */
import type { Broker, Traffic } from "#lib/brokers/broker-port.ts";

const NO_TRAFFIC: Traffic = { requests: 0, sentBytes: 0, receivedBytes: 0 };

export class BrokerConnection {
  readonly #open: () => Promise<Broker>;
  #broker: Broker | null = null;
  #taken: Traffic = NO_TRAFFIC;
  /** Of broker objects that were dropped, not taken yet. */
  #leftOver: Traffic = NO_TRAFFIC;

  constructor(open: () => Promise<Broker>) {
    this.#open = open;
  }

  /** Runs `use`; where it fails, the next call connects anew. */
  async use<T>(use: (broker: Broker) => Promise<T>): Promise<T> {
    try {
      this.#broker ??= await this.#open();
      return await use(this.#broker);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** What went over the wire since this was asked last. */
  takeTraffic(): Traffic {
    const traffic = add(this.#leftOver, this.#sinceTaken());
    this.#taken = this.#broker?.traffic() ?? NO_TRAFFIC;
    this.#leftOver = NO_TRAFFIC;
    return traffic;
  }

  async close(): Promise<void> {
    const broker = this.#broker;
    if (!broker) return;
    this.#leftOver = add(this.#leftOver, this.#sinceTaken());
    this.#taken = NO_TRAFFIC;
    this.#broker = null;
    await broker.close().catch(() => undefined);
  }

  #sinceTaken(): Traffic {
    const now = this.#broker?.traffic() ?? NO_TRAFFIC;
    return {
      requests: now.requests - this.#taken.requests,
      sentBytes: now.sentBytes - this.#taken.sentBytes,
      receivedBytes: now.receivedBytes - this.#taken.receivedBytes,
    };
  }
}

const add = (a: Traffic, b: Traffic): Traffic => ({
  requests: a.requests + b.requests,
  sentBytes: a.sentBytes + b.sentBytes,
  receivedBytes: a.receivedBytes + b.receivedBytes,
});
