import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { LogTraffic, ReplicaLog } from "#lib/brokers/replica-log-port.ts";
import { KeyHasher } from "#lib/compaction/keys/key-hash.ts";
import {
  type Estimate,
  type MeasurementWarning,
  type PartitionMeasurement,
  type ReplicaMeasurement,
  WARNING_CODES,
  type WarningCode,
} from "#lib/compaction/measurement.ts";
import { keptColumns } from "#lib/compaction/probe/kept-columns.ts";
import {
  findLeaderSegments,
  type LeaderBytes,
  type LeaderSegments,
  partLogBytes,
} from "#lib/compaction/probe/leader-figures.ts";
import { ProbeBudget } from "#lib/compaction/probe/probe-budget.ts";
import type { ProbeInput } from "#lib/compaction/probe/probe-input.ts";
import {
  findCleanPoint,
  REPLICA_BYTES_MAX,
  REPLICA_FETCHES_MAX,
  type ReplicaPosition,
} from "#lib/compaction/probe/probe-replica.ts";
import { boundRemovableShare } from "#lib/compaction/probe/removable-bounds.ts";
import { countRetainedRecords, type RetainedRecords } from "#lib/compaction/probe/retained-records.ts";
import { checkSegments } from "#lib/compaction/probe/segment-check.ts";
import { compareReplica } from "#lib/compaction/replica-state.ts";

/**
 * Measures one partition by a few fetches, whatever its size: where the cleaner stands, its ratio, records kept, bounds
 * of what compaction would free, and how far each replica was cleaned.
 *
 * Rejects with the `BrokerError` of the leader; what a follower fails with becomes a warning.
 */
export async function probePartition(input: ProbeInput): Promise<PartitionMeasurement> {
  const measuredAt = input.now();
  const { topic, partition } = input;
  if (partition.leader === null) {
    throw new BrokerError(
      "leader-moved",
      `Partition ${partition.partition} of ${JSON.stringify(topic)} has no leader.`,
    );
  }
  const hasher = new KeyHasher(input.seed);
  const log = input.openLog(partition.leader);
  try {
    const leader = await probeLeader(input, log, hasher);
    const followers = input.probeFollowers ? await probeFollowers(input, leader.position, hasher) : [];
    return assemble(input, log, leader, followers, measuredAt);
  } finally {
    await log.close();
  }
}

interface LeaderProbe {
  position: ReplicaPosition;
  segments: LeaderSegments;
  retained: RetainedRecords;
  bytes: LeaderBytes | null;
  totalBytes: number | null;
  positionCost: LogTraffic;
  isPositionBudgetSpent: boolean;
}

async function probeLeader(input: ProbeInput, log: ReplicaLog, hasher: KeyHasher): Promise<LeaderProbe> {
  const totalBytes = input.replicaBytes.get(log.target.brokerId) ?? null;
  const size = { segmentBytes: input.settings.segmentBytes, replicaBytes: totalBytes };
  const position = await findCleanPoint(log, input.limits, hasher, input.hints ?? {}, size);
  const { minCompactionLagMs } = input.settings;
  const tooYoungFrom =
    minCompactionLagMs > 0 ? await log.offsetForTimestamp(input.now() - minCompactionLagMs + 1) : null;
  const segments = await findLeaderSegments(position, input.settings, input.limits, tooYoungFrom);
  const positionCost = log.traffic();
  const isPositionBudgetSpent = !position.explorer.canLook();
  const roughly = totalBytes === null ? null : partLogBytes(position, segments, totalBytes, null);
  const { offsets, cleanPoint } = position;
  const retained = await countRetainedRecords(
    log,
    {
      logStart: offsets.logStart,
      cleanEnd: Math.min(cleanPoint.interval.low, offsets.lastStable),
      lastStable: offsets.lastStable,
      cleanBytes: roughly === null ? null : fromLogStart(roughly.cleanBytes, position),
      dirtyBytes: roughly === null ? null : roughly.afterCleanPoint.high * stableShare(position),
      known: position.explorer.windows.filter(
        ({ to, holdsTransactions }) => !holdsTransactions && to <= offsets.lastStable,
      ),
      largestBatchBytes: position.explorer.largestBatchBytes,
    },
    new ProbeBudget(() => log.traffic(), REPLICA_FETCHES_MAX, REPLICA_BYTES_MAX),
    input.random,
  );
  const checked = totalBytes === null ? null : checkSegments(position, segments, totalBytes, retained);
  return {
    position,
    segments: checked?.segments ?? segments,
    retained: checked?.retained ?? retained,
    bytes: checked?.bytes ?? null,
    totalBytes,
    positionCost,
    isPositionBudgetSpent,
  };
}

/** A moved log start may leave a part of its segment on the disk that nobody can read any more. */
function fromLogStart(cleanBytes: Estimate, { explorer }: ReplicaPosition): Estimate {
  if (explorer.logStart === 0 || cleanBytes.high === 0) return cleanBytes;
  return { ...cleanBytes, low: Math.max(0, cleanBytes.low - explorer.segmentBytes), exact: false };
}

/** Of the offsets from the clean point on, the share that lies below the last stable offset. */
function stableShare({ cleanPoint, offsets }: ReplicaPosition): number {
  const from = Math.min(cleanPoint.interval.low, offsets.lastStable);
  return offsets.logEnd <= from ? 0 : (offsets.lastStable - from) / (offsets.logEnd - from);
}

function tombstoneShare({ explorer, cleanPoint }: ReplicaPosition): number | null {
  const clean = explorer.windows.filter(({ to }) => to <= cleanPoint.interval.high);
  const records = clean.reduce((sum, window) => sum + window.records, 0);
  return records === 0 ? null : clean.reduce((sum, window) => sum + window.tombstones, 0) / records;
}

interface FollowerProbe {
  replica: ReplicaMeasurement;
  fetches: number;
  fetchedBytes: number;
  warning: MeasurementWarning | null;
}

async function probeFollowers(input: ProbeInput, leader: ReplicaPosition, hasher: KeyHasher): Promise<FollowerProbe[]> {
  const probes: FollowerProbe[] = [];
  for (const brokerId of input.partition.replicas) {
    if (brokerId === input.partition.leader) continue;
    const log = input.openLog(brokerId);
    const bytes = input.replicaBytes.get(brokerId) ?? null;
    const leaderBytes = input.replicaBytes.get(input.partition.leader!) ?? null;
    try {
      const hints = { cleanPoint: leader.cleanPoint.interval.high };
      const position = await findCleanPoint(log, input.limits, hasher, hints, {
        segmentBytes: input.settings.segmentBytes,
        replicaBytes: bytes,
      });
      const cleanPoint = position.cleanPoint.interval;
      const state = compareReplica(
        { cleanPoint, bytes },
        { cleanPoint: leader.cleanPoint.interval, bytes: leaderBytes },
      );
      const replica = { brokerId, leader: false, bytes, cleanPoint, state };
      const text = `Broker ${brokerId} cleaned this partition to ${cleanPoint.high} at most, its leader to ${leader.cleanPoint.interval.low} at least.`;
      const warning = state === "behind" ? { code: "replica-behind" as const, message: text } : null;
      probes.push({ replica, ...log.traffic(), warning });
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      const replica = { brokerId, leader: false, bytes, cleanPoint: null, state: "unknown" as const };
      const message = `Broker ${brokerId}: ${error.message}`;
      probes.push({ replica, ...log.traffic(), warning: { code: "replica-unreadable", message } });
    } finally {
      await log.close();
    }
  }
  return probes;
}

function assemble(
  input: ProbeInput,
  log: ReplicaLog,
  leader: LeaderProbe,
  followers: FollowerProbe[],
  measuredAt: number,
): PartitionMeasurement {
  const { position, segments, retained, bytes, totalBytes } = leader;
  const { offsets, cleanPoint, explorer } = position;
  const leaderReplica: ReplicaMeasurement = {
    brokerId: log.target.brokerId,
    leader: true,
    bytes: totalBytes,
    cleanPoint: cleanPoint.interval,
    state: leaderState(leader, followers),
  };
  const cost = [log.traffic(), ...followers];
  return {
    topic: input.topic,
    partition: input.partition.partition,
    mode: "probe",
    logStartOffset: offsets.logStart,
    logEndOffset: offsets.logEnd,
    offsetSpan: offsets.logEnd - offsets.logStart,
    bytes: totalBytes,
    retainedRecords: retained.records,
    distinctKeys: null,
    liveKeys: null,
    tombstones: null,
    nullKeyRecords: null,
    supersededRecords: null,
    heldRecords: offsets.lastStable >= offsets.logEnd ? 0 : null,
    cleanPoint: cleanPoint.interval,
    activeSegmentBase: segments.active,
    dirtyRatio: bytes?.dirtyRatio ?? null,
    removableShare:
      bytes === null || totalBytes === null
        ? null
        : boundRemovableShare({
            totalBytes,
            cleanBytes: bytes.cleanBytes,
            dirtyBytes: bytes.afterCleanPoint,
            retainedRecords: retained.records,
            dirtyOffsets: Math.max(0, offsets.logEnd - cleanPoint.interval.low),
            tombstoneShare: tombstoneShare(position),
            logStartOffset: offsets.logStart,
            cleanPoint: cleanPoint.interval,
            lastScan: input.lastScan,
          }),
    replicas: [leaderReplica, ...followers.map(({ replica }) => replica)],
    fetches: cost.reduce((sum, { fetches }) => sum + fetches, 0),
    fetchedBytes: cost.reduce((sum, { fetchedBytes }) => sum + fetchedBytes, 0),
    positionCost: leader.positionCost,
    durationMs: input.now() - measuredAt,
    warnings: [...leaderWarnings(leader), ...followers.flatMap(({ warning }) => (warning === null ? [] : [warning]))],
    shape: {
      lastStableOffset: offsets.lastStable,
      firstUncleanableOffset: segments.firstUncleanable,
      cleanBytes: bytes?.cleanBytes ?? null,
      cleanableBytes: bytes?.cleanableBytes ?? null,
      activeBytes: bytes?.activeBytes ?? null,
      kept: keptColumns(retained.windows, explorer.logStart, cleanPoint.interval.low),
    },
    measuredAt,
  };
}

/** The leader is the one behind where a follower was cleaned further and is much smaller. */
function leaderState(leader: LeaderProbe, followers: FollowerProbe[]): ReplicaMeasurement["state"] {
  const own = { cleanPoint: leader.position.cleanPoint.interval, bytes: leader.totalBytes };
  const isBehind = followers.some(
    ({ replica }) =>
      replica.cleanPoint !== null && compareReplica(own, { ...replica, cleanPoint: replica.cleanPoint }) === "behind",
  );
  return isBehind ? "behind" : "ok";
}

/** Records kept are wanted to a fifth; where they are not, more windows than there may be would have been needed. */
const KEPT_WIDTH_WANTED = 0.2;

const isWide = (records: Estimate | null): boolean =>
  records !== null && !records.exact && records.high - records.low > KEPT_WIDTH_WANTED * (records.value ?? records.low);

function leaderWarnings({
  position,
  segments,
  retained,
  totalBytes,
  isPositionBudgetSpent,
}: LeaderProbe): MeasurementWarning[] {
  const { cleanPoint, explorer, offsets } = position;
  const codes: WarningCode[] = [];
  if (cleanPoint.warning !== null) codes.push(cleanPoint.warning);
  if (!cleanPoint.isExact && isPositionBudgetSpent && !codes.includes("budget-ended")) codes.push("budget-ended");
  if (isWide(retained.records) && !codes.includes("budget-ended")) codes.push("budget-ended");
  if (segments.active === null && offsets.logEnd > offsets.logStart) {
    codes.push("active-segment-not-reached", ...(explorer.arePeeksAllowed() ? [] : (["peeks-off"] as const)));
  }
  if (offsets.lastStable < offsets.logEnd) codes.push("held-by-transaction");
  if (explorer.wasThrottled) codes.push("throttled");
  if (totalBytes === null) codes.push("size-unknown");
  return codes.map((code) => ({ code, message: WARNING_CODES[code] }));
}
