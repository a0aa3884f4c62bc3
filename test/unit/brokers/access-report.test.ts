import { expect, test } from "vitest";
import { countGranted } from "#lib/brokers/access-report.ts";

test("nothing to try it on is not the same as refused", () => {
  expect(countGranted([], [], "topic")).toEqual({
    outcome: "not-tried",
    detail: "not tried, because no topic can be seen",
  });
});

test("what is refused is counted and named, three at most, hostile names quoted", () => {
  expect(countGranted(["a"], [], "topic")).toMatchObject({ outcome: "granted" });
  expect(countGranted([], ["a"], "group")).toEqual({ outcome: "missing", detail: 'on none of 1 groups ("a")' });
  expect(countGranted(["a", "b"], ["c\u001b[2J", "d", "e", "f"], "topic")).toEqual({
    outcome: "partly",
    detail: 'on 2 of 6 topics, not on "c\\u001b[2J", "d", "e", …',
  });
});
