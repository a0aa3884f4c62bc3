import { expect, test } from "vitest";
import { createProgress } from "../../../scripts/launcher/progress.mjs";
import { renderProgressPage } from "../../../scripts/launcher/progress-page.mjs";

const silent = { line: () => {}, mark: () => {} };

test("a failure's text can't bring markup into the page", async () => {
  const progress = createProgress(silent);
  const step = progress.run("build", "Build", () => Promise.reject(new Error('<img src="x" onerror=alert(1)>')));
  await expect(step).rejects.toThrow();
  const page = renderProgressPage(progress.snapshot());
  expect(page).not.toContain("<img");
  expect(page).toContain("&#60;img src=&#34;x&#34; onerror=alert(1)&#62;");
  expect(page).toContain("Something went wrong");
});

test("steps keep their times when the launcher goes on in another process", () => {
  let at = 1000;
  const now = (): number => at;
  const first = createProgress(silent, { now });
  first.begin("install", "Install packages");
  at = 48_000;
  first.end("install", "done");
  const second = createProgress(silent, { resumed: first.snapshot(), now });
  at = 50_000;
  const page = renderProgressPage(second.snapshot());
  expect(page).toContain("Started 49 s ago");
  expect(page).toContain('<span class="time">47 s</span>');
});
