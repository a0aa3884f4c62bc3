/** Reads a partition at its leader, wherever that goes: broker restarts and leader moves are ridden out. */
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { PartitionOffsets } from "#lib/brokers/broker-port.ts";
import type { FetchAnswer, FetchRequest, LogTraffic, LogVisitor, ReplicaLog } from "#lib/brokers/replica-log-port.ts";
import { abortable } from "#lib/compaction/abortable.ts";

/** How long a partition may have no leader that answers before the scan gives up. */
export const OUTAGE_LIMIT_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

export interface LeaderReaderParts {
  /** Opens the log at the present leader; rejects with a `BrokerError`. */
  openLeaderLog(): Promise<ReplicaLog>;
  signal: AbortSignal;
  now(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export class LeaderReader {
  leaderMoves = 0;
  wasThrottled = false;
  readonly #parts: LeaderReaderParts;
  #log: ReplicaLog | null = null;
  #lastBrokerId: number | null = null;
  readonly #closed: LogTraffic = { fetches: 0, fetchedBytes: 0 };

  constructor(parts: LeaderReaderParts) {
    this.#parts = parts;
  }

  offsets(): Promise<PartitionOffsets> {
    return this.#untilAnswered((log) => log.offsets());
  }

  /** @param onFailure called when an answer failed, before it is asked for again */
  fetch(request: FetchRequest, visitor: LogVisitor, onFailure: () => void): Promise<FetchAnswer> {
    return this.#untilAnswered(async (log) => {
      try {
        const answer = await log.fetch(request, visitor);
        this.wasThrottled ||= answer.wasThrottled;
        return answer;
      } catch (error) {
        onFailure();
        if (error instanceof BrokerError && error.code === "throttled-too-long") this.wasThrottled = true;
        throw error;
      }
    });
  }

  traffic(): LogTraffic {
    const open = this.#log?.traffic();
    return {
      fetches: this.#closed.fetches + (open?.fetches ?? 0),
      fetchedBytes: this.#closed.fetchedBytes + (open?.fetchedBytes ?? 0),
    };
  }

  async close(): Promise<void> {
    const log = this.#log;
    if (log === null) return;
    this.#log = null;
    const { fetches, fetchedBytes } = log.traffic();
    this.#closed.fetches += fetches;
    this.#closed.fetchedBytes += fetchedBytes;
    await log.close().catch(() => {});
  }

  async #untilAnswered<T>(ask: (log: ReplicaLog) => Promise<T>): Promise<T> {
    const { signal, now, sleep } = this.#parts;
    const startedAt = now();
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      signal.throwIfAborted();
      try {
        return await abortable(this.#open().then(ask), signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!canRetry(error) || now() - startedAt > OUTAGE_LIMIT_MS) throw error;
        await this.close();
      }
      await sleep(pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  async #open(): Promise<ReplicaLog> {
    if (this.#log !== null) return this.#log;
    const log = await this.#parts.openLeaderLog();
    const { brokerId } = log.target;
    if (this.#lastBrokerId !== null && this.#lastBrokerId !== brokerId) this.leaderMoves++;
    this.#lastBrokerId = brokerId;
    this.#log = log;
    return log;
  }
}

const canRetry = (error: unknown): boolean => error instanceof BrokerError && error.retry;
