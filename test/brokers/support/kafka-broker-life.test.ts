import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fetchBrokerIds } from "../../../scripts/kafka/broker-metadata.mjs";
import { type KafkaCluster, startKafka } from "../../support/kafka-cluster.ts";

const HOLDER = fileURLToPath(new URL("../../support/start-kafka-and-wait.ts", import.meta.url));

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("a broker and its folder are gone soon after the process that started it was killed", async () => {
  const holder = spawn(process.execPath, [HOLDER], { stdio: ["ignore", "pipe", "inherit"] });
  let line = "";
  for await (const printed of createInterface(holder.stdout))
    if (printed.startsWith("{")) {
      line = printed;
      break;
    }
  const { pid, dataDir } = JSON.parse(line) as { pid: number; dataDir: string };
  expect(isRunning(pid)).toBe(true);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await vi.waitUntil(() => !isRunning(pid) && !existsSync(dataDir), { timeout: 15_000 });
});

describe("three brokers", () => {
  let cluster: KafkaCluster;
  beforeAll(async () => {
    cluster = await startKafka({ version: "4.4", brokers: 3 });
  });
  afterAll(() => cluster?.stop());

  const seenByFirst = () => fetchBrokerIds(cluster.brokers[0]!.port);

  test("all see each other", async () => {
    for (const { port } of cluster.brokers) expect((await fetchBrokerIds(port)).sort()).toEqual([1, 2, 3]);
  });

  test("one that was stopped comes back on its port and data", async () => {
    const broker = cluster.brokers[2]!;
    const before = broker.pid;
    await broker.stop();
    await vi.waitUntil(async () => (await seenByFirst()).length === 2, { timeout: 30_000, interval: 100 });
    await broker.start();
    await vi.waitUntil(async () => (await seenByFirst()).length === 3, { timeout: 30_000, interval: 100 });
    expect(broker.pid).not.toBe(before);
  });

  test("one that is paused answers nothing until it is resumed", async () => {
    const broker = cluster.brokers[2]!;
    broker.pause();
    await expect(fetchBrokerIds(broker.port, { timeoutMs: 500 })).rejects.toThrow("no answer");
    broker.resume();
    expect(await fetchBrokerIds(broker.port, { timeoutMs: 10_000 })).toContain(broker.id);
  });
});
