import { expect, test } from "vitest";
import { holdsAll } from "../../../scripts/launcher/install.mjs";

const wanted = {
  "": { version: "0.1.0" },
  "node_modules/next": { version: "16.4.6" },
  "node_modules/@next/swc-darwin-arm64": { version: "16.4.6", optional: true },
};

test("packages of other systems may be missing", () => {
  expect(holdsAll({ "node_modules/next": { version: "16.4.6" } }, wanted)).toBe(true);
});

test("another version, or none, means that packages have to be installed", () => {
  expect(holdsAll({ "node_modules/next": { version: "16.4.5" } }, wanted)).toBe(false);
  expect(holdsAll({}, wanted)).toBe(false);
});
