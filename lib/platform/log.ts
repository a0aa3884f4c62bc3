/**
 * JSON lines on standard output. Fields are named by the caller one by one; no object of a client, of the configuration
 * or of a record is ever passed whole, so that no key, value or secret gets here.
 */
export type LogLevel = "info" | "warn" | "error";
export type LogFields = Record<string, string | number | boolean | null | undefined>;

export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>;

export function createLog(part: string, write: (line: string) => void = (line) => process.stdout.write(line)): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void =>
      write(`${JSON.stringify({ at: new Date().toISOString(), level, part, message, ...fields })}\n`);
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

/**
 * The messages of an error and of its causes, in one line. A message that ends as a sentence was written for people and
 * says it all; what lies behind it is a client's own text, which may hold anything.
 */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  for (let cause = error, depth = 0; cause !== undefined && cause !== null && depth < 5; depth++) {
    const message = cause instanceof Error ? cause.message : String(cause);
    if (message && !parts.some((part) => part.includes(message))) parts.push(message.replace(/\s+/g, " ").trim());
    cause = cause instanceof Error && !message.endsWith(".") ? cause.cause : undefined;
  }
  return parts.join(": ").slice(0, 500) || "unknown error";
}
