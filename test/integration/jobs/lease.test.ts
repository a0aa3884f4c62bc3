import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acquireLease, holdLease, LeaseLostError, releaseLease } from "#lib/jobs/lease.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const expire = (name: string) =>
  database.query("UPDATE lease SET expires_at = now() - interval '1 second' WHERE name = $1", [name]);

describe("a lease", () => {
  it("is held by one worker alone, who can renew it", async () => {
    const first = await acquireLease(database.db, "a", "one", 20_000);
    expect(first).toEqual({ name: "a", holder: "one", epoch: 1 });
    expect(await acquireLease(database.db, "a", "two", 20_000)).toBeNull();
    expect(await acquireLease(database.db, "a", "one", 20_000)).toEqual(first);
  });

  it("goes to another worker once it has expired, with a higher epoch", async () => {
    await acquireLease(database.db, "b", "one", 20_000);
    await expire("b");
    expect(await acquireLease(database.db, "b", "two", 20_000)).toEqual({ name: "b", holder: "two", epoch: 2 });
    expect(await acquireLease(database.db, "b", "one", 20_000)).toBeNull();
  });

  it("refuses the writes of a worker that lost it, even where that worker has it again", async () => {
    const old = await acquireLease(database.db, "c", "one", 20_000);
    await expire("c");
    await expect(database.db.$transaction((tx) => holdLease(tx, old!))).rejects.toBeInstanceOf(LeaseLostError);
    const again = await acquireLease(database.db, "c", "one", 20_000);
    expect(again?.epoch).toBe(2);
    await expect(database.db.$transaction((tx) => holdLease(tx, old!))).rejects.toBeInstanceOf(LeaseLostError);
    await database.db.$transaction((tx) => holdLease(tx, again!));
  });

  it("can't change hands while a transaction holds it", async () => {
    const lease = await acquireLease(database.db, "d", "one", 20_000);
    const order: string[] = [];
    let other: Promise<unknown> = Promise.resolve();
    await database.db.$transaction(async (tx) => {
      await holdLease(tx, lease!);
      other = acquireLease(database.db, "d", "two", 20_000).then((got) =>
        order.push(got === null ? "refused" : "taken"),
      );
      await tx.$executeRaw`SELECT pg_sleep(0.3)`;
      order.push("committed");
    });
    await other;
    expect(order).toEqual(["committed", "refused"]);
  });

  it("of many workers that ask at once, one gets it", async () => {
    const asked = Array.from({ length: 8 }, (_, index) => acquireLease(database.db, "e", `worker-${index}`, 20_000));
    expect((await Promise.all(asked)).filter((lease) => lease !== null)).toHaveLength(1);
  });

  it("is free at once when its holder gives it back", async () => {
    const lease = await acquireLease(database.db, "f", "one", 20_000);
    await releaseLease(database.db, lease!);
    expect((await acquireLease(database.db, "f", "two", 20_000))?.epoch).toBe(2);
  });
});
