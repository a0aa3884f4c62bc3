/** What may happen to a scan in which state: one table for commands, for the worker and for disabled buttons. */
import type { ScanState } from "#lib/scans/scan-view.ts";

export const SCAN_TRANSITIONS = {
  /** A worker takes it, or takes it over from one that is no longer heard of. */
  claim: { queued: "running", running: "running" },
  report: { running: "running", cancelling: "cancelling" },
  requestCancellation: { queued: "cancelled", running: "cancelling" },
  confirmCancellation: { cancelling: "cancelled" },
  succeed: { running: "succeeded" },
  fail: { queued: "failed", running: "failed" },
} as const satisfies Record<string, Partial<Record<ScanState, ScanState>>>;

export type ScanAction = keyof typeof SCAN_TRANSITIONS;

/** The state after `action`; null where the action is not allowed in `state`. */
export function nextScanState(state: ScanState, action: ScanAction): ScanState | null {
  const transitions: Partial<Record<ScanState, ScanState>> = SCAN_TRANSITIONS[action];
  return transitions[state] ?? null;
}

/** The states in which `action` is allowed. */
export const statesFor = (action: ScanAction): ScanState[] => Object.keys(SCAN_TRANSITIONS[action]) as ScanState[];

export const OPEN_SCAN_STATES: readonly ScanState[] = ["queued", "running", "cancelling"];
