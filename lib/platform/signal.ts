/** Wakes one waiter; raised while nobody waits, it wakes the next one at once. */
export class Signal {
  #raised = false;
  #wake: (() => void) | null = null;

  raise(): void {
    this.#raised = true;
    this.#wake?.();
  }

  /** Resolves when raised, after `ms`, or when `abort` is. */
  async wait(ms: number, abort: AbortSignal): Promise<void> {
    if (!this.#raised && !abort.aborted) {
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          abort.removeEventListener("abort", finish);
          this.#wake = null;
          resolve();
        };
        const timer = setTimeout(finish, ms);
        abort.addEventListener("abort", finish, { once: true });
        this.#wake = finish;
      });
    }
    this.#raised = false;
  }
}
