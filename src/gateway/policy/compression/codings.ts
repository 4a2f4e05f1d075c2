import zlib, { type Zlib } from "node:zlib";

/** In order of preference, for clients that accept several equally; the configuration can change it. @internal */
export const CODINGS = ["zstd", "br", "gzip", "deflate"] as const;

/** The name of a content coding, as in Content-Encoding. */
export type Coding = (typeof CODINGS)[number];

/** Encodes one content coding (RFC 9110 §8.4.1, RFC 7932, RFC 8878). */
export interface Coder {
  /** Compresses a whole body at once. */
  readonly whole: (body: Uint8Array) => Uint8Array;
  /** Opens a stream that compresses outside the event loop. */
  readonly open: () => CompressStream;
  /** Outputs all bytes that the stream has taken, and keeps the stream open. */
  readonly flushKind: number;
}

/** A stream that compresses, and that can flush what it has so far. */
export type CompressStream = ReturnType<typeof zlib.createGzip> & Zlib;

/** Bytes of compressed output per chunk. */
const OUTPUT_BYTES = 32_768;
/** A higher level costs more time than it saves bytes. */
const ZLIB_LEVEL = 5;
/** 256 KiB per stream. RFC 8878 §3.1.1.1.2 requires decoders to accept 8 MiB. @bound */
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

// The installed types of Node do not have Zstandard yet, which the runtime has.
const zstd = zlib as unknown as ZstdMethods;
/** Constants of zstd.h: two compression parameters, and the flush directive. */
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
  // The zlib format of RFC 9110 §8.4.1.2, not raw deflate.
  deflate: {
    whole: (body) => zlib.deflateSync(body, ZLIB_OPTIONS),
    open: () => zlib.createDeflate(ZLIB_OPTIONS),
    flushKind: constants.Z_SYNC_FLUSH,
  },
};
