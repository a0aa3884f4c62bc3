import { describe, expect, it } from "vitest";
import { isLoopbackHost, refuseForeign } from "#lib/http/loopback-guard.ts";

const head = { method: "GET", host: "127.0.0.1:3000", origin: null, fetchSite: null };

describe("the loopback guard", () => {
  it.each([
    "localhost",
    "localhost:3000",
    "LOCALHOST:1",
    "a.localhost:80",
    "127.0.0.1",
    "127.8.9.1:3000",
    "[::1]:3000",
  ])("lets %s pass", (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:3000",
    "127.0.0.999",
    "",
    "[::2]:3000",
    "10.0.0.1",
  ])("refuses the host %j, which may be another site's name for this machine", (host) => {
    expect(refuseForeign({ ...head, host })).toBe("host-not-loopback");
  });

  it("refuses a change that another origin's page sends", () => {
    const post = { ...head, method: "POST" };
    expect(refuseForeign({ ...post, origin: "https://evil.example" })).toBe("origin-foreign");
    expect(refuseForeign({ ...post, origin: "http://127.0.0.1:4000" })).toBe("origin-foreign");
    expect(refuseForeign({ ...post, origin: "null" })).toBe("origin-foreign");
    expect(refuseForeign({ ...post, fetchSite: "cross-site" })).toBe("origin-foreign");
  });

  it("lets Keyfold's own pages and programs change things", () => {
    const post = { ...head, method: "POST" };
    expect(refuseForeign({ ...post, origin: "http://127.0.0.1:3000", fetchSite: "same-origin" })).toBeNull();
    expect(refuseForeign(post)).toBeNull();
  });
});
