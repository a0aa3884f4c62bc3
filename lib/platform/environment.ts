/** Environment variables of all processes, read once. Every path is absolute. */
import { resolve } from "node:path";
import { z } from "zod";
import { fail, ok, type Result } from "#lib/platform/result.ts";

export interface Environment {
  port: number;
  /** null: the launcher starts an embedded Postgres and sets it. */
  databaseUrl: string | null;
  /** Of the owner, for migrations; null: as `databaseUrl`. */
  databaseMigrationUrl: string | null;
  /** Path of the YAML file; null: no cluster is configured. */
  configPath: string | null;
  dataDirectory: string;
  secretPath: string;
}

const postgresUrl = z
  .string()
  .refine(
    (value) => /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? ""),
    "must be an address such as postgres://USER:PASSWORD@HOST:5432/DATABASE",
  )
  .optional();

const SCHEMA = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, "must be a port number, 1 to 65535")
    .transform(Number)
    .refine((port) => port >= 1 && port <= 65_535, "must be a port number, 1 to 65535")
    .default(3000),
  DATABASE_URL: postgresUrl,
  DATABASE_MIGRATION_URL: postgresUrl,
  KEYFOLD_CONFIG: z.string().optional(),
  KEYFOLD_DATA: z.string().default(".keyfold"),
  KEYFOLD_SECRET_FILE: z.string().optional(),
});

/** @returns on failure one line a variable, without its value: it may hold a password */
export function parseEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  workingDirectory = process.cwd(),
): Result<Environment, string[]> {
  // Compose files and unit files set a variable to nothing to mean that it is not set.
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const parsed = SCHEMA.safeParse(present);
  if (!parsed.success) {
    return fail(parsed.error.issues.map(({ path, message }) => `Environment variable ${String(path[0])} ${message}.`));
  }
  const { data } = parsed;
  const dataDirectory = resolve(workingDirectory, data.KEYFOLD_DATA);
  return ok({
    port: data.PORT,
    databaseUrl: data.DATABASE_URL ?? null,
    databaseMigrationUrl: data.DATABASE_MIGRATION_URL ?? null,
    configPath: data.KEYFOLD_CONFIG ? resolve(workingDirectory, data.KEYFOLD_CONFIG) : null,
    dataDirectory,
    secretPath: resolve(workingDirectory, data.KEYFOLD_SECRET_FILE ?? `${data.KEYFOLD_DATA}/secret`),
  });
}

let current: Environment | null = null;

/** The environment of this process. @throws Error that names each variable that is wrong */
export function environment(): Environment {
  if (current) return current;
  const parsed = parseEnvironment(process.env);
  if (!parsed.ok) throw new Error(parsed.error.join("\n"));
  current = parsed.value;
  return current;
}
