/**
 * A secret is named, never held: configuration objects can be logged, compared and sent to a worker thread without
 * showing it, and a rotated file takes effect at the next connection.
 */
import { readFileSync } from "node:fs";
import { fail, ok, type Result } from "#lib/platform/result.ts";

/** `file` is absolute. */
export type SecretReference = { env: string } | { file: string };

/** The secret's text without the line end that editors and `kubectl` put after it; the error says how to provide it. */
export function readSecret(
  secret: SecretReference,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Result<string, string> {
  if ("env" in secret) {
    const value = env[secret.env];
    if (value === undefined || value === "") {
      return fail(`Environment variable ${secret.env} is not set. Set it for every process of Keyfold.`);
    }
    return ok(value);
  }
  return readSecretFile(secret.file);
}

function readSecretFile(path: string): Result<string, string> {
  try {
    const value = readFileSync(path, "utf8").replace(/\r?\n$/, "");
    return value === "" ? fail(`File ${path} is empty. Put the secret into it.`) : ok(value);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    const remedy = code === "EACCES" ? "Make it readable for the user that runs Keyfold." : "Check the path.";
    return fail(`File ${path} can't be read (${code}). ${remedy}`);
  }
}
