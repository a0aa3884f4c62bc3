import { describe, expect, it } from "vitest";
import { decodeSegment, paths } from "#lib/http/paths.ts";

const lastSegment = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

describe("paths", () => {
  it("gives every address that pages and the API have", () => {
    expect([
      paths.fleet(),
      paths.topic("prod-eu1", "customer.address"),
      paths.api.fleet(),
      paths.api.topic("prod-eu1", "customer.address"),
      paths.api.scans("prod-eu1", "customer.address"),
      paths.api.scan("prod-eu1", "customer.address", "7"),
      paths.api.scanCancellation("prod-eu1", "customer.address", "7"),
      paths.api.events(),
    ]).toEqual([
      "/",
      "/clusters/prod-eu1/topics/customer.address",
      "/api/v1/fleet",
      "/api/v1/clusters/prod-eu1/topics/customer.address",
      "/api/v1/clusters/prod-eu1/topics/customer.address/scans",
      "/api/v1/clusters/prod-eu1/topics/customer.address/scans/7",
      "/api/v1/clusters/prod-eu1/topics/customer.address/scans/7/cancellation",
      "/api/v1/events",
    ]);
  });

  it.each([
    "<img src=x onerror=alert(1)>",
    "a?b#c&d=e",
    "50%41",
    "abc\u202edef",
    "line\nbreak\u0000",
    "x".repeat(249),
    "ключ 🔑",
  ])("keeps the name %j in one segment and gives it back", (name) => {
    const path = paths.topic("c", name);
    expect(new URL(path, "http://h").pathname).toBe(path);
    expect(decodeSegment(lastSegment(path))).toBe(name);
  });

  it.each(["a/b", ".", "..", "a\\b"])("puts %j, which can't be a segment, into the query", (name) => {
    const url = new URL(paths.topic("c", name), "http://h");
    expect(url.pathname).toBe("/clusters/c/topics");
    expect(url.searchParams.get("name")).toBe(name);
  });

  it("survives names that have no UTF-8 form and segments that are no encoding", () => {
    expect(paths.topic("c", "a\ud800")).toBe("/clusters/c/topics/a%EF%BF%BD");
    expect(decodeSegment("50%")).toBe("50%");
  });
});
