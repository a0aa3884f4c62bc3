/** Keeps topics written, round after round, by the independent producer. */
import { type ProducePhase, produce } from "./producer.ts";

export interface SteadyTopic {
  topic: string;
  /** Of one round; a round follows the other at once. */
  phases: ProducePhase[];
}

export class SteadyWriter {
  readonly #servers: string;
  readonly #topics: readonly SteadyTopic[];
  #isStopping = false;
  #running: Promise<void>;
  #rounds = 0;

  /** Begins at once. */
  constructor(servers: string, topics: readonly SteadyTopic[], firstRound = 0) {
    this.#servers = servers;
    this.#topics = topics;
    this.#rounds = firstRound;
    this.#running = this.#write();
    this.#running.catch(() => undefined);
  }

  /** Resolves with the number of rounds when the last one is acknowledged; rejects where one was not. */
  async stop(): Promise<number> {
    this.#isStopping = true;
    await this.#running;
    return this.#rounds;
  }

  async #write(): Promise<void> {
    while (!this.#isStopping) {
      const seed = ++this.#rounds;
      for (const { topic, phases } of this.#topics) {
        if (this.#isStopping) return;
        await produce({ servers: this.#servers, topic, partition: 0, seed, phases });
      }
    }
  }
}
