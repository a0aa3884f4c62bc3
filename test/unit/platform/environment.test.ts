import { expect, test } from "vitest";
import { parseEnvironment } from "#lib/platform/environment.ts";

test("everything has a default, and paths are absolute", () => {
  const parsed = parseEnvironment({}, "/srv");
  expect(parsed).toEqual({
    ok: true,
    value: {
      port: 3000,
      databaseUrl: null,
      databaseMigrationUrl: null,
      configPath: null,
      dataDirectory: "/srv/.keyfold",
      secretPath: "/srv/.keyfold/secret",
    },
  });
});

test("the installation's secret is in the data folder unless it is named", () => {
  const moved = parseEnvironment({ KEYFOLD_DATA: "/var/lib/keyfold" }, "/srv");
  expect(moved.ok && moved.value.secretPath).toBe("/var/lib/keyfold/secret");
  const named = parseEnvironment({ KEYFOLD_SECRET_FILE: "run/secret" }, "/srv");
  expect(named.ok && named.value.secretPath).toBe("/srv/run/secret");
});

test("a variable set to nothing counts as not set", () => {
  const parsed = parseEnvironment({ PORT: "", DATABASE_URL: "" }, "/srv");
  expect(parsed.ok && parsed.value.port).toBe(3000);
});

test("each variable that is wrong is named, and no value is repeated", () => {
  const parsed = parseEnvironment({ PORT: "http", DATABASE_URL: "mysql://u:hunter2@h/d" }, "/srv");
  expect(parsed.ok).toBe(false);
  if (parsed.ok) return;
  expect(parsed.error[0]).toBe("Environment variable PORT must be a port number, 1 to 65535.");
  expect(parsed.error[1]).toMatch(/^Environment variable DATABASE_URL must be an address such as postgres:/);
  expect(parsed.error.join()).not.toContain("hunter2");
});
