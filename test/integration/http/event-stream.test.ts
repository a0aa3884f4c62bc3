import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ChangeFeed } from "#lib/http/change-feed.ts";
import { streamChanges } from "#lib/http/event-stream.ts";
import { openStreamClosers } from "#lib/http/stream-closers.ts";
import { announceChange, CHANGE_CHANNEL } from "#lib/platform/change-event.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
let feed: ChangeFeed;
let readers: EventReader[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  feed = new ChangeFeed(database.url);
  await new Promise<void>((resolve) => {
    const end = feed.subscribe(() => {
      end();
      resolve();
    });
  });
});
afterEach(() => {
  for (const reader of readers) reader.abort();
  readers = [];
});
afterAll(async () => {
  await feed.close();
  await database.drop();
});

class EventReader {
  readonly #stop = new AbortController();
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #text = "";

  constructor(lastEventId: string | null = null) {
    const response = streamChanges(feed, lastEventId, this.#stop.signal);
    this.#reader = response.body!.getReader();
    readers.push(this);
  }

  abort(): void {
    this.#stop.abort();
  }

  /** All up to and with the first text that contains `end`; null where the stream ended before. */
  async readUntil(end: string): Promise<string | null> {
    while (!this.#text.includes(end)) {
      const { value, done } = await this.#reader.read();
      if (done) return null;
      this.#text += new TextDecoder().decode(value);
    }
    return this.#text;
  }
}

const announce = (topic: string) => announceChange(database.db, { kind: "topic", clusterId: "prod", topic });
const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

describe("the event stream", () => {
  it("begins with an order to read everything, then tells each change with a rising id", async () => {
    const reader = new EventReader();
    expect(await reader.readUntil("event: resync\ndata: {}\n\n")).toContain("retry: 2000\n\n");
    await announce("one");
    await announce("two");
    const text = (await reader.readUntil('"topic":"two"')) ?? "";
    expect(text).toContain("event: change\ndata: {");
    const ids = idsIn(text);
    expect(ids).toHaveLength(2);
    expect(ids[1]).toBeGreaterThan(ids[0]!);
  });

  it("goes on after the last event that a browser got, without an order to read everything", async () => {
    const first = new EventReader();
    await announce("before");
    await announce("missed");
    const text = (await first.readUntil('"topic":"missed"')) ?? "";
    const id = idsIn(text).at(-2);
    const second = (await new EventReader(String(id)).readUntil('"topic":"missed"')) ?? "";
    expect(second).not.toContain("resync");
    expect(second).not.toContain('"topic":"before"');
  });

  it("orders everything to be read where it can't know what was missed", async () => {
    for (const id of ["999999999", "none", "-1", ""])
      expect(await new EventReader(id).readUntil("resync")).not.toBeNull();
  });

  it("tells nothing of a change that was rolled back", async () => {
    const reader = new EventReader();
    await reader.readUntil("resync");
    const rolledBack = database.db.$transaction(async (tx) => {
      await announceChange(tx, { kind: "topic", clusterId: "prod", topic: "never" });
      throw new Error("rolled back");
    });
    await expect(rolledBack).rejects.toThrow("rolled back");
    await announce("committed");
    expect(await reader.readUntil('"topic":"committed"')).not.toContain('"topic":"never"');
  });

  it("can't be broken by a hostile name or by another program's notification", async () => {
    const reader = new EventReader();
    await reader.readUntil("resync");
    await database.query(`NOTIFY ${CHANGE_CHANNEL}, 'no json'`);
    await announce("line\n\nevent: resync\ndata: \u202E<script>");
    await announce("next");
    const text = (await reader.readUntil('"topic":"next"')) ?? "";
    expect(idsIn(text)).toHaveLength(2);
    expect(text.match(/^event: resync$/gm)).toHaveLength(1);
  });

  it("is closed with all others when the server stops", async () => {
    const reader = new EventReader();
    await reader.readUntil("resync");
    for (const close of [...openStreamClosers()]) close();
    expect(await reader.readUntil("never sent")).toBeNull();
    expect(openStreamClosers().size).toBe(0);
  });

  it("listens again after the database cut it off, and then orders everything to be read", async () => {
    const reader = new EventReader();
    await reader.readUntil("resync");
    await database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
    );
    const text = await reader.readUntil("event: resync\ndata: {}\n\nevent: resync");
    expect(text).not.toBeNull();
    await announce("after");
    expect(await reader.readUntil('"topic":"after"')).not.toBeNull();
  });
});
