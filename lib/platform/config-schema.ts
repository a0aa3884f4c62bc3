/** The shape of the configuration file. Messages say what to write; none repeats a value that could be a secret. */
import { isAbsolute, resolve } from "node:path";
import { z } from "zod";
import type { SecretReference } from "#lib/platform/secret.ts";
import { parseServerAddress } from "#lib/platform/server-address.ts";
import { suggestName } from "#lib/platform/suggest-name.ts";

/** Sections of later versions: accepted whatever they hold, so that one file can serve an upgrade. */
export const LATER_SECTIONS = [
  "owners",
  "expectedPolicies",
  "maintenanceWindows",
  "policies",
  "oidc",
  "notifications",
  "targets",
  "registries",
  "connect",
] as const;

/** An object of known fields; an unknown one is an error with a suggestion. */
function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === "invalid_type") return `This must be a section with fields: ${known.join(", ")}.`;
      if (issue.code !== "unrecognized_keys") return undefined;
      const [key = ""] = issue.keys as string[];
      const meant = suggestName(key, known);
      return meant
        ? `There is no field \`${key}\` here. Did you mean \`${meant}\`?`
        : `There is no field \`${key}\` here. Fields are: ${known.join(", ")}.`;
    },
  });
}

const text = (what: string) =>
  z.string({ error: `This must be ${what}, in quotes where it looks like a number.` }).min(1, `This must be ${what}.`);

const slug = text("a name").regex(
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
  "This must be a slug, since it stands in addresses and metrics: small letters, digits and inner hyphens, at most 63.",
);

const HOW_TO_WRITE_A_SECRET = "Write {env: NAME} or {file: PATH}.";

/** @param isSecret whether plain text would put a secret into the file */
const reference = (baseDirectory: string, isSecret: boolean) =>
  z.unknown().transform((value, context): SecretReference => {
    const found = toReference(value, baseDirectory);
    if (found) return found;
    const reason = isSecret ? "A secret must not stand in this file." : "The PEM text is kept outside this file.";
    context.addIssue({ code: "custom", message: `${reason} ${HOW_TO_WRITE_A_SECRET}` });
    return z.NEVER;
  });

function toReference(value: unknown, baseDirectory: string): SecretReference | null {
  if (typeof value !== "object" || value === null) return null;
  const { env, file, ...others } = value as Record<string, unknown>;
  if (Object.keys(others).length > 0 || (env === undefined) === (file === undefined)) return null;
  if (typeof env === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(env)) return { env };
  if (typeof file === "string" && file !== "") {
    return { file: isAbsolute(file) ? file : resolve(baseDirectory, file) };
  }
  return null;
}

function tlsSection(baseDirectory: string) {
  const fields = section({
    ca: reference(baseDirectory, false).optional(),
    cert: reference(baseDirectory, false).optional(),
    key: reference(baseDirectory, true).optional(),
    passphrase: reference(baseDirectory, true).optional(),
    serverName: text("the name that the broker's certificate holds").optional(),
  }).superRefine((tls, context) => {
    if (Boolean(tls.cert) === Boolean(tls.key)) return;
    const [present, missing] = tls.cert ? ["cert", "key"] : ["key", "cert"];
    context.addIssue({ code: "custom", path: [present!], message: `\`${present}\` needs \`${missing}\` beside it.` });
  });
  const asSection = (value: unknown) => (value === true ? {} : value === false ? undefined : value);
  return z.preprocess(asSection, fields.optional());
}

const url = text("the address of the token endpoint").refine(
  (value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ""),
  "This must be an address that begins with https:// (or http:// on the same machine).",
);

function oauthSection(baseDirectory: string) {
  return section({
    tokenEndpoint: url.optional(),
    clientId: text("the client's id at the token endpoint").optional(),
    clientSecret: reference(baseDirectory, true).optional(),
    scope: text("the scope to ask for").optional(),
    command: z
      .array(text("a word of the command"), { error: "This must be a list: [program, argument, …]." })
      .min(1)
      .optional(),
  }).superRefine(({ command, ...endpoint }, context) => {
    const problem = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const given = Object.entries(endpoint).filter(([, value]) => value !== undefined);
    if (command && given.length > 0) problem("command", "Use either a command or a token endpoint, not both.");
    if (command) return;
    for (const field of ["tokenEndpoint", "clientId", "clientSecret"] as const) {
      if (endpoint[field] === undefined) problem(field, "This is missing. (Or give a `command` that prints a token.)");
    }
  });
}

const MECHANISMS = ["plain", "scram-sha-256", "scram-sha-512", "oauthbearer"] as const;

function saslSection(baseDirectory: string) {
  return section({
    mechanism: z.enum(MECHANISMS, { error: `This must be one of: ${MECHANISMS.join(", ")}.` }),
    username: text("a user name").optional(),
    password: reference(baseDirectory, true).optional(),
    oauthbearer: oauthSection(baseDirectory).optional(),
    extensions: z.record(z.string(), text("the extension's text")).optional(),
  }).superRefine((sasl, context) => {
    const isToken = sasl.mechanism === "oauthbearer";
    const needed = isToken ? (["oauthbearer"] as const) : (["username", "password"] as const);
    const foreign = isToken ? (["username", "password"] as const) : (["oauthbearer", "extensions"] as const);
    for (const field of needed) {
      if (sasl[field] !== undefined) continue;
      context.addIssue({ code: "custom", path: [field], message: `This is missing: ${sasl.mechanism} needs it.` });
    }
    for (const field of foreign) {
      if (sasl[field] === undefined) continue;
      context.addIssue({
        code: "custom",
        path: [field],
        message: `Take this away: ${sasl.mechanism} does not use it.`,
      });
    }
  });
}

const system = z.enum(["kafka", "nats", "pulsar"], { error: "This must be `kafka`." }).superRefine((value, context) => {
  if (value === "kafka") return;
  context.addIssue({ code: "custom", message: `\`${value}\` does not work in this version yet; only \`kafka\` does.` });
});

const address = text("an address").transform((value, context) => {
  const parsed = parseServerAddress(value);
  if (parsed.ok) return parsed.value;
  context.addIssue({ code: "custom", message: parsed.error });
  return z.NEVER;
});

const amount = (unit: string) =>
  z.int({ error: `This must be a whole number of ${unit}.` }).positive(`This must be above 0 (${unit}).`);

function clusterSection(baseDirectory: string) {
  const security = { tls: tlsSection(baseDirectory), sasl: saslSection(baseDirectory).optional() };
  return section({
    id: slug,
    aliases: z.array(text("a name"), { error: "This must be a list of names." }).default([]),
    system,
    servers: z.array(address, { error: "This must be a list: [HOST:PORT, …]." }).min(1, "Name at least one HOST:PORT."),
    ...security,
    changes: section(security).optional(),
    readOnly: z.boolean({ error: "This must be true or false." }).default(false),
    budgets: section({
      scanBytesPerSecond: amount("bytes").optional(),
      scanBytesPerDay: amount("bytes").optional(),
      requestsPerSecond: amount("requests").optional(),
    }).optional(),
  });
}

/** @param baseDirectory folder of the configuration file, to which `{file: PATH}` is relative */
export const createConfigSchema = (baseDirectory: string) =>
  section({
    clusters: z.array(clusterSection(baseDirectory), { error: "This must be a list of clusters." }).default([]),
    ...(Object.fromEntries(LATER_SECTIONS.map((name) => [name, z.unknown().optional()])) as Record<
      (typeof LATER_SECTIONS)[number],
      z.ZodOptional<z.ZodUnknown>
    >),
  });

export type ConfigDocument = z.output<ReturnType<typeof createConfigSchema>>;
