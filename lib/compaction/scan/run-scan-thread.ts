/** Runs a scan of a topic in a worker thread. */
import { Worker } from "node:worker_threads";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { PartitionMeasurement } from "#lib/compaction/measurement.ts";
import type { ScanOrder, ScanReport } from "#lib/compaction/scan/scan-messages.ts";
import type { ScanProgress } from "#lib/compaction/scan/scan-progress.ts";
import type { TopicScan } from "#lib/compaction/scan/scan-topic.ts";
import type { ClusterConfig } from "#lib/platform/cluster-config.ts";

export interface ScanOptions {
  cluster: ClusterConfig;
  /** The broker's own cluster id as recorded at first connect; another one is refused. */
  expectedClusterId?: string | null;
  topic: string;
  /** All where absent. */
  partitions?: number[];
  /** 16 bytes, secret and the same for the whole installation. */
  seed: Uint8Array;
  /** No limit where absent. */
  maxBytesPerSecond?: number;
  signal?: AbortSignal;
  /** About five times a second. */
  onProgress?(progress: ScanProgress): void;
  onPartition?(measurement: PartitionMeasurement): void;
  /** Every few seconds, the bytes that `resumeFrom` takes after a kill. They hold hashes of keys: encrypt them. */
  onCheckpoint?(bytes: Uint8Array): void;
  resumeFrom?: Uint8Array;
  /** The thread, as soon as there is one. */
  onThread?(thread: Worker): void;
}

/** A thread that does not end by itself after a cancel (a long stretch without a pause) is ended. */
const CANCEL_GRACE_MS = 700;

/**
 * @throws BrokerError `cancelled` within a second of the signal, `topic-not-found`, `topic-recreated`, ...
 * @throws Error where the thread was killed or failed for a bug
 */
export function runTopicScan(options: ScanOptions): Promise<TopicScan> {
  const { signal } = options;
  if (signal?.aborted) return Promise.reject(cancelled());
  const thread = new Worker(new URL("./scan-thread.ts", import.meta.url), { workerData: orderOf(options) });
  options.onThread?.(thread);
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const cancel = () => {
      thread.postMessage({ kind: "cancel" });
      grace = setTimeout(() => settle(() => reject(cancelled())), CANCEL_GRACE_MS);
    };
    const settle = (how: () => void) => {
      clearTimeout(grace);
      signal?.removeEventListener("abort", cancel);
      void thread.terminate();
      how();
    };
    signal?.addEventListener("abort", cancel, { once: true });
    thread.on("message", (report: ScanReport) => {
      if (report.kind === "progress") options.onProgress?.(report.progress);
      else if (report.kind === "partition") options.onPartition?.(report.measurement);
      else if (report.kind === "checkpoint") options.onCheckpoint?.(report.bytes);
      else if (report.kind === "done") settle(() => resolve(report.scan));
      else settle(() => reject(errorOf(report)));
    });
    thread.on("error", (error) => settle(() => reject(error)));
    thread.on("exit", (code) => settle(() => reject(new Error(`The scan's thread ended early (exit code ${code}).`))));
  });
}

function orderOf(options: ScanOptions): ScanOrder {
  return {
    cluster: options.cluster,
    expectedClusterId: options.expectedClusterId ?? null,
    topic: options.topic,
    partitions: options.partitions ?? null,
    seed: options.seed,
    maxBytesPerSecond: options.maxBytesPerSecond ?? null,
    resumeFrom: options.resumeFrom ?? null,
    wantsCheckpoints: options.onCheckpoint !== undefined,
  };
}

const cancelled = () => new BrokerError("cancelled", "The scan was cancelled.");

const errorOf = (report: Extract<ScanReport, { kind: "failed" }>): Error =>
  report.code === null ? new Error(report.message) : new BrokerError(report.code, report.message);
