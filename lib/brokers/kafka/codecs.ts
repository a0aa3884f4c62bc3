/**
 * Expands compressed batches, never beyond a bound: a batch of a few KiB can be made to expand to gigabytes.
 *
 * The bound is 256 MiB for a batch unless said otherwise. `max.message.bytes` bounds the compressed size alone, so a
 * legitimate batch of the default megabyte may expand a hundredfold and more; and the memory is needed at once.
 */
import { constants, gunzipSync, zstdDecompressSync } from "node:zlib";
import { BatchDamage, corrupt, exceedsLimit } from "#lib/brokers/kafka/batch-damage.ts";
import { expandLz4 } from "#lib/brokers/kafka/lz4-frame.ts";
import { expandSnappy } from "#lib/brokers/kafka/snappy-blocks.ts";

export const DEFAULT_EXPANSION_LIMIT_BYTES = 256 * 1024 * 1024;

/**
 * @param codec of the batch's attributes, not 0
 * @param magic of the batch: lz4 of magic 0 has a header checksum of its own kind
 * @throws BatchDamage
 */
export function expand(codec: number, compressed: Buffer, limitBytes: number, magic: number): Buffer {
  switch (codec) {
    case 1:
      return expandStream(compressed, limitBytes, "gzip");
    case 2:
      return expandSnappy(compressed, limitBytes);
    case 3:
      return expandLz4(compressed, limitBytes, magic);
    case 4:
      return expandStream(compressed, limitBytes, "zstd");
    default:
      throw new BatchDamage("unsupported-format", `it is compressed with codec ${codec}, which Keyfold does not know`);
  }
}

function expandStream(compressed: Buffer, limitBytes: number, name: "gzip" | "zstd"): Buffer {
  // The output is gathered in chunks of this size: small ones cost calls, large ones memory for small batches.
  const chunkSize = Math.min(Math.max(compressed.length * 4, 16_384), 1024 * 1024);
  try {
    return name === "gzip"
      ? gunzipSync(compressed, { maxOutputLength: limitBytes, chunkSize })
      : zstdDecompressSync(compressed, {
          maxOutputLength: limitBytes,
          chunkSize,
          // 2^27 is zstd's own default for what a stream may make its reader hold; said here so that it stays.
          params: { [constants.ZSTD_d_windowLogMax]: 27 },
        });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw exceedsLimit(limitBytes);
    throw corrupt(`its ${name} data can't be expanded`, error);
  }
}
