import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CLUSTER_FLAGS, resolveClusterTarget } from "#lib/cli/cluster-target.ts";
import { CommandError } from "#lib/cli/command-error.ts";
import { parseFlags } from "#lib/cli/flags.ts";

const folder = mkdtempSync(join(tmpdir(), "keyfold-target-"));
afterAll(() => rmSync(folder, { recursive: true }));
const config = join(folder, "keyfold.yaml");
writeFileSync(config, "clusters:\n  - {id: shop, aliases: [prod], system: kafka, servers: ['kafka-1:9092']}\n");

function refusal(attempt: () => unknown): { exitCode: number; message: string } {
  try {
    attempt();
  } catch (error) {
    if (error instanceof CommandError) return { exitCode: error.exitCode, message: error.message };
    throw error;
  }
  throw new Error("it was accepted");
}

test("`--brokers` needs no file", () => {
  expect(resolveClusterTarget({ brokers: "a:1, b:2" }, {}).servers).toEqual([
    { host: "a", port: 1 },
    { host: "b", port: 2 },
  ]);
});

test("a cluster is found by id or alias, in the named file or that of KEYFOLD_CONFIG", () => {
  expect(resolveClusterTarget({ config, cluster: "shop" }, {}).id).toBe("shop");
  expect(resolveClusterTarget({ cluster: "prod" }, { KEYFOLD_CONFIG: config }).id).toBe("shop");
});

test.each([
  [{}, "No cluster is named. Write --brokers HOST:PORT, or --config FILE --cluster ID."],
  [{ cluster: "shop" }, "--cluster needs the file that it is in. Write --config FILE, or set KEYFOLD_CONFIG."],
  [{ brokers: "a:1", cluster: "shop" }, "--brokers and --cluster exclude each other. Use one of them."],
  [{ brokers: "kafka" }, '--brokers: "kafka" is no address. Write HOST:PORT, for example kafka-1.example.com:9092.'],
  [{ config, cluster: "shpo" }, `--cluster: there is no cluster "shpo" in ${config}. It has: shop.`],
  [{ config, cluster: "shops" }, `--cluster: there is no cluster "shops" in ${config}. Did you mean shop?`],
])("wrong use is told with the remedy: %j", (flags, message) => {
  expect(refusal(() => resolveClusterTarget(flags, {}))).toEqual({ exitCode: 2, message });
});

test("a file that is not right is a failure, not wrong use", () => {
  const broken = join(folder, "broken.yaml");
  writeFileSync(broken, "clusters: 7\n");
  expect(refusal(() => resolveClusterTarget({ config: broken, cluster: "a" }, {}))).toEqual({
    exitCode: 1,
    message: `${broken}:1: clusters: This must be a list of clusters.`,
  });
});

test.each([
  [["--broker", "a:1"], "There is no flag --broker. Did you mean --brokers?"],
  [["--brokers"], "--brokers needs a value after it."],
  [["--brokers", "--config"], "--brokers needs a value after it."],
  [["orders"], "There is a word without a flag before it. Every value follows its flag, such as --topic NAME."],
  [
    ["--password", "hunter2"],
    "There is no flag --password: secrets are never arguments. Put the cluster into a file and use --config FILE --cluster ID.",
  ],
])("a wrong flag is told with the remedy: %j", (argv, message) => {
  expect(refusal(() => parseFlags(argv, CLUSTER_FLAGS))).toEqual({ exitCode: 2, message });
});

test("a switch takes no value", () => {
  expect(refusal(() => parseFlags(["--json=yes"], { json: { type: "boolean" } })).message).toBe(
    "--json takes no value. Write it alone.",
  );
});
