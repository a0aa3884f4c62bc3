/**
 * What measuring a partition or a topic gives. Every figure is a value with an interval and says whether it is exact;
 * null where the mode can't know it. Offsets, bytes and counts are numbers (the adapter refuses offsets above 2^53 - 1).
 */

export type MeasurementMode = "probe" | "scan";

/** `low` and `high` bound the truth (about 95 % where sampling is involved); `value` is null where only bounds are known. */
export interface Estimate {
  value: number | null;
  low: number;
  high: number;
  exact: boolean;
}

/** An offset that lies within, both inclusive. */
export interface OffsetInterval {
  low: number;
  high: number;
}

export const exactly = (value: number): Estimate => ({ value, low: value, high: value, exact: true });

export const WARNING_CODES = {
  "cleaned-during-scan": "The cleaner moved the clean point while the log was read; the figures are not exact.",
  "cleaning-in-progress": "Two looks at the log contradict each other: it is being cleaned right now.",
  "budget-ended": "The budget of fetches or bytes ended before the interval was narrow.",
  "offset-map-full": "The cleaner's offset map was full in its last run: the clean point lies inside a segment.",
  "no-rewrites": "Nothing was rewritten in between, so that nobody outside can tell where the cleaner stands.",
  "peeks-off": "Large segments could not be measured: a quota or fetch.max.bytes is below what it takes.",
  throttled: "The broker throttled this client id.",
  "active-segment-not-reached": "The base of the active segment was not found.",
  "held-by-transaction": "An open transaction holds back the last stable offset; the cleaner does not pass it.",
  "log-start-moved": "The log start moved while the log was read.",
  "leader-moved": "The leader moved while the log was read; it was read on from the new one.",
  resumed: "The scan was resumed from a stored state; it is not exact.",
  "format-not-measured": "Records of an old format were met and could not be walked.",
  "size-unknown": "The size of the replica is not known (right to describe log directories missing?).",
  "replica-unreadable": "A follower could not be read.",
  "replica-behind": "A replica was cleaned less far than its leader.",
  "topic-recreated": "The topic was deleted and made again while it was read.",
  "topic-deleted": "The topic was deleted while it was read.",
  "not-on-this-system": "This system does not keep its log in a way that can be measured from outside.",
  "partition-failed": "A partition could not be measured; sums leave it out.",
} as const satisfies Record<string, string>;

export type WarningCode = keyof typeof WARNING_CODES;

export interface MeasurementWarning {
  code: WarningCode;
  message: string;
}

export type ReplicaState = "ok" | "behind" | "quarantined" | "cleaner-off" | "unknown";

export interface ReplicaMeasurement {
  brokerId: number;
  leader: boolean;
  bytes: number | null;
  cleanPoint: OffsetInterval | null;
  state: ReplicaState;
}

/** A column of the log strip: of the offsets from `from` (inclusive) to `to` (exclusive), the share that still hold a record. */
export interface KeptColumn {
  from: number;
  to: number;
  /** 0 to 1; null where no window looked. */
  share: number | null;
}

/** Where things lie within the log, for the strip. Bytes count from the log start. */
export interface LogShape {
  lastStableOffset: number;
  /** First offset that the cleaner may not clean yet (transaction, compaction lag or active segment). */
  firstUncleanableOffset: OffsetInterval;
  cleanBytes: Estimate | null;
  /** Bytes from the clean point to the first uncleanable offset. */
  cleanableBytes: Estimate | null;
  activeBytes: Estimate | null;
  kept: KeptColumn[];
}

/** What is measured of a partition and of a whole topic alike. */
interface MeasuredFigures {
  topic: string;
  mode: MeasurementMode;
  offsetSpan: number;
  /** Size of the leader's replica, for a topic their sum; null where it is not known. */
  bytes: number | null;
  retainedRecords: Estimate | null;
  distinctKeys: Estimate | null;
  liveKeys: Estimate | null;
  tombstones: Estimate | null;
  nullKeyRecords: Estimate | null;
  supersededRecords: Estimate | null;
  /** Records at or after the last stable offset that was taken at the start. */
  heldRecords: number | null;
  dirtyRatio: Estimate | null;
  removableShare: Estimate | null;
  fetches: number;
  fetchedBytes: number;
  durationMs: number;
  warnings: MeasurementWarning[];
  /** Milliseconds since the epoch, when measuring began. */
  measuredAt: number;
}

export interface PartitionMeasurement extends MeasuredFigures {
  partition: number;
  logStartOffset: number;
  logEndOffset: number;
  cleanPoint: OffsetInterval | null;
  activeSegmentBase: OffsetInterval | null;
  replicas: ReplicaMeasurement[] | null;
  /** Of the fetches, what finding positions in the leader's log took; null for a scan. */
  positionCost: { fetches: number; fetchedBytes: number } | null;
  shape: LogShape | null;
}

export interface TopicMeasurement extends MeasuredFigures {
  partition: null;
  keysInSeveralPartitions: Estimate | null;
  /** Partition with the highest cleaner ratio; null where no ratio is known. */
  worstPartition: number | null;
}
