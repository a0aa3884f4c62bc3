// Postgres refuses to run as root. This finds the account that it runs as, and the way to become it.
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import path from "node:path";

const NAME = "postgres";
// Any id but 0 satisfies Postgres; inside the user namespace it stands for root, so root's folders stay readable.
const NAMESPACE_ID = 1000;

/**
 * How to run the server's programs: {wrap: (command, args) => {command, args}, uid?, gid?}.
 * As an ordinary user: as that user. As root: as the account `postgres`, made where it is missing; where that account can't
 * reach the programs or the data (a folder under /root), in a user namespace.
 */
export function chooseAccount({ binFolder, dataFolder }) {
  const plain = { wrap: (command, args) => ({ command, args }) };
  if (process.getuid?.() !== 0) return plain;
  const existing = existsSync(path.join(dataFolder, "PG_VERSION")) ? statSync(dataFolder).uid : null;
  const account = existing === 0 ? null : findOrMakeAccount();
  if (account !== null && [binFolder, dataFolder].every(isReachableByOthers)) return { ...plain, ...account };
  return { wrap: wrapInNamespace };
}

function wrapInNamespace(command, args) {
  const ids = [`--map-user=${NAMESPACE_ID}`, `--map-group=${NAMESPACE_ID}`];
  return { command: "unshare", args: ["--user", ...ids, command, ...args] };
}

function findOrMakeAccount() {
  try {
    return readIds();
  } catch {
    // Not there yet.
  }
  try {
    execFileSync("groupadd", ["--system", NAME], { stdio: "pipe" });
  } catch {
    // A group of that name may be there without the user.
  }
  try {
    execFileSync("useradd", ["--system", "--gid", NAME, "--no-create-home", "--shell", "/usr/sbin/nologin", NAME], {
      stdio: "pipe",
    });
    return readIds();
  } catch {
    return null;
  }
}

function readIds() {
  const read = (flag) => Number.parseInt(execFileSync("id", [flag, NAME], { encoding: "utf8", stdio: "pipe" }), 10);
  return { uid: read("-u"), gid: read("-g") };
}

/** Whether every folder above (those that exist) lets an account without special rights pass. */
function isReachableByOthers(folder) {
  for (let at = path.dirname(path.resolve(folder)); ; at = path.dirname(at)) {
    if (existsSync(at) && (statSync(at).mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}
