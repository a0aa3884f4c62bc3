/** One scan in a process of its own: `scan-once.ts HOST:PORT TOPIC`. Prints what it counted and its peak memory. */
import { randomBytes } from "node:crypto";
import { runTopicScan } from "#lib/compaction/scan/run-scan-thread.ts";
import { benchCluster } from "./bench-cluster.ts";

const [servers, topic] = process.argv.slice(2) as [string, string];
const startedAt = performance.now();
const scan = await runTopicScan({ cluster: benchCluster(servers), topic, seed: randomBytes(16) });
console.log(
  JSON.stringify({
    scanMs: performance.now() - startedAt,
    records: scan.topic.retainedRecords,
    keys: scan.topic.distinctKeys,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }),
);
