// @ts-check
/** Files of the repository, without what is downloaded, built or generated. */
import { readdirSync } from "node:fs";
import path from "node:path";

const NOT_OURS = new Set(["node_modules", ".git", ".next", ".keyfold", "generated", "test-results"]);

/**
 * @param {string} root
 * @param {(file: string) => boolean} [wanted]
 * @returns {string[]} paths from `root`, with slashes, in order
 */
export function listSourceFiles(root, wanted = () => true) {
  /** @type {string[]} */
  const files = [];
  const visit = (/** @type {string} */ folder) => {
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!NOT_OURS.has(entry.name)) visit(name);
      } else if (entry.isFile() && wanted(name)) files.push(name);
    }
  };
  visit("");
  return files.sort();
}
