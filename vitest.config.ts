import { defineConfig } from "vitest/config";

const NEVER_TESTS = ["**/node_modules/**", "**/.keyfold/**", "**/.next/**"];

/** One file at a time in one process: the files share real servers, and two cores are not many. */
const ONE_AT_A_TIME = {
  pool: "forks",
  maxWorkers: 1,
  isolate: false,
  fileParallelism: false,
  retry: 0,
  testTimeout: 180_000,
  hookTimeout: 300_000,
  teardownTimeout: 60_000,
} as const;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.{ts,tsx}"],
          exclude: NEVER_TESTS,
          pool: "threads",
          testTimeout: 20_000,
          retry: 0,
        },
      },
      {
        test: { name: "brokers", include: ["test/brokers/**/*.test.ts"], exclude: NEVER_TESTS, ...ONE_AT_A_TIME },
      },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          exclude: NEVER_TESTS,
          ...ONE_AT_A_TIME,
        },
      },
      {
        test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], exclude: NEVER_TESTS, ...ONE_AT_A_TIME },
      },
    ],
  },
});
