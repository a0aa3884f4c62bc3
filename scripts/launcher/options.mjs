// The launcher's command line and the few environment variables that it reads itself.
import path from "node:path";
import { parseArgs } from "node:util";

export const HELP = `Usage: npm start -- [--demo kafka|none] [--help]

Starts Keyfold: database, web pages and worker, on this machine only.

  --demo kafka   start a Kafka broker with demo topics (the default where KEYFOLD_CONFIG is not set)
  --demo none    start without one
  --help         this text

Environment:
  PORT                    port of the web pages (3000)
  DATABASE_URL            a Postgres database; where it is not set an embedded one is started
  DATABASE_MIGRATION_URL  the same database as its owner, for migrations (DATABASE_URL)
  KEYFOLD_CONFIG          the YAML file that names the clusters
  KEYFOLD_DATA            folder of all data (.keyfold)
  KEYFOLD_SECRET_FILE     this installation's secret (secret in the data folder; made at the first start)
  NO_COLOR                no colours on the terminal
`;

/** Parses arguments and environment. Returns {ok: true, options} | {ok: true, help: true} | {ok: false, message}. */
export function readOptions(argv, env, root) {
  const parsed = readArguments(argv);
  if (!parsed.ok || parsed.help) return parsed;
  const port = env.PORT === undefined || env.PORT === "" ? 3000 : Number(env.PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    return { ok: false, message: `PORT must be a number from 0 to 65535, not "${env.PORT}".` };
  }
  const hasConfig = Boolean(env.KEYFOLD_CONFIG);
  if (parsed.demo === "kafka" && hasConfig) {
    return { ok: false, message: "--demo kafka and KEYFOLD_CONFIG exclude each other: unset one of them." };
  }
  const dataFolder = path.resolve(root, env.KEYFOLD_DATA || ".keyfold");
  const demo = parsed.demo ?? (hasConfig ? "none" : "kafka");
  return { ok: true, options: { root, port, dataFolder, demo } };
}

function readArguments(argv) {
  let values;
  try {
    ({ values } = parseArgs({
      args: argv,
      options: { demo: { type: "string" }, help: { type: "boolean", short: "h" } },
      allowPositionals: false,
    }));
  } catch (error) {
    return { ok: false, message: `${error.message.split(". ")[0]}. See npm start -- --help` };
  }
  if (values.help) return { ok: true, help: true };
  if (values.demo !== undefined && values.demo !== "kafka" && values.demo !== "none") {
    return { ok: false, message: `--demo takes kafka or none, not "${values.demo}".` };
  }
  return { ok: true, demo: values.demo };
}
