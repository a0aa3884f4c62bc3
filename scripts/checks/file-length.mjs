// @ts-check
/** No file is longer than can be read in one go. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { listSourceFiles } from "./source-files.mjs";

const MOST_LINES = 400;
const CHECKED = /[.](ts|tsx|mjs|js|css)$/;

/** @param {string} text */
export const countLines = (text) => (text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0));

/** @param {string} root @returns {string[]} what is wrong, a line each */
export function findLongFiles(root) {
  const files = listSourceFiles(root, (file) => CHECKED.test(file) && file !== "next-env.d.ts");
  if (files.length === 0) return ["no source file was found"];
  return files.flatMap((file) => {
    const lines = countLines(readFileSync(path.join(root, file), "utf8"));
    return lines > MOST_LINES ? [`${file}: ${lines} lines, at most ${MOST_LINES}. Split it by what it is about.`] : [];
  });
}
