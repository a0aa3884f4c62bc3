import { expect, test } from "vitest";
import { supervise } from "../../../scripts/launcher/supervisor.mjs";

/** A part whose processes end when the test says so. */
function makePart() {
  const processes: { end: (how: string) => void }[] = [];
  const start = async () => {
    let end: (how: string) => void = () => {};
    const exited = new Promise<string>((resolve) => {
      end = resolve;
    });
    processes.push({ end });
    return { pid: processes.length, exited, stop: async () => end("stopped") };
  };
  return { processes, start };
}

test("a part that crashes is told of and started again, until it is stopped", async () => {
  const { processes, start } = makePart();
  const told: string[] = [];
  let runsAgain: () => void = () => {};
  const again = new Promise<void>((resolve) => {
    runsAgain = resolve;
  });
  const report = (state: string, text: string): void => {
    told.push(text);
    if (state === "done") runsAgain();
  };
  const part = await supervise({ name: "worker", start, report, pausesMs: [1] });
  processes[0]!.end("exit code 3");
  await again;
  expect(told).toEqual(["worker ended (exit code 3); it is started again.", "worker runs again."]);
  await part.stop(1000);
  expect(processes).toHaveLength(2);
  expect(part.pid()).toBeNull();
});

test("a part that never worked is not retried: the start fails with its reason", async () => {
  const start = () => Promise.reject(new Error("no such program"));
  await expect(supervise({ name: "web", start, report: () => {} })).rejects.toThrow("no such program");
});

test("a stop during the pause before a restart leaves nothing running", async () => {
  const { processes, start } = makePart();
  let crashTold: () => void = () => {};
  const crashed = new Promise<void>((resolve) => {
    crashTold = resolve;
  });
  const part = await supervise({ name: "worker", start, report: () => crashTold(), pausesMs: [600_000] });
  processes[0]!.end("signal SIGKILL");
  await crashed;
  await part.stop(1000);
  expect(processes).toHaveLength(1);
});
