import type { PartitionOffsets } from "#lib/brokers/broker-port.ts";
import type { ReplicaLog } from "#lib/brokers/replica-log-port.ts";
import type { KeyHasher } from "#lib/compaction/keys/key-hash.ts";
import { AnswerCap } from "#lib/compaction/probe/answer-cap.ts";
import {
  type CleanPoint,
  type ProbeHints,
  resolveCleanPoint,
  searchCleanPoint,
} from "#lib/compaction/probe/clean-point-search.ts";
import { LogExplorer } from "#lib/compaction/probe/log-explorer.ts";
import { ProbeBudget } from "#lib/compaction/probe/probe-budget.ts";
import { findSegmentEnd } from "#lib/compaction/probe/segment-search.ts";

/** What probing one replica may cost in all, as fetches and as bytes of answers. */
export const REPLICA_FETCHES_MAX = 80;
export const REPLICA_BYTES_MAX = 8 * 1024 * 1024;
/** Of them, for finding positions; the rest is for counting records. */
export const POSITION_FETCHES_MAX = 40;
export const POSITION_BYTES_MAX = 6 * 1024 * 1024;
/** The search for the clean point leaves some for the segments behind it. */
const SEARCH_FIRST = { fetches: 20, bytesKept: POSITION_BYTES_MAX * 0.6 };
/** Once the segments are known the search goes on with what is left. */
export const SEARCH_AGAIN = { fetches: POSITION_FETCHES_MAX, bytesKept: 0 };
const ATTEMPTS = 3;

/** What the broker's settings say about its answers and its cleaner; null where they can't be read. */
export interface BrokerLimits {
  /** Longest record set that it answers this client id with: `fetch.max.bytes`, or ten seconds of a byte quota. */
  answerBytesMax: number | null;
  /** Keys that the cleaner's offset map holds: `log.cleaner.dedupe.buffer.size / log.cleaner.threads / 24 * 0.9`. */
  offsetMapCapacity: number | null;
}

export interface ReplicaPosition {
  offsets: PartitionOffsets;
  explorer: LogExplorer;
  budget: ProbeBudget;
  cleanPoint: CleanPoint;
}

/**
 * Finds how far one replica was cleaned. Where two looks contradict each other (it is being cleaned right now) it
 * starts again, three times at most.
 */
export async function findCleanPoint(
  log: ReplicaLog,
  limits: BrokerLimits,
  hasher: KeyHasher,
  hints: ProbeHints,
  size: { segmentBytes: number; replicaBytes: number | null },
): Promise<ReplicaPosition> {
  const firstSurvivor = await log.offsetForTimestamp(0);
  let position: ReplicaPosition | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const offsets = await log.offsets();
    const budget = new ProbeBudget(() => log.traffic(), POSITION_FETCHES_MAX, POSITION_BYTES_MAX);
    const cap = new AnswerCap(limits.answerBytesMax);
    const explorer = new LogExplorer(log, offsets, { cap, budget, hasher, ...size });
    await limitByOnlySegment(explorer);
    await searchCleanPoint(explorer, attempt === 0 ? { ...hints, firstSurvivor } : { firstSurvivor }, SEARCH_FIRST);
    const cleanPoint = await resolveCleanPoint(explorer, limits.offsetMapCapacity);
    position = { offsets, explorer, budget, cleanPoint };
    if (cleanPoint.warning !== "cleaning-in-progress" || !budget.allows(0)) break;
  }
  return position!;
}

/**
 * Where the replica is smaller than one segment it may be one: the active segment, which is never cleaned. Most topics
 * that do not compact are like that, and it takes three fetches to tell.
 */
async function limitByOnlySegment(explorer: LogExplorer): Promise<void> {
  const { evidence, logStart, replicaBytes, segmentBytes } = explorer;
  if (replicaBytes === null || replicaBytes > segmentBytes || !explorer.canPeek() || evidence.high <= logStart) return;
  const end = await findSegmentEnd(explorer, logStart);
  if (end?.isLogEnd && evidence.low === logStart) evidence.limit(logStart);
}
