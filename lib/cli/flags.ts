/** Command line flags by `node:util`'s parseArgs, with errors that name the flag and the remedy. */
import { type ParseArgsOptionDescriptor, parseArgs } from "node:util";
import { CommandError } from "#lib/cli/command-error.ts";
import { suggestName } from "#lib/platform/suggest-name.ts";

type Options = Record<string, ParseArgsOptionDescriptor>;
type FlagValues<T extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; strict: true; allowPositionals: false }>
>["values"];

const SECRETS = ["password", "username", "client-secret", "secret", "token", "key", "cert", "ca", "sasl", "tls"];

/** @throws CommandError (wrong use) */
export function parseFlags<T extends Options>(argv: readonly string[], options: T): FlagValues<T> {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw CommandError.usage(explain(error as NodeJS.ErrnoException, Object.keys(options)));
  }
}

function explain(error: NodeJS.ErrnoException, known: readonly string[]): string {
  const flag = /'(-[^' ]*)/.exec(error.message)?.[1] ?? "";
  const name = flag.replace(/^-+/, "").replace(/=.*$/, "");
  switch (error.code) {
    case "ERR_PARSE_ARGS_UNKNOWN_OPTION":
      return explainUnknown(name, known);
    case "ERR_PARSE_ARGS_INVALID_OPTION_VALUE":
      return /does not take an argument/.test(error.message)
        ? `--${name} takes no value. Write it alone.`
        : `--${longName(error.message, name)} needs a value after it.`;
    case "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL":
      return "There is a word without a flag before it. Every value follows its flag, such as --topic NAME.";
    default:
      throw error;
  }
}

/** parseArgs writes options that have a short form as `-s, --long <value>`. */
const longName = (message: string, name: string): string => /--([\w-]+)/.exec(message)?.[1] ?? name;

function explainUnknown(name: string, known: readonly string[]): string {
  if (SECRETS.includes(name)) {
    return `There is no flag --${name}: secrets are never arguments. Put the cluster into a file and use --config FILE --cluster ID.`;
  }
  const meant = suggestName(name, known);
  const hint = meant ? `Did you mean --${meant}?` : `Flags are: ${known.map((each) => `--${each}`).join(", ")}.`;
  return `There is no flag --${name}. ${hint}`;
}
