// The codecs that kafkajs leaves to its users.

import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import kafkajs from "kafkajs";
import { compressFrame, decompressFrame } from "lz4-napi";

const { CompressionCodecs, CompressionTypes } = kafkajs;
const compressZstd = promisify(zstdCompress);
const expandZstd = promisify(zstdDecompress);

/** For `compression` of a topic's sends. */
export const COMPRESSION = { none: CompressionTypes.None, lz4: CompressionTypes.LZ4, zstd: CompressionTypes.ZSTD };

export function registerCodecs() {
  CompressionCodecs[CompressionTypes.LZ4] = () => ({
    compress: ({ buffer }) => compressFrame(buffer),
    decompress: (buffer) => decompressFrame(buffer),
  });
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: ({ buffer }) => compressZstd(buffer, { params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
    decompress: (buffer) => expandZstd(buffer),
  });
}
