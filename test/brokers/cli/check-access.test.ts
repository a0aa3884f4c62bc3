/** The command as it is called, against a real broker. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RIGHTS } from "#lib/brokers/access-report.ts";
import type { KafkaCluster } from "../../support/kafka-cluster.ts";
import { sharedKafka } from "../../support/shared-kafka.ts";
import { createTopic } from "../../support/topic-admin.ts";

const ENTRY = fileURLToPath(new URL("../../../lib/cli/keyfold.ts", import.meta.url));

let kafka: KafkaCluster;
let folder: string;

beforeAll(async () => {
  kafka = await sharedKafka("4.4");
  await createTopic(kafka, { topic: "check-access" });
  folder = await mkdtemp(path.join(tmpdir(), "keyfold-check-access-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const keyfold = (args: string[], env: Record<string, string> = {}) =>
  new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env } as unknown as NodeJS.ProcessEnv };
    execFile(process.execPath, [ENTRY, ...args], options, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

test("with --json there is one object a line, one per right", async () => {
  const { exitCode, stdout, stderr } = await keyfold(["check-access", "--brokers", kafka.servers, "--json"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const reports = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(reports.map(({ id }) => id)).toEqual(RIGHTS.map(({ id }) => id));
  expect(reports[1]).toMatchObject({ operation: "Read", resource: "topics", purpose: "reading", outcome: "granted" });
});

test("without it there is a table, without colours where nobody looks at a terminal", async () => {
  const { exitCode, stdout } = await keyfold(["check-access", "--brokers", kafka.servers]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^For reading\n {2}granted +Describe on topics: on \d+ topics/);
  expect(stdout).toContain("For changes\n");
  expect(stdout).not.toContain("\u001b");
});

test("a cluster of the configuration file, read-only: changes are not tried, with the reason", async () => {
  const config = path.join(folder, "keyfold.yaml");
  await writeFile(config, `clusters:\n  - {id: shop, system: kafka, servers: ['${kafka.servers}'], readOnly: true}\n`);
  const { exitCode, stdout } = await keyfold(["check-access", "--cluster", "shop"], { KEYFOLD_CONFIG: config });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    "not tried  AlterConfigs on topics: not tried, because the cluster is configured with readOnly: true",
  );
});

test("a cluster that can't be reached is a failure that names the cause, without a stack", async () => {
  const { exitCode, stdout, stderr } = await keyfold(["check-access", "--brokers", "127.0.0.1:1"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toBe(
    "keyfold: 127.0.0.1:1 can't be reached (ECONNREFUSED). Nothing listens there. Check the address, and whether the broker runs.\n",
  );
});

test("wrong use ends with 2 and names the flag", async () => {
  const { exitCode, stderr } = await keyfold(["check-access", "--broker", kafka.servers]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: "keyfold: There is no flag --broker. Did you mean --brokers?\n",
  });
});
