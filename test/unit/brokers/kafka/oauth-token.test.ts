import { expect, test } from "vitest";
import { lifeMs, parseToken } from "#lib/brokers/kafka/oauth-token.ts";

const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;

test("a bare token and a token answer are both read", () => {
  expect(parseToken("abc\n", "The command").value).toBe("abc");
  expect(parseToken('{"access_token":"abc","expires_in":"60"}', "The command")).toEqual({
    value: "abc",
    expiresInSeconds: 60,
  });
});

test("a token that says its end is kept until then, where the answer does not say", () => {
  const { expiresInSeconds } = parseToken(jwt({ exp: Date.now() / 1000 + 100 }), "The command");
  expect(expiresInSeconds).toBeGreaterThan(95);
  expect(expiresInSeconds).toBeLessThanOrEqual(100);
  expect(parseToken(jwt({}), "The command").expiresInSeconds).toBeNull();
});

test.each(["", "{}", "{broken", "two words", '{"access_token":7}'])("%j is refused without being repeated", (text) => {
  expect(() => parseToken(text, "The command")).toThrow(
    "The command gave no token. It must give JSON with `access_token`, or the bare token.",
  );
});

test("a token is renewed before its end, and used once where its end is unknown", () => {
  expect(lifeMs(3600)).toBe(2_880_000);
  expect(lifeMs(30)).toBe(20_000);
  expect(lifeMs(5)).toBe(0);
  expect(lifeMs(null)).toBe(0);
});
