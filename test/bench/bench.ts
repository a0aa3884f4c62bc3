/**
 * Measures what the scan and the probe cost, beside a reference of the same run. Prints; nothing passes or fails here.
 *
 *   npm run bench [-- --quick] [-- --only scan|distinct|probe] [-- --rounds N]
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startKafka } from "../support/kafka-cluster.ts";
import { benchDistinctKeys } from "./distinct-bench.ts";
import { benchProbe } from "./probe-bench.ts";
import { benchScan } from "./scan-bench.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, only: { type: "string" }, rounds: { type: "string" } },
});
const isQuick = values.quick ?? false;
const rounds = Number(values.rounds ?? (isQuick ? 1 : 3));
const isWanted = (name: string) => values.only === undefined || values.only === name;

const load = () =>
  loadavg()
    .map((one) => one.toFixed(1))
    .join(" ");
console.log(`Load average at the start: ${load()}${isQuick ? "; quick: smaller data, fewer rounds" : ""}`);

if (isWanted("distinct")) await benchDistinctKeys({ keys: isQuick ? 12_000_000 : 50_000_000 });
if (isWanted("scan") || isWanted("probe")) {
  const cluster = await startKafka({
    version: "4.4",
    heapMegabytes: 512,
    broker: { "log.cleaner.enable": "true", "log.segment.bytes": String(256 * 1024 * 1024) },
  });
  try {
    if (isWanted("scan")) await benchScan(cluster, { records: isQuick ? 500_000 : 5_000_000, rounds });
    if (isWanted("probe")) await benchProbe(cluster, { partitions: isQuick ? 100 : 1_000 });
  } finally {
    await cluster.stop();
  }
}
console.log(`\nLoad average at the end: ${load()}`);
process.exit(0);
