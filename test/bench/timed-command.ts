/** Runs a program on one core where the machine can pin it, and says how long it took. */
import { spawn, spawnSync } from "node:child_process";

const canPin = spawnSync("taskset", ["-c", "0", "true"]).status === 0;
export const pinning = canPin ? "pinned to one core" : "not pinned: there is no taskset here";

export interface TimedRun {
  ms: number;
  output: string;
}

export function runTimed(program: string, args: readonly string[], cwd: string): Promise<TimedRun> {
  const [command, ...rest] = canPin ? ["taskset", "-c", "0", program, ...args] : [program, ...args];
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command!, rest, { cwd, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve({ ms: performance.now() - startedAt, output });
      else reject(new Error(`${program} ended with ${code}`));
    });
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
export const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
