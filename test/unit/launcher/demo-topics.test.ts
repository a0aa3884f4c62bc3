import { expect, test } from "vitest";
import { DEMO_TOPICS, TRANSACTION_TOPIC } from "../../../scripts/demo/topics.mjs";

test("the demo writes less than 200 records a second", () => {
  expect(DEMO_TOPICS.reduce((sum, topic) => sum + topic.perSecond, 0)).toBeLessThan(200);
});

test("every topic has a name of its own, and the transaction stays open on one of them", () => {
  const names = DEMO_TOPICS.map((topic) => topic.name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain(TRANSACTION_TOPIC);
});

test("only a topic that is not compacted at first gets records without a key", () => {
  for (const topic of DEMO_TOPICS) {
    const first = Array.from({ length: 100 }, (_, n) => (topic.initialRecord ?? topic.record)(n));
    const later = Array.from({ length: 100 }, (_, n) => topic.record(topic.initial + n));
    const isKeyless = (record: { key: string | null }): boolean => record.key === null;
    if (topic.config["cleanup.policy"] === "compact") expect(first.some(isKeyless)).toBe(false);
    expect(later.some(isKeyless)).toBe(false);
  }
});
