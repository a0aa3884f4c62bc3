/**
 * Change events of the store, for the event streams of this process: one database connection that listens, whatever the
 * number of browsers. LISTEN needs a session, so that DATABASE_URL can't point at a pooler in transaction mode.
 */
import pg from "pg";
import { CHANGE_CHANNEL, type ChangeEvent, parseChangeEvent } from "#lib/platform/change-event.ts";
import { readDatabaseUrl } from "#lib/platform/db.ts";
import { createLog, describeError } from "#lib/platform/log.ts";

const RECONNECT_MS = 1_000;
/** Events that a browser may miss while it reconnects and still be told of one by one. */
const REMEMBERED_EVENTS = 500;

/** `resync`: events may have been missed; read everything anew. */
export type FeedMessage = { type: "change"; event: ChangeEvent } | { type: "resync" };
type Subscriber = (message: FeedMessage) => void;

export class ChangeFeed {
  readonly #url: string;
  readonly #subscribers = new Set<Subscriber>();
  #recent: ChangeEvent[] = [];
  #client: pg.Client | null = null;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
    void this.#listen();
  }

  /** @returns a function that ends the subscription */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** The events after `id`; null where they are not all remembered. */
  since(id: number): ChangeEvent[] | null {
    const known = this.#recent.findIndex((event) => event.id === id);
    return known === -1 ? null : this.#recent.slice(known + 1);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client?.end().catch(() => undefined);
  }

  async #listen(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, keepAlive: true, connectionTimeoutMillis: 5_000 });
    client.on("notification", (notification) => this.#receive(notification.payload ?? ""));
    client.on("error", (error) =>
      createLog("web").warn("listening for changes failed", { error: describeError(error) }),
    );
    // A connection that failed may say so more than once.
    let isOver = false;
    const retry = (): void => {
      if (!isOver) this.#retry();
      isOver = true;
    };
    client.on("end", retry);
    this.#client = client;
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANGE_CHANNEL}`);
      // What happened while nobody listened is not known.
      this.#recent = [];
      this.#publish({ type: "resync" });
    } catch {
      await client.end().catch(() => undefined);
      retry();
    }
  }

  #retry(): void {
    if (!this.#closed) setTimeout(() => void this.#listen(), RECONNECT_MS).unref();
  }

  #receive(payload: string): void {
    const event = parseChangeEvent(payload);
    if (!event) return;
    this.#recent.push(event);
    if (this.#recent.length > REMEMBERED_EVENTS) this.#recent.shift();
    this.#publish({ type: "change", event });
  }

  #publish(message: FeedMessage): void {
    for (const subscriber of this.#subscribers) subscriber(message);
  }
}

const holder = globalThis as { keyfoldChangeFeed?: ChangeFeed };

/** The feed of this process, opened at first use. */
export function getChangeFeed(): ChangeFeed {
  holder.keyfoldChangeFeed ??= new ChangeFeed(readDatabaseUrl());
  return holder.keyfoldChangeFeed;
}
