// Installs the packages with `npm ci` where they are missing or are not those of package-lock.json.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { runCommand } from "./run-command.mjs";

/** The Node that package-lock.json pins, or null where it is not installed. */
export function findPinnedNode(root) {
  const file = path.join(root, "node_modules", ".bin", "node");
  return existsSync(file) ? file : null;
}

/** Whether this process already runs on the pinned Node. */
export function isPinnedNode(root) {
  const pinned = findPinnedNode(root);
  return pinned !== null && realpathSync(pinned) === realpathSync(process.execPath);
}

/** Whether node_modules holds what package-lock.json asks for. */
export function isInstalled(root) {
  const wanted = readJson(path.join(root, "package-lock.json"));
  const present = readJson(path.join(root, "node_modules", ".package-lock.json"));
  return findPinnedNode(root) !== null && present !== null && holdsAll(present.packages, wanted?.packages ?? {});
}

/** npm leaves optional packages of other systems out of node_modules, and lists in both files what it placed where. */
export function holdsAll(present, wanted) {
  return Object.entries(wanted).every(
    ([place, entry]) => place === "" || entry.optional || entry.link || present[place]?.version === entry.version,
  );
}

export async function installPackages({ root, logFile, signal }) {
  // npm must not run on the Node that it is about to delete from node_modules.
  const searchPath = (process.env.PATH ?? "").split(path.delimiter);
  const outside = searchPath.filter((folder) => !folder.includes("node_modules")).join(path.delimiter);
  const env = { ...process.env, PATH: outside };
  await runCommand({ name: "npm ci", command: "npm", args: ["ci", "--no-audit"], cwd: root, env, logFile, signal });
  if (!isInstalled(root)) {
    throw new Error(
      "npm ci ended well, but node_modules is not complete. Is npm set to leave out development packages?",
    );
  }
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}
