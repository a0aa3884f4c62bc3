/**
 * Memory and error with more distinct keys than the table holds. The records are made up in memory and go through the
 * scan's own loop over a made-up log: no broker is asked.
 */
import { spawnSync } from "node:child_process";
import { mebibytes, seconds } from "./timed-command.ts";

export function benchDistinctKeys({ keys }: { keys: number }): void {
  console.log(`\n# ${keys} distinct keys, made up in memory (no broker)`);
  const script = new URL("./distinct-once.ts", import.meta.url).pathname;
  const run = spawnSync(process.execPath, [script, String(keys)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const found = JSON.parse(run.stdout) as { value: number; low: number; high: number; ms: number; peakBytes: number };
  const error = (found.value / keys - 1) * 100;
  console.log(
    `estimate ${found.value} (${found.low} to ${found.high}), error ${error.toFixed(3)} % (to keep: 1 %), ` +
      `peak memory ${mebibytes(found.peakBytes)} (to keep: 512 MiB), ${seconds(found.ms)}`,
  );
}
