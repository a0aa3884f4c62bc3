import { describe, expect, test } from "vitest";
import { judgeVitestReport } from "../../../../scripts/checks/vitest-report.mjs";

const ENDED = { code: 0, problem: null };
const file = (name: string, statuses: string[], status = "passed", message = "") => ({
  name,
  status,
  message,
  assertionResults: statuses.map((one, i) => ({ status: one, fullName: `test ${i}` })),
});

test("passed and failed tests are counted", () => {
  const report = { testResults: [file("/a", ["passed", "passed"]), file("/b", ["failed", "passed"], "failed")] };
  expect(judgeVitestReport(report, ["/a", "/b"], { code: 1, problem: null })).toEqual({
    passed: 3,
    failed: 1,
    problems: [],
  });
});

describe("what did not run counts as failed", () => {
  test.each([
    ["a file that is missing in the report", { testResults: [file("/a", ["passed"])] }, ["/a", "/b"], ENDED],
    ["a skipped test", { testResults: [file("/a", ["passed", "skipped"])] }, ["/a"], ENDED],
    ["a test that is still to do", { testResults: [file("/a", ["passed", "todo"])] }, ["/a"], ENDED],
    [
      "a file that could not be loaded",
      { testResults: [file("/a", ["passed"]), file("/b", [], "failed", "x")] },
      ["/a", "/b"],
      ENDED,
    ],
    ["a hook that failed after the tests", { testResults: [file("/a", ["passed"], "failed")] }, ["/a"], ENDED],
    ["a file without a test", { testResults: [file("/a", ["passed"]), file("/b", [])] }, ["/a", "/b"], ENDED],
    ["an error outside the tests", { testResults: [file("/a", ["passed"])] }, ["/a"], { code: 1, problem: null }],
    ["a run that was ended", { testResults: [file("/a", ["passed"])] }, ["/a"], { code: null, problem: "too long" }],
  ])("%s", (_, report, files, end) => {
    const counts = judgeVitestReport(report, files, end);
    expect(counts).toMatchObject({ passed: 1, failed: 1 });
    expect(counts.problems).toHaveLength(1);
  });

  test("all files, where there is no report", () => {
    expect(judgeVitestReport(null, ["/a", "/b"], { code: 1, problem: null })).toMatchObject({ passed: 0, failed: 2 });
  });

  test("a stage without a test file", () => {
    expect(judgeVitestReport({ testResults: [] }, [], ENDED)).toMatchObject({ passed: 0, failed: 1 });
  });
});
