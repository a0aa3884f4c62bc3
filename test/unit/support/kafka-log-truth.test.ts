import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const PUBLISHED_SHA_256 = "d83897061c8b0dd157ebd235accd4436e219cbbbe7738ec202172c90c427a002";

test("the truth tool is the published one, byte for byte", async () => {
  const source = await readFile(new URL("../../support/kafka_log_truth.py", import.meta.url));
  expect(createHash("sha256").update(source).digest("hex")).toBe(PUBLISHED_SHA_256);
});
