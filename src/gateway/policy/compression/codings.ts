import zlib, { type Zlib } from "node:zlib";

/** In the order in which they are preferred where a client likes them equally, unless the configuration has another. @internal */
export const CODINGS = ["zstd", "br", "gzip", "deflate"] as const;

export type Coding = (typeof CODINGS)[number];

/** How one content coding is made (RFC 9110 §8.4.1, RFC 7932, RFC 8878). */
export interface Coder {
  /** A whole body at once. */
  readonly whole: (body: Uint8Array) => Uint8Array;
  /** One whose work is done beside the event loop. */
  readonly open: () => CompressStream;
  /** Has all that was taken go out, and the stream go on. */
  readonly flushKind: number;
}

export type CompressStream = ReturnType<typeof zlib.createGzip> & Zlib;

/** Bytes of compressed output that are made at a time. */
const OUTPUT_BYTES = 32_768;
/** Behind it a level costs more time than it saves bytes (bench compression). */
const ZLIB_LEVEL = 5;
/** 256 KiB a stream; RFC 8878 §3.1.1.1.2 has decoders take 8 MiB. @bound */
const ZSTD_WINDOW_LOG = 18;
const ZSTD_LEVEL = 3;
const BROTLI_WINDOW_LOG = 18;
const BROTLI_QUALITY = 4;

interface ZstdOptions {
  readonly chunkSize: number;
  readonly params: Readonly<Record<number, number>>;
}

interface ZstdMethods {
  readonly zstdCompressSync: (body: Uint8Array, options: ZstdOptions) => Uint8Array;
  readonly createZstdCompress: (options: ZstdOptions) => CompressStream;
}

// The types of Node that we have are older than its Zstandard, which the runtime has.
const zstd = zlib as unknown as ZstdMethods;
/** zstd.h: parameters of a compressor, and its directive to flush. */
const ZSTD_COMPRESSION_LEVEL = 100;
const ZSTD_PARAM_WINDOW_LOG = 101;
const ZSTD_FLUSH = 1;

const { constants } = zlib;

const ZLIB_OPTIONS = { level: ZLIB_LEVEL, chunkSize: OUTPUT_BYTES };
const BROTLI_OPTIONS = {
  chunkSize: OUTPUT_BYTES,
  params: {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_LOG,
  },
};
const ZSTD_OPTIONS = {
  chunkSize: OUTPUT_BYTES,
  params: {
    [ZSTD_COMPRESSION_LEVEL]: ZSTD_LEVEL,
    [ZSTD_PARAM_WINDOW_LOG]: ZSTD_WINDOW_LOG,
  },
};

export const CODERS: Readonly<Record<Coding, Coder>> = {
  zstd: {
    whole: (body) => zstd.zstdCompressSync(body, ZSTD_OPTIONS),
    open: () => zstd.createZstdCompress(ZSTD_OPTIONS),
    flushKind: ZSTD_FLUSH,
  },
  br: {
    whole: (body) => zlib.brotliCompressSync(body, BROTLI_OPTIONS),
    open: () => zlib.createBrotliCompress(BROTLI_OPTIONS),
    flushKind: constants.BROTLI_OPERATION_FLUSH,
  },
  gzip: {
    whole: (body) => zlib.gzipSync(body, ZLIB_OPTIONS),
    open: () => zlib.createGzip(ZLIB_OPTIONS),
    flushKind: constants.Z_SYNC_FLUSH,
  },
  // The zlib format, as RFC 9110 §8.4.1.2 has it; not bare deflate.
  deflate: {
    whole: (body) => zlib.deflateSync(body, ZLIB_OPTIONS),
    open: () => zlib.createDeflate(ZLIB_OPTIONS),
    flushKind: constants.Z_SYNC_FLUSH,
  },
};
