import { describe, expect, it } from "vitest";
import { nextScanState, SCAN_TRANSITIONS, type ScanAction } from "#lib/scans/scan-states.ts";
import type { ScanState } from "#lib/scans/scan-view.ts";

const STATES: ScanState[] = ["queued", "running", "cancelling", "cancelled", "succeeded", "failed"];
const LEGAL: Record<ScanAction, Partial<Record<ScanState, ScanState>>> = {
  claim: { queued: "running", running: "running" },
  report: { running: "running", cancelling: "cancelling" },
  requestCancellation: { queued: "cancelled", running: "cancelling" },
  confirmCancellation: { cancelling: "cancelled" },
  succeed: { running: "succeeded" },
  fail: { queued: "failed", running: "failed" },
};

describe("the states of a scan", () => {
  for (const action of Object.keys(SCAN_TRANSITIONS) as ScanAction[]) {
    for (const state of STATES) {
      const next = LEGAL[action][state] ?? null;
      it(`${action} of a ${state} scan ${next === null ? "is refused" : `makes it ${next}`}`, () => {
        expect(nextScanState(state, action)).toBe(next);
      });
    }
  }

  it("has no way out of an end", () => {
    for (const ended of ["cancelled", "succeeded", "failed"] as const) {
      for (const action of Object.keys(SCAN_TRANSITIONS) as ScanAction[]) {
        expect(nextScanState(ended, action)).toBeNull();
      }
    }
  });
});
