import { describe, expect, it } from "vitest";
import { escapeUnseen, quoteForShell, splitForMiddle } from "#components/ui/name-text.ts";

describe("escapeUnseen", () => {
  it("leaves what can be seen as it is", () => {
    expect(escapeUnseen("customer.shipping-address.v2 <b> ключ 🔑")).toBe("customer.shipping-address.v2 <b> ключ 🔑");
  });

  it("writes out controls, text direction marks and lone surrogates", () => {
    expect(escapeUnseen("a\u0000b\nc\u007f")).toBe("a\\u0000b\\nc\\u007f");
    expect(escapeUnseen("pay\u202eout\u200b\u2066")).toBe("pay\\u202eout\\u200b\\u2066");
    expect(escapeUnseen("x\ud800y")).toBe("x\\ud800y");
    expect(escapeUnseen("t\u{e0041}")).toBe("t\\u{e0041}");
  });
});

describe("splitForMiddle", () => {
  it("keeps the end of a long name, and all of it", () => {
    const name = `${"a".repeat(200)}.v2`;
    const { head, tail } = splitForMiddle(name);
    expect(head + tail).toBe(name);
    expect(tail).toHaveLength(10);
    expect(splitForMiddle("short").tail).toBe("");
  });

  it("never cuts through a character", () => {
    const { head, tail } = splitForMiddle("🔑".repeat(30));
    expect(Array.from(head).length + Array.from(tail).length).toBe(30);
    expect(tail.isWellFormed()).toBe(true);
  });
});

describe("quoteForShell", () => {
  it("makes one argument of any visible name and refuses the others", () => {
    expect(quoteForShell("plain.topic-1")).toBe("plain.topic-1");
    expect(quoteForShell("$(rm -rf /)")).toBe("'$(rm -rf /)'");
    expect(quoteForShell("it's")).toBe("'it'\\''s'");
    expect(quoteForShell("-v")).toBe("'-v'");
    expect(quoteForShell("a\nb")).toBeNull();
  });
});
