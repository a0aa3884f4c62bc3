/** Writes to a topic with librdkafka, from another process and another language than the product's. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensurePython } from "./python.ts";

const SCRIPT = fileURLToPath(new URL("./produce.py", import.meta.url));

export type KeySpec = { prefix?: string; form?: "text" | "json" | "int64" | "schema-id"; schema_id?: number } & (
  | { kind: "zipf"; count: number; exponent?: number }
  | { kind: "uniform"; count: number }
  | { kind: "sequential"; start?: number; each?: number; spread?: number }
  | { kind: "hot"; count: number; hot_count: number; hot_share: number }
  | { kind: "rewritten"; share: number; start?: number }
  | { kind: "runs"; length: number }
);

/** As `produce.py` documents them. */
export interface ProducePhase {
  records: number;
  keys: KeySpec;
  value_bytes?: [least: number, most: number];
  compressible?: boolean;
  tombstone_share?: number;
  null_key_share?: number;
  batch_records?: number;
  compression?: "none" | "gzip" | "snappy" | "lz4" | "zstd";
  idempotent?: boolean;
  producers?: number;
  transaction?: { records: number; abort_share?: number; leave_open?: boolean; timeout_ms?: number };
  timestamps?: { start_ms: number; step_ms: number };
}

export interface ProduceSpec {
  servers: string;
  topic: string;
  partition: number;
  seed: number;
  phases: ProducePhase[];
}

export interface ProduceOutcome {
  records: number;
  /** Records of aborted transactions, included in `records`. */
  aborted: number;
  /** Records of a transaction that was left open, included in `records`. */
  open: number;
  last_offset: number;
}

/** Runs a script of this folder on the tests' Python and gives its output; rejects with what it wrote to its error stream. */
export async function runPython(script: string, args: string[], input = ""): Promise<string> {
  const python = await ensurePython();
  return new Promise((resolve, reject) => {
    const child = spawn(python, [script, ...args], { stdio: ["pipe", "pipe", "pipe"] });
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      errors += text;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${script} ended with ${code}: ${errors.trim().slice(-2000)}`));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Resolves when all records are acknowledged. */
export const produce = async (spec: ProduceSpec): Promise<ProduceOutcome> =>
  JSON.parse(await runPython(SCRIPT, [], JSON.stringify(spec))) as ProduceOutcome;
