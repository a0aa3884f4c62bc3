/** A token bucket of bytes: what arrived is charged afterwards, and whoever overdrew waits until it is paid back. */
export interface ByteBudgetClock {
  /** Milliseconds that only go forward. */
  now(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export class ByteBudget {
  /** null: no limit. */
  readonly bytesPerSecond: number | null;
  readonly #clock: ByteBudgetClock;
  #available: number;
  #filledAt: number;

  constructor(bytesPerSecond: number | null, clock: ByteBudgetClock) {
    if (bytesPerSecond !== null && !(bytesPerSecond > 0)) throw new RangeError("a byte budget is above 0");
    this.bytesPerSecond = bytesPerSecond;
    this.#clock = clock;
    this.#available = bytesPerSecond ?? 0;
    this.#filledAt = clock.now();
  }

  async spend(bytes: number, signal: AbortSignal): Promise<void> {
    const rate = this.bytesPerSecond;
    if (rate === null) return;
    const now = this.#clock.now();
    // A second's worth may be saved up, so that one large batch after a pause doesn't stall.
    this.#available = Math.min(rate, this.#available + ((now - this.#filledAt) / 1000) * rate) - bytes;
    this.#filledAt = now;
    if (this.#available < 0) await this.#clock.sleep(Math.ceil((-this.#available / rate) * 1000), signal);
  }
}
