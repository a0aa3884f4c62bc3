/** The configuration file (`KEYFOLD_CONFIG`): one YAML file, checked as a whole, every problem with its line and remedy. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import {
  type ClusterConfig,
  type ConnectionCredentials,
  DEFAULT_SCAN_BYTES_PER_SECOND,
  formatAddress,
} from "#lib/platform/cluster-config.ts";
import { type ConfigDocument, createConfigSchema, LATER_SECTIONS } from "#lib/platform/config-schema.ts";
import { fail, ok, type Result } from "#lib/platform/result.ts";
import { readSecret, type SecretReference } from "#lib/platform/secret.ts";

export interface Config {
  /** Absolute. */
  path: string;
  clusters: ClusterConfig[];
  /** What is odd or ignored, for the log at start. */
  notes: string[];
}

export interface ConfigProblem {
  path: string;
  /** From 1; null where the file can't be read at all. */
  line: number | null;
  /** Such as `clusters[0].sasl.password`; empty for the whole file. */
  field: string;
  /** What is wrong and what to do. */
  message: string;
}

export interface LoadConfigOptions {
  env?: Readonly<Record<string, string | undefined>>;
  /** Secrets of other clusters need not be there: a command that speaks to one cluster may know only its own. */
  onlyCluster?: string;
}

export const formatConfigProblem = ({ path, line, field, message }: ConfigProblem): string =>
  `${path}${line === null ? "" : `:${line}`}: ${field === "" ? "" : `${field}: `}${message}`;

export function loadConfig(path: string, options: LoadConfigOptions = {}): Result<Config, ConfigProblem[]> {
  const absolute = resolve(path);
  let text: string;
  try {
    text = readFileSync(absolute, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    const message = `The file can't be read (${code}). Check the path in KEYFOLD_CONFIG or --config, and its rights.`;
    return fail([{ path: absolute, line: null, field: "", message }]);
  }
  return parseConfig(text, absolute, options);
}

const YAML_REMEDIES: Record<string, string> = {
  DUPLICATE_KEY: "Take one of the two away.",
  TAB_AS_INDENT: "Indent with spaces.",
};

type FieldPath = readonly (string | number)[];

/** @param path of the file that the text is from; relative `{file: PATH}` are beside it */
export function parseConfig(
  text: string,
  path: string,
  { env = process.env, onlyCluster }: LoadConfigOptions = {},
): Result<Config, ConfigProblem[]> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    const toProblem = ({ pos, code }: (typeof document.errors)[number]): ConfigProblem => ({
      path,
      line: lines.linePos(pos[0]).line,
      field: "",
      message: `This is no valid YAML (${code.toLowerCase().replaceAll("_", " ")}). ${YAML_REMEDIES[code] ?? "Check indentation, colons and quotes."}`,
    });
    return fail(document.errors.map(toProblem));
  }
  const problem = (field: FieldPath, message: string): ConfigProblem => ({
    path,
    line: lineOf(document, lines, field),
    field: formatField(field),
    message,
  });
  const content = toPlain(document);
  if (content === null) {
    const message =
      "An alias or anchor of this file can't be resolved. Write the values out; a text that begins with * or & needs quotes.";
    return fail([{ path, line: 1, field: "", message }]);
  }
  const parsed = createConfigSchema(dirname(path)).safeParse(content.value ?? {});
  if (!parsed.success) {
    return fail(parsed.error.issues.map((issue) => problem(fieldOfIssue(issue), issue.message)));
  }
  const problems = [...findDuplicates(parsed.data), ...findMissingSecrets(parsed.data, env, onlyCluster)].map(
    ([field, message]) => problem(field, message),
  );
  if (problems.length > 0) return fail(problems);
  return ok({ path, clusters: parsed.data.clusters.map(toClusterConfig), notes: listNotes(parsed.data) });
}

/** Null where an alias leads nowhere, or expands without bound; the library's message would repeat what stands there. */
function toPlain(document: Pick<Document, "toJS">): { value: unknown } | null {
  try {
    return { value: document.toJS() };
  } catch {
    return null;
  }
}

type Issue = { path: readonly PropertyKey[]; code?: string; keys?: readonly string[] };

/** An unknown field is reported at itself, not at the section around it. */
function fieldOfIssue(issue: Issue): FieldPath {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  return issue.code === "unrecognized_keys" && issue.keys?.[0] !== undefined ? [...path, issue.keys[0]] : path;
}

const formatField = (field: FieldPath): string =>
  field.reduce<string>(
    (path, part) => (typeof part === "number" ? `${path}[${part}]` : path === "" ? part : `${path}.${part}`),
    "",
  );

/** The line of the field's key, or of the nearest section around it where the field itself is missing. */
function lineOf(document: ReturnType<typeof parseDocument>, lines: LineCounter, field: FieldPath): number {
  for (let length = field.length; length > 0; length--) {
    const parent = document.getIn(field.slice(0, length - 1), true);
    const offset = keyOffset(parent, field[length - 1]!) ?? nodeOffset(document.getIn(field.slice(0, length), true));
    if (offset !== null) return lines.linePos(offset).line;
  }
  return 1;
}

const nodeOffset = (node: unknown): number | null => (isNode(node) && node.range ? node.range[0] : null);

function keyOffset(parent: unknown, name: string | number): number | null {
  const items = (parent as { items?: { key?: unknown }[] } | undefined)?.items ?? [];
  const pair = items.find(({ key }) => isNode(key) && (key as { value?: unknown }).value === name);
  return pair ? nodeOffset(pair.key) : null;
}

type Finding = [field: FieldPath, message: string];

function findDuplicates({ clusters }: ConfigDocument): Finding[] {
  const findings: Finding[] = [];
  const taken = new Map<string, string>();
  const claim = (name: string, field: FieldPath): void => {
    const before = taken.get(name);
    if (before) findings.push([field, `\`${name}\` is already used at ${before}. Give each cluster names of its own.`]);
    else taken.set(name, formatField(field));
  };
  for (const [index, { id }] of clusters.entries()) claim(id, ["clusters", index, "id"]);
  for (const [index, { aliases }] of clusters.entries()) {
    for (const [at, alias] of aliases.entries()) claim(alias, ["clusters", index, "aliases", at]);
  }
  return findings;
}

function findMissingSecrets(
  { clusters }: ConfigDocument,
  env: Readonly<Record<string, string | undefined>>,
  onlyCluster: string | undefined,
): Finding[] {
  const findings: Finding[] = [];
  const visit = (value: unknown, field: FieldPath): void => {
    if (typeof value !== "object" || value === null) return;
    if (!isReference(value)) {
      for (const [name, each] of Object.entries(value)) if (name !== "extensions") visit(each, [...field, name]);
      return;
    }
    const secret = readSecret(value, env);
    if (!secret.ok) findings.push([field, secret.error]);
  };
  for (const [index, { id, tls, sasl, changes }] of clusters.entries()) {
    if (onlyCluster === undefined || onlyCluster === id) visit({ tls, sasl, changes }, ["clusters", index]);
  }
  return findings;
}

const isReference = (value: object): value is SecretReference => {
  const names = Object.keys(value);
  return names.length === 1 && (names[0] === "env" || names[0] === "file");
};

type ClusterEntry = ConfigDocument["clusters"][number];

function toClusterConfig({ system: _, ...cluster }: ClusterEntry): ClusterConfig {
  const credentials = toCredentials(cluster);
  return {
    id: cluster.id,
    aliases: cluster.aliases,
    system: "kafka",
    servers: cluster.servers,
    ...credentials,
    changes: cluster.changes ? { ...credentials, ...dropNulls(toCredentials(cluster.changes)) } : null,
    readOnly: cluster.readOnly,
    budgets: {
      scanBytesPerSecond: cluster.budgets?.scanBytesPerSecond ?? DEFAULT_SCAN_BYTES_PER_SECOND,
      scanBytesPerDay: cluster.budgets?.scanBytesPerDay ?? null,
      requestsPerSecond: cluster.budgets?.requestsPerSecond ?? null,
    },
  };
}

/** The schema has checked that what belongs to the mechanism is there. */
const toCredentials = ({ tls, sasl }: Pick<ClusterEntry, "tls" | "sasl">): ConnectionCredentials => ({
  tls: tls ?? null,
  sasl: (sasl as ConnectionCredentials["sasl"] | undefined) ?? null,
});

/** What `changes` does not name is as for reading. */
const dropNulls = (credentials: ConnectionCredentials): Partial<ConnectionCredentials> =>
  Object.fromEntries(Object.entries(credentials).filter(([, value]) => value !== null));

function listNotes(document: ConfigDocument): string[] {
  const notes = LATER_SECTIONS.filter((name) => document[name] !== undefined).map(
    (name) => `Section \`${name}\` is ignored: this version of Keyfold does not know it yet.`,
  );
  for (const { id, tls, sasl, servers } of document.clusters) {
    if (tls || sasl?.mechanism !== "plain") continue;
    notes.push(`Cluster ${id} sends its password in clear to ${formatAddress(servers[0]!)}: use \`tls\`.`);
  }
  return notes;
}
