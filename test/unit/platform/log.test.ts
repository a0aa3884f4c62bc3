import { describe, expect, it } from "vitest";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { describeError } from "#lib/platform/log.ts";

describe("describeError", () => {
  it("says nothing of what a client wrote behind a message that was made for people", () => {
    const cause = new Error("connect ECONNREFUSED 10.0.0.1:9092 as user:password");
    const error = new BrokerError("unreachable", "10.0.0.1:9092 can't be reached. Check the address.", { cause });
    expect(describeError(error)).toBe("10.0.0.1:9092 can't be reached. Check the address.");
  });

  it("tells a program's error with its causes, each once, in one line", () => {
    const cause = new Error("deadlock\n  detected", { cause: new Error("deadlock") });
    expect(describeError(new Error("a poll was not stored", { cause }))).toBe(
      "a poll was not stored: deadlock detected",
    );
  });

  it("copes with what is no error, and with causes that go in a circle", () => {
    const circle = new Error("round");
    circle.cause = circle;
    expect(describeError(circle)).toBe("round");
    expect(describeError("text")).toBe("text");
    expect(describeError(null)).toBe("unknown error");
  });
});
