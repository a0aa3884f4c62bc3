/**
 * What the measurements say about a topic's compaction, and no more: no word here claims that a topic is a system of
 * record, and what was not measured is "not known". Pure.
 */
import type { Estimate, PartitionMeasurement, ReplicaMeasurement } from "#lib/compaction/measurement.ts";
import { formatCount } from "#lib/platform/format-count.ts";

/** The five states that pages draw: holds, will break or costs, broken, cannot be told, running or waiting. */
export type StateKind = "ok" | "watch" | "broken" | "unknown" | "run";

export type StandingId =
  | "not-measured"
  | "not-on-this-system"
  | "empty"
  | "held"
  | "replica-quarantined"
  | "replica-cleaner-off"
  | "replica-behind"
  | "also-deletes"
  | "null-keys"
  | "never-rolled"
  | "nothing-cleaned"
  | "due"
  | "cleaning"
  | "clean-point-open"
  | "compacting";

export interface Standing {
  id: StandingId;
  state: StateKind;
  /** A few words for a table. */
  word: string;
  /** The verdict in one sentence. */
  sentence: string;
  /** What follows from it, or why it is not known. */
  why: string;
  /** The partition that it is about; null where it is about the whole topic. */
  partition: number | null;
  brokerId: number | null;
}

export interface StandingInput {
  /** `cleanup.policy` as Kafka has it. */
  cleanupPolicy: string;
  /** Newest measurement of each partition that is known; a fleet row knows the worst one only. */
  partitions: readonly PartitionMeasurement[];
  /** Records without a key that were counted; null where nobody counted. */
  nullKeyRecords: number | null;
  dirtyRatioLimit: number | null;
  /** Whether retention can delete anything; null where the settings are not known. */
  retentionDeletes: boolean | null;
  /** Why there is no measurement, where somebody knows. */
  unmeasuredReason: string | null;
}

/** An open transaction is news once what it holds back is this share of the offsets: short ones are always open somewhere. */
const HELD_SHARE_MIN = 0.05;
/** "Never rolled" is news once compaction would free this share. */
const NEVER_ROLLED_REMOVABLE_MIN = 0.5;

const SEVERITY: Record<StateKind, number> = { broken: 0, watch: 1, run: 2, unknown: 3, ok: 4 };

/**
 * How a partition may stand, worst first. Which of its replicas is behind for which reason is known later than the rest,
 * so these share a place.
 */
const PARTITION_RANK: Partial<Record<StandingId, number>> = {
  held: 0,
  "replica-quarantined": 1,
  "replica-cleaner-off": 1,
  "replica-behind": 1,
  "never-rolled": 2,
  due: 3,
  cleaning: 4,
  "not-on-this-system": 5,
  "not-measured": 6,
  "clean-point-open": 7,
  "nothing-cleaned": 8,
  compacting: 9,
  empty: 10,
};

/** Place of a partition's standing in the order in which partitions are told; the lowest is the worst. */
export const rankStanding = ({ id }: Standing): number => PARTITION_RANK[id] ?? Number.MAX_SAFE_INTEGER;

/** Worst first; of two that stand alike the one with the higher cleaner ratio is worse. */
export function orderByStanding(
  partitions: readonly PartitionMeasurement[],
  dirtyRatioLimit: number | null,
): PartitionMeasurement[] {
  const part = (estimate: Estimate | null): number => estimate?.value ?? -1;
  return partitions
    .map((measurement) => ({ measurement, rank: rankStanding(judgePartition(measurement, dirtyRatioLimit)) }))
    .sort(
      ({ rank: rankA, measurement: a }, { rank: rankB, measurement: b }) =>
        rankA - rankB ||
        part(b.dirtyRatio) - part(a.dirtyRatio) ||
        part(b.removableShare) - part(a.removableShare) ||
        a.partition - b.partition,
    )
    .map(({ measurement }) => measurement);
}

/** The worst that holds for the topic: by state first, by the order in which partitions are told last. */
export function judgeTopic(input: StandingInput): Standing {
  if (input.partitions.length === 0) return notMeasured(input.unmeasuredReason);
  const found = orderByStanding(input.partitions, input.dirtyRatioLimit).map((partition) =>
    judgePartition(partition, input.dirtyRatioLimit),
  );
  if (deletesToo(input.cleanupPolicy)) found.unshift(alsoDeletes(input));
  if (input.nullKeyRecords !== null && input.nullKeyRecords > 0) found.push(nullKeys(input.nullKeyRecords));
  return found.reduce((worst, next) => (SEVERITY[next.state] < SEVERITY[worst.state] ? next : worst));
}

export function judgePartition(measurement: PartitionMeasurement, dirtyRatioLimit: number | null): Standing {
  return (
    judgeReadable(measurement) ??
    judgeHeld(measurement) ??
    judgeReplicas(measurement) ??
    judgeActive(measurement) ??
    judgeCleaner(measurement, dirtyRatioLimit)
  );
}

const deletesToo = (cleanupPolicy: string): boolean =>
  cleanupPolicy
    .split(",")
    .map((part) => part.trim())
    .includes("delete");

function notMeasured(reason: string | null): Standing {
  return standing(
    "not-measured",
    "unknown",
    "Not measured",
    "Not measured yet.",
    reason ?? "No probe of it has ended.",
  );
}

function alsoDeletes(input: StandingInput): Standing {
  const gone = input.partitions.some((partition) => partition.logStartOffset > 0);
  const found = (state: StateKind, why: string): Standing =>
    standing(
      "also-deletes",
      state,
      "Also deletes",
      `Its policy is ${input.cleanupPolicy}: retention removes live keys too.`,
      why,
    );
  if (input.retentionDeletes === false) {
    return found("watch", "Retention has no limit at present, so nothing is deleted by age or size.");
  }
  if (gone)
    return found("broken", "A log no longer starts at offset 0: a read from the start does not give every key.");
  return found(
    "watch",
    "Every log still starts at offset 0. Once retention deletes a segment, keys that are in no other are gone.",
  );
}

function nullKeys(records: number): Standing {
  const counted = `${formatCount(records)} ${records === 1 ? "record has" : "records have"} no key.`;
  return standing(
    "null-keys",
    "watch",
    "Records without a key",
    counted,
    "The cleaner drops such records when it reaches them.",
  );
}

function judgeReadable(measurement: PartitionMeasurement): Standing | null {
  const { partition } = measurement;
  const foreign = measurement.warnings.find((warning) => warning.code === "not-on-this-system");
  if (foreign !== undefined) {
    return standing(
      "not-on-this-system",
      "unknown",
      "Not on this system",
      "The clean point can't be seen on this system.",
      foreign.message,
      partition,
    );
  }
  if (measurement.logEndOffset === measurement.logStartOffset) {
    return standing(
      "empty",
      "ok",
      "Empty",
      `Partition ${partition} is empty.`,
      "There is no record to compact.",
      partition,
    );
  }
  if (measurement.warnings.some((warning) => warning.code === "cleaning-in-progress")) {
    return standing(
      "cleaning",
      "run",
      "Cleaning now",
      `Partition ${partition} was being cleaned while it was measured.`,
      "Its figures settle with the next probe.",
      partition,
    );
  }
  return null;
}

function judgeHeld(measurement: PartitionMeasurement): Standing | null {
  const { partition, shape, logEndOffset, logStartOffset, activeSegmentBase } = measurement;
  if (shape === null) return null;
  const after = logEndOffset - shape.lastStableOffset;
  // One that is older than the active segment keeps whole segments from the cleaner, however small its share is.
  const holdsSegments = activeSegmentBase !== null && shape.lastStableOffset < activeSegmentBase.low;
  const isLarge = after / (logEndOffset - logStartOffset) >= HELD_SHARE_MIN;
  if (after <= 0 || !(holdsSegments || isLarge)) return null;
  return standing(
    "held",
    "watch",
    "Held by a transaction",
    `An open transaction holds partition ${partition} at offset ${formatCount(shape.lastStableOffset)}.`,
    "Nothing after that offset is cleaned, and read_committed readers stop there, until the transaction ends.",
    partition,
  );
}

const REPLICA_STATES = {
  quarantined: [
    "replica-quarantined",
    "Quarantined",
    "broker %b no longer cleans partition %p: its cleaning failed there",
    "The broker left this one partition out; its replica grows until that broker is restarted.",
  ],
  "cleaner-off": [
    "replica-cleaner-off",
    "Cleaner is off",
    "broker %b cleans none of its partitions",
    "All replicas on that broker grow; its peers are cleaned.",
  ],
  behind: [
    "replica-behind",
    "Replica behind",
    "the replica of partition %p on broker %b is cleaned less far than its leader",
    "Either its cleaner stopped or it has not come to this partition yet.",
  ],
} as const satisfies Partial<Record<ReplicaMeasurement["state"], readonly [StandingId, string, string, string]>>;

function judgeReplicas(measurement: PartitionMeasurement): Standing | null {
  for (const state of ["quarantined", "cleaner-off", "behind"] as const) {
    const replica = measurement.replicas?.find((candidate) => candidate.state === state);
    if (replica === undefined) continue;
    const [id, word, sentence, why] = REPLICA_STATES[state];
    const said = sentence.replace("%b", String(replica.brokerId)).replace("%p", String(measurement.partition));
    const capital = `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
    return { ...standing(id, "watch", word, capital, why, measurement.partition), brokerId: replica.brokerId };
  }
  return null;
}

/** Everything in the active segment, which the cleaner never touches. */
function judgeActive(measurement: PartitionMeasurement): Standing | null {
  const { partition, activeSegmentBase, logStartOffset, removableShare } = measurement;
  if (activeSegmentBase === null || activeSegmentBase.high > logStartOffset) return null;
  if (removableShare !== null && removableShare.low >= NEVER_ROLLED_REMOVABLE_MIN) {
    return standing(
      "never-rolled",
      "watch",
      "Never rolled",
      `Partition ${partition} lies in its active segment alone, and most of it could be removed.`,
      "The cleaner never touches the active segment, so its ratio reads 0. It rolls at segment.ms or segment.bytes.",
      partition,
    );
  }
  return standing(
    "nothing-cleaned",
    "unknown",
    "Nothing cleaned yet",
    `Partition ${partition} lies in its active segment alone: there is nothing that the cleaner may clean.`,
    removableShare === null || removableShare.value === null
      ? "It rolls at segment.ms or segment.bytes, and is cleaned after that. Measure now tells how much could go."
      : "The segment rolls at segment.ms or segment.bytes; then it can be cleaned.",
    partition,
  );
}

function judgeCleaner(measurement: PartitionMeasurement, limit: number | null): Standing {
  const { partition, cleanPoint, dirtyRatio, logStartOffset } = measurement;
  if (cleanPoint === null) {
    const reason = measurement.warnings[0]?.message ?? "The probe found no clean point.";
    return standing(
      "not-measured",
      "unknown",
      "Not known",
      `How far partition ${partition} is cleaned is not known.`,
      reason,
      partition,
    );
  }
  if (dirtyRatio !== null && limit !== null && dirtyRatio.low > limit) {
    return standing(
      "due",
      "run",
      "Due",
      `Partition ${partition} is due: its cleaner ratio is over ${limit.toFixed(2)}.`,
      "The cleaner takes the partition with the highest ratio first, so this one waits for its turn or for a cleaner.",
      partition,
    );
  }
  if (cleanPoint.high <= logStartOffset) {
    return standing(
      "nothing-cleaned",
      "unknown",
      "Nothing cleaned yet",
      `Partition ${partition} was never cleaned.`,
      "Its cleaner ratio has not been over the limit, or it was not clean before.",
      partition,
    );
  }
  if (cleanPoint.low <= logStartOffset) {
    return standing(
      "clean-point-open",
      "unknown",
      "Hardly rewritten",
      `Hardly a key of partition ${partition} is written twice: compaction finds little to remove.`,
      "Cleaned and uncleaned parts then look the same from outside, so that the clean point is known as an interval only.",
      partition,
    );
  }
  return standing(
    "compacting",
    "ok",
    "Compacting",
    "It is being compacted.",
    dirtyRatio === null || limit === null || dirtyRatio.high > limit
      ? "The cleaner has been here. Whether its ratio is over the limit is not known."
      : "The cleaner has been here, and its ratio is not over the limit.",
    partition,
  );
}

function standing(
  id: StandingId,
  state: StateKind,
  word: string,
  sentence: string,
  why: string,
  partition: number | null = null,
): Standing {
  return { id, state, word, sentence, why, partition, brokerId: null };
}
