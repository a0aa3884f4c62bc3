import { crc32c } from "@node-rs/crc32";
import { AbortedTransactions } from "#lib/brokers/kafka/aborted-transactions.ts";
import { BatchDamage, corrupt, locateDamage } from "#lib/brokers/kafka/batch-damage.ts";
import {
  ATTRIBUTES_AT,
  BatchHeader,
  HEADER_BYTES,
  LOG_OVERHEAD_BYTES,
  MAGIC_AT,
  readBatchHeader,
  readInt64,
} from "#lib/brokers/kafka/batch-header.ts";
import { DEFAULT_EXPANSION_LIMIT_BYTES, expand } from "#lib/brokers/kafka/codecs.ts";
import type { AbortedTransaction } from "#lib/brokers/kafka/fetch-request.ts";
import { walkLegacyMessage } from "#lib/brokers/kafka/legacy-message-set.ts";
import { walkRecords } from "#lib/brokers/kafka/record-walk.ts";
import type { LogVisitor } from "#lib/brokers/replica-log-port.ts";

export interface WalkerOptions {
  /** The partition and broker, in words: stands in messages. */
  where: string;
  /** Most bytes that one batch may expand to. */
  expansionLimitBytes?: number;
  /** Off only where the speed without it is measured. */
  checksChecksums?: boolean;
}

/** What a record set held, its whole batches. */
export interface RecordSetSummary {
  batchCount: number;
  endsInPartialBatch: boolean;
  firstBaseOffset: number | null;
  lastBaseOffset: number | null;
  /** Last offset of the last whole batch + 1; null where there is none. */
  nextOffset: number | null;
  /** Bytes of the whole batches. */
  wholeBytes: number;
}

/** Type of a control record: its key is a version and this, 16 bits each. */
const ABORT_MARKER = 0;

/** Checks and visits the batches of record sets. One at a time; nothing is kept between two of them. */
export class RecordBatchWalker {
  readonly #where: string;
  readonly #limitBytes: number;
  readonly #checksChecksums: boolean;
  readonly #header = new BatchHeader();

  constructor({ where, expansionLimitBytes, checksChecksums }: WalkerOptions) {
    this.#where = where;
    this.#limitBytes = expansionLimitBytes ?? DEFAULT_EXPANSION_LIMIT_BYTES;
    this.#checksChecksums = checksChecksums ?? true;
  }

  /**
   * Visits the whole batches from `start` to `end`; a last one that is cut off is reported only.
   * @param abortedTransactions as listed by a read_committed answer, else null
   * @throws BrokerError `corrupt-batch`, `expansion-bound`, `unsupported-format`, `protocol` (offset above 2^53 - 1)
   */
  walk(
    bytes: Buffer,
    start: number,
    end: number,
    visitor: LogVisitor,
    abortedTransactions: readonly AbortedTransaction[] | null,
  ): RecordSetSummary {
    const header = this.#header;
    const aborted = abortedTransactions?.length ? new AbortedTransactions(abortedTransactions) : null;
    const summary = emptySummary();
    let at = start;
    while (at < end) {
      const sizeInBytes = this.#sizeOfBatch(bytes, at, end);
      if (at + sizeInBytes > end) break;
      try {
        this.#walkBatch(bytes, at, sizeInBytes, visitor, aborted);
      } catch (error) {
        throw this.#locate(error, bytes, at);
      }
      summary.batchCount++;
      summary.firstBaseOffset ??= header.baseOffset;
      summary.lastBaseOffset = header.baseOffset;
      summary.nextOffset = header.lastOffset + 1;
      at += sizeInBytes;
    }
    summary.endsInPartialBatch = at < end;
    summary.wholeBytes = at - start;
    return summary;
  }

  /** @returns more than there is where the batch is cut off */
  #sizeOfBatch(bytes: Buffer, at: number, end: number): number {
    if (at + LOG_OVERHEAD_BYTES > end) return LOG_OVERHEAD_BYTES;
    const length = bytes.readInt32BE(at + 8);
    // The least of every format has its magic; what lies below its own least is told with it.
    if (length <= MAGIC_AT - LOG_OVERHEAD_BYTES) {
      throw this.#locate(corrupt(`it claims a size of ${length} bytes`), bytes, at);
    }
    return LOG_OVERHEAD_BYTES + length;
  }

  #walkBatch(
    bytes: Buffer,
    at: number,
    sizeInBytes: number,
    visitor: LogVisitor,
    aborted: AbortedTransactions | null,
  ): void {
    const magic = bytes.readInt8(at + MAGIC_AT);
    if (magic === 2) this.#walkCurrent(bytes, at, sizeInBytes, visitor, aborted);
    else if (magic === 0 || magic === 1) {
      walkLegacyMessage(bytes, at, sizeInBytes, this.#header, this.#limitBytes, visitor);
    } else if (magic > 2)
      throw new BatchDamage("unsupported-format", `it has format v${magic}, which Keyfold does not know`);
    else throw corrupt(`it has format v${magic}`);
  }

  #walkCurrent(
    bytes: Buffer,
    at: number,
    sizeInBytes: number,
    visitor: LogVisitor,
    aborted: AbortedTransactions | null,
  ): void {
    const header = this.#header;
    if (sizeInBytes < HEADER_BYTES) throw corrupt(`it claims a size of ${sizeInBytes} bytes`);
    const end = at + sizeInBytes;
    readBatchHeader(bytes, at, sizeInBytes, header);
    if (this.#checksChecksums && crc32c(bytes.subarray(at + ATTRIBUTES_AT, end)) !== header.checksum) {
      throw corrupt("its checksum (CRC-32C) does not match");
    }
    if (aborted) header.isAborted = aborted.isAborted(header, () => this.#isAbortMarker(bytes, at, end));
    if (visitor.batch(header) && !header.isControl && header.recordCount > 0) this.#walkBody(bytes, at, end, visitor);
  }

  #walkBody(bytes: Buffer, at: number, end: number, visitor: Pick<LogVisitor, "record">): void {
    const header = this.#header;
    const start = at + HEADER_BYTES;
    if (header.isCompressed) {
      const expanded = expand(header.codec, bytes.subarray(start, end), this.#limitBytes, 2);
      walkRecords(expanded, 0, expanded.length, header, header.sizeInBytes / header.recordCount, visitor);
    } else walkRecords(bytes, start, end, header, -1, visitor);
  }

  /** An empty control batch is no marker any more: so Kafka's consumer sees it. */
  #isAbortMarker(bytes: Buffer, at: number, end: number): boolean {
    let isAbort = false;
    let isFirst = true;
    if (this.#header.recordCount === 0) return false;
    this.#walkBody(bytes, at, end, {
      record(_offset, _timestamp, recordBytes, keyStart, keyEnd) {
        if (isFirst && keyStart >= 0 && keyEnd - keyStart >= 4) {
          isAbort = ((recordBytes[keyStart + 2]! << 8) | recordBytes[keyStart + 3]!) === ABORT_MARKER;
        }
        isFirst = false;
      },
    });
    return isAbort;
  }

  #locate(error: unknown, bytes: Buffer, at: number): unknown {
    return error instanceof BatchDamage ? locateDamage(error, this.#where, readInt64(bytes, at)) : error;
  }
}

const emptySummary = (): RecordSetSummary => ({
  batchCount: 0,
  endsInPartialBatch: false,
  firstBaseOffset: null,
  lastBaseOffset: null,
  nextOffset: null,
  wholeBytes: 0,
});
