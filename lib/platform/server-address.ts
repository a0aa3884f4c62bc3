import type { ServerAddress } from "#lib/platform/cluster-config.ts";
import { fail, ok, type Result } from "#lib/platform/result.ts";

/** `host:port`, with an IPv6 address in brackets. */
export function parseServerAddress(text: string): Result<ServerAddress, string> {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port < 1 || port > 65_535) {
    // What stands before an @ may be a password.
    const shown = text.includes("@") ? "This" : JSON.stringify(text);
    return fail(`${shown} is no address. Write HOST:PORT, for example kafka-1.example.com:9092.`);
  }
  return ok({ host: (match[1] ?? match[2])!, port });
}
