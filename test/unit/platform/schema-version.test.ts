import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { SCHEMA_MIGRATION } from "#lib/platform/schema-version.ts";

it("readiness asks for the newest migration that there is", () => {
  const folder = path.resolve(import.meta.dirname, "../../../prisma/migrations");
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(names.sort().at(-1)).toBe(SCHEMA_MIGRATION);
});
