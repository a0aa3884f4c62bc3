#!/usr/bin/env node
/** Entry of the command line: one file a command, loaded when it is called. */
import { readFileSync } from "node:fs";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { CommandError, type ExitCode } from "#lib/cli/command-error.ts";
import { suggestName } from "#lib/platform/suggest-name.ts";

/** Each gets what follows its name, and resolves with the exit code. */
type Command = (argv: string[]) => Promise<number>;

const COMMANDS: Record<string, { summary: string; load: () => Promise<Command> }> = {
  measure: {
    summary: "measure the partitions of a topic by probe or scan",
    load: async () => (await import("#lib/cli/measure.ts")).runMeasure,
  },
  "check-access": {
    summary: "try each right that Keyfold uses on a cluster, and say what is missing without it",
    load: async () => (await import("#lib/cli/check-access.ts")).runCheckAccess,
  },
};

const HELP = `Usage: npm run -s keyfold -- COMMAND [FLAGS]

Commands:
${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(14)} ${summary}`)
  .join("\n")}

  COMMAND --help   flags of a command
  --version        this version

Exit codes: 0 ok, 1 failure, 2 wrong use. NO_COLOR switches colours off.
`;

const readVersion = (): string =>
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;

async function run([name, ...argv]: string[]): Promise<number> {
  if (name === undefined) throw CommandError.usage(`No command is named.\n\n${HELP}`);
  if (name === "--help" || name === "-h" || name === "help") return print(HELP);
  if (name === "--version") return print(`${readVersion()}\n`);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const meant = suggestName(name, Object.keys(COMMANDS));
    const hint = meant ? `Did you mean ${meant}?` : `Commands are: ${Object.keys(COMMANDS).join(", ")}.`;
    throw CommandError.usage(`There is no command ${JSON.stringify(name)}. ${hint}`);
  }
  return (await command.load())(argv);
}

function print(text: string): ExitCode {
  process.stdout.write(text);
  return 0;
}

function report(error: unknown): ExitCode {
  if (error instanceof CommandError) {
    process.stderr.write(`keyfold: ${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof BrokerError) {
    process.stderr.write(`keyfold: ${error.message}\n`);
    return 1;
  }
  process.stderr.write(`keyfold: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}

// A reader such as `head` that ends early is no failure of the command.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

// Set, not called: what was written to a pipe has to be flushed first.
process.exitCode = await run(process.argv.slice(2)).catch(report);
