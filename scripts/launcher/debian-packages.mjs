// Java and Maven for the demo, where this machine is a Debian and the launcher may install there.
import { existsSync } from "node:fs";
import { runCommand } from "./run-command.mjs";

export function canInstallPackages() {
  return process.getuid?.() === 0 && existsSync("/etc/debian_version") && existsSync("/usr/bin/apt-get");
}

export async function installDebianPackages(packages, { logFile, signal }) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const run = (args) => runCommand({ name: `apt-get ${args[0]}`, command: "apt-get", args, env, logFile, signal });
  await run(["update"]);
  await run(["install", "--yes", "--no-install-recommends", ...packages]);
}
