// Tells whether sources changed since something was made from them.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

/** SHA-256 over names and contents of the given files and folders (those that exist), in a fixed order. */
export function hashContents(root, places) {
  const hash = createHash("sha256");
  for (const place of places) addPlace(hash, root, place);
  return hash.digest("hex");
}

function addPlace(hash, root, place) {
  const full = path.join(root, place);
  if (!existsSync(full)) return;
  if (statSync(full).isDirectory()) {
    for (const name of readdirSync(full).sort()) addPlace(hash, root, path.join(place, name));
    return;
  }
  const content = readFileSync(full);
  hash.update(`${place}\0${content.length}\0`).update(content);
}

export function readStamp(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

export function writeStamp(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
