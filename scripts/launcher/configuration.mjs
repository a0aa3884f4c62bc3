// Checks the configuration file before anything is started: the worker would only end again and again over a mistake in it.
import { formatConfigProblem, loadConfig } from "../../lib/platform/config.ts";

/** @throws Error whose message tells every mistake, with its line and what to write */
export async function checkConfiguration(file) {
  const config = loadConfig(file);
  if (!config.ok) throw new Error(config.error.map(formatConfigProblem).join("\n"));
}
