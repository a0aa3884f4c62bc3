// Record batch header, format v2: base offset (8), length (4), leader epoch (4), magic (1) at 16, last offset delta (4) at 23.
// https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/record/DefaultRecordBatch.java
const LENGTH_AT = 8;
const LENGTH_STARTS_AFTER = 12;
const MAGIC_AT = 16;
const LAST_OFFSET_DELTA_AT = 23;
const HEADER_BYTES = 61;

/**
 * The offset after the last whole batch of a record set, by hopping from header to header: nothing is checked, so that
 * it is only good for asking what follows. Null where there is no whole batch, or one of an older format.
 */
export function findNextOffset(recordSet: Buffer): number | null {
  let next: number | null = null;
  for (let at = 0; at + HEADER_BYTES <= recordSet.length; ) {
    const end = at + LENGTH_STARTS_AFTER + recordSet.readInt32BE(at + LENGTH_AT);
    if (end < at + HEADER_BYTES || end > recordSet.length) break;
    if (recordSet[at + MAGIC_AT] !== 2) return null;
    next = Number(recordSet.readBigInt64BE(at)) + recordSet.readInt32BE(at + LAST_OFFSET_DELTA_AT) + 1;
    at = end;
  }
  return next;
}
