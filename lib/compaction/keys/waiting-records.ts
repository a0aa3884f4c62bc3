/** Records whose keys were hashed and wait to be noted together; columns, oldest first. */
export interface WaitingRecords {
  count: number;
  readonly hi: Int32Array;
  readonly lo: Int32Array;
  readonly size: Float64Array;
  readonly offset: Float64Array;
  readonly timestamp: Float64Array;
  /** Of `RECORD_FLAGS`. */
  readonly flags: Uint8Array;
}

export const RECORD_FLAGS = {
  tombstone: 1,
  /** A tombstone past its delete horizon. */
  expired: 2,
  /** Its hash lies below the sample's threshold, and its key has no second spelling. */
  sampled: 4,
} as const;

export function makeWaitingRecords(size: number): WaitingRecords {
  return {
    count: 0,
    hi: new Int32Array(size),
    lo: new Int32Array(size),
    size: new Float64Array(size),
    offset: new Float64Array(size),
    timestamp: new Float64Array(size),
    flags: new Uint8Array(size),
  };
}
