/**
 * Leadership as a row that expires: a holder that hangs or is cut off loses it by the database's clock, and its late
 * writes are refused by the epoch, which rises with every change of holder.
 */
import type { DbSession } from "#lib/platform/db.ts";

export interface Lease {
  name: string;
  holder: string;
  epoch: number;
}

export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
  constructor(name: string) {
    super(`The lease ${name} went to another worker.`);
  }
}

/** Takes the lease where it is free, expired or already held; renews it. Null while another holds it. */
export async function acquireLease(db: DbSession, name: string, holder: string, ttlMs: number): Promise<Lease | null> {
  const rows = await db.$queryRaw<{ epoch: number }[]>`
    INSERT INTO lease AS held (name, holder, epoch, expires_at)
    VALUES (${name}, ${holder}, 1, now() + ${ttlMs} * interval '1 millisecond')
    ON CONFLICT (name) DO UPDATE SET
      holder = excluded.holder,
      epoch = CASE WHEN held.holder = excluded.holder AND held.expires_at > now() THEN held.epoch ELSE held.epoch + 1 END,
      expires_at = excluded.expires_at
    WHERE held.holder = excluded.holder OR held.expires_at <= now()
    RETURNING epoch`;
  const epoch = rows[0]?.epoch;
  return epoch === undefined ? null : { name, holder, epoch };
}

/** Keeps the lease from changing hands until the transaction ends; throws `LeaseLostError` where it already did. */
export async function holdLease(tx: DbSession, lease: Lease): Promise<void> {
  const rows = await tx.$queryRaw<{ epoch: number }[]>`
    SELECT epoch FROM lease
    WHERE name = ${lease.name} AND holder = ${lease.holder} AND epoch = ${lease.epoch} AND expires_at > now()
    FOR SHARE`;
  if (rows.length === 0) throw new LeaseLostError(lease.name);
}

export async function releaseLease(db: DbSession, lease: Lease): Promise<void> {
  await db.$executeRaw`
    UPDATE lease SET expires_at = now()
    WHERE name = ${lease.name} AND holder = ${lease.holder} AND epoch = ${lease.epoch}`;
}
