export type ScanState = "queued" | "running" | "cancelling" | "cancelled" | "succeeded" | "failed";

/** A scan that somebody asked for, as the page and the REST API show it. */
export interface ScanView {
  id: string;
  clusterId: string;
  topic: string;
  state: ScanState;
  requestedAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** Share of the offsets to read that were read, 0 to 1. */
  progress: number;
  recordsScanned: number;
  bytesRead: number;
  partitionsDone: number;
  partitionCount: number;
  /** Milliseconds until it ends at the present rate; null while that is not known. */
  remainingMs: number | null;
  error: string | null;
}
