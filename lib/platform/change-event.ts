/** Tells every web process what changed in the store, at the moment the change is committed. */
import { z } from "zod";
import type { DbSession } from "#lib/platform/db.ts";

export const CHANGE_CHANNEL = "keyfold_change";

const changeEvent = z.object({
  /** Rises over all processes. */
  id: z.number(),
  kind: z.enum(["cluster", "topic", "scan"]),
  clusterId: z.string(),
  topic: z.string().optional(),
  scanId: z.string().optional(),
});

export type ChangeEvent = z.infer<typeof changeEvent>;
export type Change = Omit<ChangeEvent, "id">;

/** Within a transaction it is sent when that commits, and never where it rolls back. */
export async function announceChange(db: DbSession, change: Change): Promise<void> {
  const payload = JSON.stringify(change);
  await db.$executeRaw`
    SELECT pg_notify(${CHANGE_CHANNEL}, (${payload}::jsonb || jsonb_build_object('id', nextval('change_event_seq')))::text)`;
}

/** Null where the text is no change event (another program may use the channel's name). */
export function parseChangeEvent(text: string): ChangeEvent | null {
  try {
    return changeEvent.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
