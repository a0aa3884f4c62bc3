/** Entry of a scan's worker thread: opens a broker connection of its own and reports by messages. */
import { setTimeout as sleepFor } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { openBroker } from "#lib/brokers/open-broker.ts";
import { ByteBudget } from "#lib/compaction/byte-budget.ts";
import type { ScanOrder, ScanReport, ScanRequest } from "#lib/compaction/scan/scan-messages.ts";
import { scanTopic, type TopicScan } from "#lib/compaction/scan/scan-topic.ts";

/** Quotas can be set on it. */
const CLIENT_ID = "keyfold-scan";

if (parentPort === null) throw new Error("scan-thread.ts is started as a worker thread by run-scan-thread.ts");
const port = parentPort;
const order = workerData as ScanOrder;
const canceller = new AbortController();

port.on("message", (request: ScanRequest) => {
  if (request.kind === "cancel") canceller.abort(new BrokerError("cancelled", "The scan was cancelled."));
});

const clock = {
  ticks: () => performance.now(),
  async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    try {
      await sleepFor(milliseconds, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  },
};

function report(message: ScanReport, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

async function runOrder(): Promise<TopicScan> {
  const { cluster, expectedClusterId, topic, partitions, seed, maxBytesPerSecond, resumeFrom } = order;
  const broker = await openBroker(cluster, { clientId: CLIENT_ID, expectedClusterId });
  try {
    return await scanTopic({
      broker,
      clientId: CLIENT_ID,
      topic,
      partitions,
      seed,
      resumeFrom,
      budget: new ByteBudget(maxBytesPerSecond, { now: clock.ticks, sleep: clock.sleep }),
      signal: canceller.signal,
      now: Date.now,
      random: Math.random,
      ...clock,
      onProgress: (progress) => report({ kind: "progress", progress }),
      onPartition: (measurement) => report({ kind: "partition", measurement }),
      onCheckpoint: order.wantsCheckpoints
        ? (bytes) => report({ kind: "checkpoint", bytes }, [bytes.buffer as ArrayBuffer])
        : null,
    });
  } finally {
    await broker.close();
  }
}

try {
  report({ kind: "done", scan: await runOrder() });
} catch (error) {
  if (error instanceof BrokerError) report({ kind: "failed", code: error.code, message: error.message });
  else
    report({
      kind: "failed",
      code: null,
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
}
port.close();
