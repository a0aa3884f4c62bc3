/**
 * Scans one partition: every record that a read_committed reader gets from the log start to the last stable offset as
 * it was at the start, then how many are held back behind that. Pure but for the log that it is given.
 */
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { PartitionOffsets } from "#lib/brokers/broker-port.ts";
import type { IsolationLevel, LogTraffic, LogVisitor, RecordBatch } from "#lib/brokers/replica-log-port.ts";
import type { ByteBudget } from "#lib/compaction/byte-budget.ts";
import type { WarningCode } from "#lib/compaction/measurement.ts";
import { AnswerCap } from "#lib/compaction/probe/answer-cap.ts";
import { LeaderReader, type LeaderReaderParts, OUTAGE_LIMIT_MS } from "#lib/compaction/scan/leader-reader.ts";
import { type KeySinks, PartitionTally, type TallyState } from "#lib/compaction/scan/partition-tally.ts";
import { ScanSegments } from "#lib/compaction/scan/scan-segments.ts";

/** Below a few MiB the round trips show; above it nothing is won. */
export const SCAN_FETCH_BYTES = 4 * 1024 * 1024;
const SMALLEST_FETCH_BYTES = 64 * 1024;

/**
 * How much to ask for at once: what a second allows, so that neither our own budget nor a quota of the broker (which it
 * holds against ten seconds) makes single answers wait for long.
 * @param answerBytesMax longest answer that the broker gives this client id; null where it is not known
 */
export function chooseFetchBytes(bytesPerSecond: number | null, answerBytesMax: number | null): number {
  const allowed = Math.min(bytesPerSecond ?? SCAN_FETCH_BYTES, (answerBytesMax ?? Number.POSITIVE_INFINITY) / 10);
  return Math.floor(Math.min(SCAN_FETCH_BYTES, Math.max(SMALLEST_FETCH_BYTES, allowed)));
}
/** An empty answer below the end is believed after so many: everything up to the end was compacted away. */
const EMPTY_ANSWERS_BELIEVED = 3;
const EMPTY_ANSWER_PAUSE_MS = 100;

export interface PartitionScanParts extends LeaderReaderParts {
  partition: number;
  sinks: KeySinks;
  budget: ByteBudget;
  /** See `chooseFetchBytes`. */
  fetchBytes: number;
  /** Longest answer that the broker gives this client id; null where it is not known. */
  answerBytesMax: number | null;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** After each answer, between two batches: the moment for progress and checkpoints. */
  onAdvance(counts: TallyState, reader: LogTraffic): void;
}

export interface PartitionScan {
  counts: TallyState;
  offsets: PartitionOffsets;
  /** Log start when it ended. */
  logStartAfter: number;
  segments: ScanSegments;
  traffic: LogTraffic;
  warnings: Set<WarningCode>;
}

/** @param resumed counters of a checkpoint to go on from */
export async function scanPartition(
  parts: PartitionScanParts,
  resumed: TallyState | null = null,
): Promise<PartitionScan> {
  const reader = new LeaderReader(parts);
  const warnings = new Set<WarningCode>();
  try {
    const offsets = await reader.offsets();
    const tally = new PartitionTally(
      parts.partition,
      { logStart: offsets.logStart, end: Math.min(offsets.lastStable, offsets.logEnd), logEnd: offsets.logEnd },
      parts.sinks,
      parts.startedAt,
      resumed,
    );
    const walk = new LogWalk(parts, reader, tally, warnings);
    await walk.readCommitted();
    await walk.countHeld();
    const { logStart: logStartAfter } = await reader.offsets();
    if (logStartAfter > tally.counts.logStart) warnings.add("log-start-moved");
    if (reader.leaderMoves > 0) warnings.add("leader-moved");
    if (reader.wasThrottled) warnings.add("throttled");
    const { segments } = walk;
    return { counts: tally.counts, offsets, logStartAfter, segments, traffic: reader.traffic(), warnings };
  } finally {
    await reader.close();
  }
}

/** A stretch of the log that is walked, and how far that got. */
interface Stretch {
  position(): number;
  end(): number;
  advance(next: number): void;
  restart(logStart: number): void;
}

class LogWalk {
  readonly segments: ScanSegments;
  readonly #parts: PartitionScanParts;
  readonly #reader: LeaderReader;
  readonly #tally: PartitionTally;
  readonly #warnings: Set<WarningCode>;
  #chargedBytes = 0;

  constructor(parts: PartitionScanParts, reader: LeaderReader, tally: PartitionTally, warnings: Set<WarningCode>) {
    this.segments = new ScanSegments(new AnswerCap(parts.answerBytesMax));
    this.#parts = parts;
    this.#reader = reader;
    this.#tally = tally;
    this.#warnings = warnings;
  }

  async readCommitted(): Promise<void> {
    const tally = this.#tally;
    const { counts } = tally;
    await this.#walk("read_committed", tally, {
      position: () => counts.position,
      end: () => counts.end,
      advance: (next) => tally.advanceTo(next),
      restart: (logStart) => {
        tally.restartAt(logStart);
        this.segments.clear();
      },
    });
  }

  /** Data records from the last stable offset to the log end, by what their batches' headers say. */
  async countHeld(): Promise<void> {
    const { counts } = this.#tally;
    let position = counts.end;
    let lastOffset = counts.end - 1;
    counts.heldRecords = 0;
    counts.heldBytes = 0;
    const visitor: LogVisitor = {
      batch(batch: RecordBatch) {
        if (batch.lastOffset <= lastOffset || batch.baseOffset >= counts.logEnd) return false;
        lastOffset = batch.lastOffset;
        counts.heldBytes += batch.sizeInBytes;
        if (!batch.isControl) counts.heldRecords += batch.recordCount;
        return false;
      },
      record() {},
    };
    await this.#walk("read_uncommitted", visitor, {
      position: () => position,
      end: () => counts.logEnd,
      advance: (next) => {
        position = next;
      },
      restart: (logStart) => {
        this.#tally.restartAt(logStart);
        position = logStart;
      },
    });
  }

  /** Ends by fetch position: records alone don't tell the end, since control batches and gaps take up offsets too. */
  async #walk(isolation: IsolationLevel, visitor: LogVisitor, stretch: Stretch): Promise<void> {
    const { position, end } = stretch;
    let emptyAnswers = 0;
    let maxBytes = this.#parts.fetchBytes;
    let waitingSince: number | null = null;
    while (position() < end()) {
      const from = position();
      const answer = await this.#reader
        .fetch({ offset: from, maxBytes, isolation, readAheadTo: end() }, visitor, () => this.#tally.abandonAnswer())
        .catch((error: unknown) => this.#restart(error, from, stretch));
      if (answer === null) continue;
      if (isolation === "read_committed") this.segments.add(maxBytes, answer, this.#tally.counts.batchBytes, end());
      await this.#charge();
      if (answer.nextOffset > from) {
        stretch.advance(answer.nextOffset);
        this.#parts.onAdvance(this.#tally.counts, this.#reader.traffic());
        emptyAnswers = 0;
        waitingSince = null;
        continue;
      }
      if (answer.endsInPartialBatch) {
        maxBytes = doubled(maxBytes, from);
        continue;
      }
      // A new leader's high watermark may lag for a moment: the records are there, and will be given.
      const reach = isolation === "read_committed" ? answer.lastStableOffset : answer.highWatermark;
      if (reach < end()) {
        waitingSince ??= this.#parts.now();
        if (this.#parts.now() - waitingSince > OUTAGE_LIMIT_MS) throw lostRecords(from, end(), reach);
      } else if (++emptyAnswers >= EMPTY_ANSWERS_BELIEVED) {
        stretch.advance(end());
        return;
      }
      await this.#parts.sleep(EMPTY_ANSWER_PAUSE_MS, this.#parts.signal);
    }
  }

  /** The position fell below the log start: all that was read is gone. Reading begins again at the new start. */
  async #restart(error: unknown, from: number, stretch: Stretch): Promise<null> {
    if (!(error instanceof BrokerError) || error.code !== "offset-out-of-range") throw error;
    const { logStart, logEnd } = await this.#reader.offsets();
    if (logStart <= from) throw from > logEnd ? lostRecords(from, this.#tally.counts.end, logEnd) : error;
    this.#warnings.add("log-start-moved");
    stretch.restart(logStart);
    return null;
  }

  async #charge(): Promise<void> {
    const { fetchedBytes } = this.#reader.traffic();
    const bytes = fetchedBytes - this.#chargedBytes;
    this.#chargedBytes = fetchedBytes;
    await this.#parts.budget.spend(bytes, this.#parts.signal);
  }
}

const LARGEST_FETCH_BYTES = 1024 * 1024 * 1024;

function doubled(maxBytes: number, offset: number): number {
  if (maxBytes >= LARGEST_FETCH_BYTES) {
    throw new BrokerError(
      "corrupt-batch",
      `The batch at offset ${offset} is longer than 1 GiB, or its length is wrong.`,
    );
  }
  return maxBytes * 2;
}

function lostRecords(from: number, end: number, reach: number): BrokerError {
  return new BrokerError(
    "offset-out-of-range",
    `The log ends at offset ${reach} now; ${end} was its end when the scan began, and ${from} was reached. Records were lost, as after an unclean leader election: scan again.`,
  );
}
