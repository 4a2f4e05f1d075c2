import { type Transform } from "node:stream";
import zlib, {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from "node:zlib";
import { loadError } from "./load-errors.ts";

type Bytes = Uint8Array;

interface ZstdMethods {
  readonly zstdDecompressSync: (bytes: Bytes, options: { readonly maxOutputLength: number }) => Buffer;
  readonly createZstdDecompress: () => Transform;
}

// The types are those of an older Node; Bun has both functions.
const { zstdDecompressSync, createZstdDecompress } = zlib as unknown as ZstdMethods;

/** Undoes a content coding, at once or piece by piece. */
export interface Coding {
  /** The first bytes select one of the formats that share a name. */
  whole(bytes: Bytes, options: { readonly maxOutputLength: number; readonly cut: boolean }): Buffer;
  stream(first: Bytes): Transform;
  readonly isZstd?: boolean;
}

const GZIP: Coding = {
  whole: (bytes, { maxOutputLength, cut }) => gunzipSync(bytes, { maxOutputLength, ...flushOf(cut) }),
  stream: () => createGunzip(),
};

/** `deflate` is zlib's format (RFC 9110 §8.4.1.2), but some servers send raw deflate. */
const DEFLATE: Coding = {
  whole: (bytes, { maxOutputLength, cut }) =>
    (isZlib(bytes) ? inflateSync : inflateRawSync)(bytes, { maxOutputLength, ...flushOf(cut) }),
  stream: (first) => (isZlib(first) ? createInflate() : createInflateRaw()),
};

const BROTLI: Coding = {
  whole: (bytes, { maxOutputLength, cut }) =>
    brotliDecompressSync(bytes, {
      maxOutputLength,
      ...(cut ? { finishFlush: constants.BROTLI_OPERATION_FLUSH } : {}),
    }),
  stream: () => createBrotliDecompress(),
};

const ZSTD: Coding = {
  whole: (bytes, { maxOutputLength }) => zstdDecompressSync(bytes, { maxOutputLength }),
  stream: () => createZstdDecompress(),
  isZstd: true,
};

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ["gzip", GZIP],
  ["x-gzip", GZIP],
  ["deflate", DEFLATE],
  ["br", BROTLI],
  ["zstd", ZSTD],
]);

/** Codings of one body. Servers use one, and each further one multiplies the size of a decompression bomb. */
const MAX_CODINGS = 2;

function isZlib([first = 0, second = 0]: Bytes): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

function flushOf(cut: boolean): { finishFlush?: number } {
  return cut ? { finishFlush: constants.Z_SYNC_FLUSH } : {};
}

/**
 * The codings of Content-Encoding fields, in the order in which they are undone. Throws `page-failed` for unknown
 * codings.
 */
export function codingsOf(fields: readonly string[]): readonly Coding[] {
  const names = fields
    .flatMap((field) => field.split(","))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MAX_CODINGS) throw loadError(`it has more than ${MAX_CODINGS} content codings`);
  return names.toReversed().map((name) => {
    const coding = CODINGS.get(name);
    if (coding === undefined) throw loadError(`its content coding is unknown ('${name.slice(0, 40)}')`);
    return coding;
  });
}
