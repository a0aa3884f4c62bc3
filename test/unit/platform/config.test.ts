import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { formatConfigProblem, loadConfig, parseConfig } from "#lib/platform/config.ts";

const folder = mkdtempSync(join(tmpdir(), "keyfold-config-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "ca.pem"), "-----BEGIN CERTIFICATE-----\n");

const PATH = join(folder, "keyfold.yaml");
const ENV = { PASSWORD: "hunter2", SECRET: "s3cret" };

const parse = (text: string, onlyCluster?: string) => parseConfig(text, PATH, { env: ENV, onlyCluster });

function problemsOf(text: string): string[] {
  const result = parse(text);
  if (result.ok) throw new Error("the file was accepted");
  return result.error.map((problem) => formatConfigProblem(problem).replace(`${PATH}:`, ""));
}

function accepted(text: string) {
  const result = parse(text);
  if (!result.ok) throw new Error(result.error.map(formatConfigProblem).join("\n"));
  return result.value;
}

const PLAIN = "clusters:\n  - id: shop\n    system: kafka\n    servers: [kafka-1:9092, '[::1]:9093']\n";

describe("what is accepted", () => {
  test("a cluster needs an id, a system and servers; the rest has defaults", () => {
    expect(accepted(PLAIN).clusters).toEqual([
      {
        id: "shop",
        aliases: [],
        system: "kafka",
        servers: [
          { host: "kafka-1", port: 9092 },
          { host: "::1", port: 9093 },
        ],
        tls: null,
        sasl: null,
        changes: null,
        readOnly: false,
        budgets: { scanBytesPerSecond: 10 * 1024 * 1024, scanBytesPerDay: null, requestsPerSecond: null },
      },
    ]);
  });

  test("an empty file configures no cluster", () => {
    expect(accepted("").clusters).toEqual([]);
    expect(accepted("# nothing yet\n").clusters).toEqual([]);
  });

  test("`tls: true` trusts the usual authorities, `tls: false` is plaintext", () => {
    expect(accepted(`${PLAIN}    tls: true\n`).clusters[0]!.tls).toEqual({});
    expect(accepted(`${PLAIN}    tls: false\n`).clusters[0]!.tls).toBeNull();
  });

  test("secrets stay references, and a relative file is beside the configuration", () => {
    const { clusters } = accepted(
      `${PLAIN}    tls: {ca: {file: ca.pem}}\n    sasl: {mechanism: plain, username: u, password: {env: PASSWORD}}\n`,
    );
    expect(clusters[0]!.tls).toEqual({ ca: { file: join(folder, "ca.pem") } });
    expect(clusters[0]!.sasl).toEqual({ mechanism: "plain", username: "u", password: { env: "PASSWORD" } });
    expect(JSON.stringify(clusters)).not.toContain("hunter2");
  });

  test("a token endpoint and a token command", () => {
    const endpoint = `{tokenEndpoint: "https://id/token", clientId: keyfold, clientSecret: {env: SECRET}, scope: kafka}`;
    for (const oauth of [endpoint, "{command: [get-token, --audience, kafka]}"]) {
      const sasl = accepted(`${PLAIN}    sasl: {mechanism: oauthbearer, oauthbearer: ${oauth}}\n`).clusters[0]!.sasl;
      expect(sasl?.mechanism).toBe("oauthbearer");
    }
  });

  test("credentials for changes inherit what they do not name", () => {
    const { clusters } = accepted(
      `${PLAIN}    tls: true\n    changes: {sasl: {mechanism: scram-sha-512, username: w, password: {env: SECRET}}}\n`,
    );
    expect(clusters[0]!.changes).toEqual({
      tls: {},
      sasl: { mechanism: "scram-sha-512", username: "w", password: { env: "SECRET" } },
    });
    expect(clusters[0]!.sasl).toBeNull();
  });

  test("sections of later versions are ignored, with a note", () => {
    const { notes } = accepted("owners: {anything: [1]}\nnotifications: []\n");
    expect(notes).toHaveLength(2);
    expect(notes[0]).toContain("`owners` is ignored");
  });

  test("a password that would cross the network in clear is noted", () => {
    const sasl = "    sasl: {mechanism: plain, username: u, password: {env: PASSWORD}}\n";
    expect(accepted(PLAIN + sasl).notes.join()).toContain("in clear to kafka-1:9092");
    expect(accepted(`${PLAIN}    tls: true\n${sasl}`).notes).toEqual([]);
  });
});

describe("what is refused, with line, field and remedy", () => {
  const cases: [what: string, text: string, problem: string][] = [
    [
      "a secret as plain text",
      `${PLAIN}    sasl:\n      mechanism: plain\n      username: u\n      password: hunter2\n`,
      "8: clusters[0].sasl.password: A secret must not stand in this file. Write {env: NAME} or {file: PATH}.",
    ],
    [
      "an unknown field, with a suggestion",
      `${PLAIN}    readonly: true\n`,
      "5: clusters[0].readonly: There is no field `readonly` here. Did you mean `readOnly`?",
    ],
    ["an unknown section", "cluster: []\n", "1: cluster: There is no field `cluster` here. Did you mean `clusters`?"],
    [
      "a second cluster of the same id",
      `${PLAIN}${PLAIN.replace("clusters:\n", "")}`,
      "5: clusters[1].id: `shop` is already used at clusters[0].id. Give each cluster names of its own.",
    ],
    [
      "an alias that is another cluster's id",
      `${PLAIN}${PLAIN.replace("clusters:\n", "").replace("id: shop", "id: b\n    aliases: [shop]")}`,
      "6: clusters[1].aliases[0]: `shop` is already used at clusters[0].id. Give each cluster names of its own.",
    ],
    [
      "a system that does not work yet",
      PLAIN.replace("system: kafka", "system: nats"),
      "3: clusters[0].system: `nats` does not work in this version yet; only `kafka` does.",
    ],
    [
      "an id that can't stand in an address",
      PLAIN.replace("id: shop", "id: Shop 1"),
      "2: clusters[0].id: This must be a slug, since it stands in addresses and metrics: small letters, digits and inner hyphens, at most 63.",
    ],
    [
      "an address without a port",
      PLAIN.replace("kafka-1:9092", "kafka-1"),
      '4: clusters[0].servers[0]: "kafka-1" is no address. Write HOST:PORT, for example kafka-1.example.com:9092.',
    ],
    [
      "no servers",
      "clusters:\n  - id: a\n    system: kafka\n",
      "2: clusters[0].servers: This must be a list: [HOST:PORT, …].",
    ],
    [
      "a mechanism that there is not",
      `${PLAIN}    sasl: {mechanism: gssapi}\n`,
      "5: clusters[0].sasl.mechanism: This must be one of: plain, scram-sha-256, scram-sha-512, oauthbearer.",
    ],
    [
      "a mechanism without its credentials",
      `${PLAIN}    sasl: {mechanism: scram-sha-256, username: u}\n`,
      "5: clusters[0].sasl.password: This is missing: scram-sha-256 needs it.",
    ],
    [
      "a certificate without its key",
      `${PLAIN}    tls:\n      cert: {file: ca.pem}\n`,
      "6: clusters[0].tls.cert: `cert` needs `key` beside it.",
    ],
    [
      "an environment variable that is not set",
      `${PLAIN}    sasl: {mechanism: plain, username: u, password: {env: NOT_SET}}\n`,
      "5: clusters[0].sasl.password: Environment variable NOT_SET is not set. Set it for every process of Keyfold.",
    ],
    [
      "a file that is not there",
      `${PLAIN}    tls: {ca: {file: missing.pem}}\n`,
      `5: clusters[0].tls.ca: File ${join(folder, "missing.pem")} can't be read (ENOENT). Check the path.`,
    ],
    [
      "a token endpoint without its client",
      `${PLAIN}    sasl: {mechanism: oauthbearer, oauthbearer: {tokenEndpoint: "https://id/token", clientSecret: {env: SECRET}}}\n`,
      "5: clusters[0].sasl.oauthbearer.clientId: This is missing. (Or give a `command` that prints a token.)",
    ],
    [
      "a budget that is no number of bytes",
      `${PLAIN}    budgets: {scanBytesPerSecond: 10MiB}\n`,
      "5: clusters[0].budgets.scanBytesPerSecond: This must be a whole number of bytes.",
    ],
    [
      "a section that is no section",
      `${PLAIN}    budgets: fast\n`,
      "5: clusters[0].budgets: This must be a section with fields: scanBytesPerSecond, scanBytesPerDay, requestsPerSecond.",
    ],
    [
      "a field that stands twice",
      `${PLAIN}    id: other\n`,
      "5: This is no valid YAML (duplicate key). Take one of the two away.",
    ],
    [
      "broken YAML",
      "clusters:\n  - id: a\n  servers: [\n",
      "3: This is no valid YAML (bad indent). Check indentation, colons and quotes.",
    ],
  ];

  test.each(cases)("%s", (_, text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });

  test("no message repeats a secret that was written into the file", () => {
    const texts = [
      `${PLAIN}    sasl: {mechanism: plain, username: u, password: hunter2}\n`,
      `${PLAIN}    sasl: {mechanism: plain, username: u, password: {value: hunter2}}\n`,
      `${PLAIN}    sasl: {mechanism: plain, username: u, password: {env: "hunter2 with spaces"}}\n`,
    ];
    for (const text of texts) expect(problemsOf(text).join()).not.toContain("hunter2");
  });

  test("a file that can't be read is named", () => {
    const result = loadConfig(join(folder, "missing.yaml"));
    expect(result.ok).toBe(false);
    if (!result.ok)
      expect(formatConfigProblem(result.error[0]!)).toMatch(/missing\.yaml: The file can't be read \(ENOENT\)/);
  });

  test("a command that speaks to one cluster needs the secrets of that one alone", () => {
    const other = `  - id: other\n    system: kafka\n    servers: [b:1]\n    sasl: {mechanism: plain, username: u, password: {env: NOT_SET}}\n`;
    expect(parse(PLAIN + other, "shop").ok).toBe(true);
    expect(parse(PLAIN + other, "other").ok).toBe(false);
  });
});
