/** The secret of the data folder must be the one that the database was filled with. */
import type { DbSession } from "#lib/platform/db.ts";
import { fail, ok, type Result } from "#lib/platform/result.ts";
import type { SealedBox } from "#lib/platform/sealed-box.ts";

/** Records the secret's check value at the first start; later fails where it is another one. */
export async function matchInstallationSecret(db: DbSession, box: SealedBox): Promise<Result<null, string>> {
  await db.installation.createMany({ data: [{ id: 1, secretCheck: box.check }], skipDuplicates: true });
  const installation = await db.installation.findUniqueOrThrow({ where: { id: 1 } });
  if (installation.secretCheck === box.check) return ok(null);
  return fail(
    "KEYFOLD_SECRET_FILE is not the secret that this database was filled with, so that stored samples of keys can't be " +
      "opened. Put the right file back. Where it is lost for good: DELETE FROM key_sample; UPDATE scan_request SET " +
      "checkpoint_sealed = NULL; DELETE FROM installation; then scan the topics again.",
  );
}
