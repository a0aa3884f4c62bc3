import { estimated } from "#lib/compaction/estimate.ts";
import { type Estimate, exactly } from "#lib/compaction/measurement.ts";
import { type LeaderBytes, type LeaderSegments, partLogBytes } from "#lib/compaction/probe/leader-figures.ts";
import type { ReplicaPosition } from "#lib/compaction/probe/probe-replica.ts";
import { integrateBytes } from "#lib/compaction/probe/retained-estimators.ts";
import type { RetainedRecords } from "#lib/compaction/probe/retained-records.ts";

export interface CheckedSegments {
  segments: LeaderSegments;
  bytes: LeaderBytes;
  retained: RetainedRecords;
}

/** How far the sum may be from the replica's size, as a share of it: by what the sum is made of. */
const TOLERANCE_READ = 0.02;
const TOLERANCE_DENSITY = 0.15;
const TOLERANCE_SAMPLED = 0.3;
/** A ratio that rests on jumps, and whose sum fits, is good to this. */
const JUMPED_SLACK = 0.03;

/**
 * A jump is believed to have stayed in its segment by the density of the bytes; where the sizes of records change within
 * a log that can be wrong, and a whole segment is swallowed. The sum tells: what lies before the clean point and the
 * segments behind it make up the replica. Where it fits to the byte all is exact, where it fits roughly nothing is
 * called exact, where it does not fit the segments are not believed.
 */
export function checkSegments(
  position: ReplicaPosition,
  segments: LeaderSegments,
  total: number,
  retained: RetainedRecords,
): CheckedSegments {
  const bytes = partLogBytes(position, segments, total, retained.cleanBytes);
  const walked = [...(segments.walk?.segments ?? []), ...(segments.uncleanableWalk?.segments ?? [])];
  if (!walked.some(({ isJumped }) => isJumped)) return { segments, bytes, retained };
  const { explorer, cleanPoint } = position;
  const cleanEnd = cleanPoint.interval.low;
  const clean = retained.windows.filter(({ from }) => from < cleanEnd);
  const cleanBytes = retained.cleanBytes ?? integrateBytes(clean, { from: explorer.logStart, to: cleanEnd });
  const counted = bytes.countedAfterCleanPoint;
  const isRead = retained.cleanBytes !== null && counted.exact && explorer.logStart === 0;
  if (counted.value === null) return { segments, bytes: soften(bytes, total), retained };
  const missing = total - cleanBytes - counted.value;
  if (isRead && missing === 0) return { segments, bytes, retained };
  const tolerance = isRead ? TOLERANCE_READ : retained.cleanBytes !== null ? TOLERANCE_DENSITY : TOLERANCE_SAMPLED;
  // A moved log start may leave bytes of its segment that can't be read.
  const hidden = explorer.logStart > 0 && missing > 0 ? explorer.segmentBytes : 0;
  if (Math.abs(missing) <= tolerance * total + hidden) return { segments, bytes: soften(bytes, total), retained };
  return disbelieve(position, bytes, total, retained);
}

function soften(bytes: LeaderBytes, total: number): LeaderBytes {
  const about = (estimate: Estimate, scale: number): Estimate =>
    estimate.exact && estimate.value !== 0
      ? estimated(
          estimate.value,
          Math.max(0, estimate.low - JUMPED_SLACK * scale),
          Math.min(scale, estimate.high + JUMPED_SLACK * scale),
        )
      : estimate;
  return {
    ...bytes,
    dirtyRatio: about(bytes.dirtyRatio, 1),
    cleanBytes: about(bytes.cleanBytes, total),
    cleanableBytes: about(bytes.cleanableBytes, total),
  };
}

function disbelieve(
  { explorer, cleanPoint, offsets }: ReplicaPosition,
  bytes: LeaderBytes,
  total: number,
  retained: RetainedRecords,
): CheckedSegments {
  const { low } = cleanPoint.interval;
  const any = estimated(null, 0, total);
  const seen = retained.windows.reduce((sum, window) => sum + window.records, 0);
  const isSampled = retained.cleanBytes === null && retained.records !== null && !retained.records.exact;
  const cleanBytes = retained.cleanBytes === null ? any : exactly(Math.min(total, retained.cleanBytes));
  return {
    segments: {
      active: null,
      walk: null,
      uncleanableWalk: null,
      firstUncleanable: { low, high: Math.max(low, explorer.highWatermark) },
    },
    bytes: {
      ...bytes,
      dirtyRatio: estimated(null, 0, 1),
      cleanBytes,
      cleanableBytes: any,
      activeBytes: null,
      afterCleanPoint: estimated(null, total - cleanBytes.high, total - cleanBytes.low),
    },
    retained: isSampled
      ? { ...retained, records: estimated(null, Math.floor(seen), offsets.lastStable - offsets.logStart) }
      : retained,
  };
}
