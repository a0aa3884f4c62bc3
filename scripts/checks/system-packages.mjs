// @ts-check
/** Programs of the operating system that the tests run: installed where this is Debian and root, else named. */

import { runProgram } from "../kafka/install-kafka.mjs";
import { canInstallPackages, installDebianPackages } from "../launcher/debian-packages.mjs";

/** Debian's package, and a command that works where it is installed. */
const NEEDED = /** @type {const} */ ([
  ["openjdk-17-jdk-headless", "java", ["-version"]],
  ["maven", "mvn", ["-version"]],
  ["chromium", "chromium", ["--version"]],
  ["kcat", "kcat", ["-V"]],
  ["python3-venv", "python3", ["-c", "import venv, ensurepip"]],
]);

async function listMissing() {
  const found = await Promise.all(
    NEEDED.map(async ([name, program, args]) => ({ name, ok: (await runProgram(program, [...args])).code === 0 })),
  );
  return found.filter(({ ok }) => !ok).map(({ name }) => name);
}

/** @param {string} logFile @returns {Promise<string[]>} what is wrong, a line each */
export async function provideSystemPackages(logFile) {
  const missing = await listMissing();
  if (missing.length === 0) return [];
  if (canInstallPackages()) {
    console.log(`Installing ${missing.join(" ")}`);
    await installDebianPackages(missing, { logFile, signal: undefined }).catch((error) => console.log(error.message));
  }
  const left = await listMissing();
  return left.length === 0 ? [] : [`missing; on Debian or Ubuntu: apt-get install ${left.join(" ")}`];
}
