import { array, boolean, int, oneOf, strictObject, string } from "./recorded-schema.ts";
import { ours } from "./kinds.ts";

/** Content codings to send. If a client accepts several equally, the first of them is used. */
const ENCODINGS = ["zstd", "br", "gzip", "deflate"] as const;

/** A media type (RFC 9110 §8.3.1). A star can replace type, subtype, or the subtype before its suffix. */
const mediaType = string().regex(
  /^(?:\*|[!#$&\-^_.+0-9A-Za-z]+)\/(?:\*(?:\+[!#$&\-^_.0-9A-Za-z]+)?|[!#$&\-^_.+0-9A-Za-z]+)$/,
  'expected a media type such as "text/html", "text/*" or "application/*+json"',
);

const keys = {
  enabled: boolean().exactOptional().describe("false turns compression off. Default: true if the block is present."),
  min_bytes: int()
    .min(0)
    .max(2_147_483_647)
    .exactOptional()
    .describe(
      "Minimum length of a response to be compressed. Default: 1024. Responses of unknown length are compressed.",
    ),
  types: array(mediaType)
    .exactOptional()
    .describe(
      "Media types to compress, such as `text/html`, `text/*`, `application/*+json`. Default: text, JSON, XML, scripts and similar types.",
    ),
  encodings: array(oneOf(ENCODINGS))
    .exactOptional()
    .describe(
      `Content codings to offer. If a client has no preference, the first one is used. Default: ${ENCODINGS.join(", ")}.`,
    ),
};

export const compression = strictObject(keys)
  .exactOptional()
  .meta(ours("Compression of responses by `Accept-Encoding`. Without this block nothing is compressed."));

export const routeCompression = strictObject(keys).meta(ours("Overrides of `compression` for this route."));

/** The values for absent keys. */
export const COMPRESSION_DEFAULTS = {
  enabled: true,
  min_bytes: 1024,
  types: [
    "text/*",
    "application/json",
    "*/*+json",
    "application/javascript",
    "application/x-javascript",
    "application/xml",
    "*/*+xml",
    "application/x-ndjson",
    "application/wasm",
    "application/vnd.ms-fontobject",
    "font/ttf",
    "font/otf",
    "image/bmp",
    "image/x-icon",
    "image/vnd.microsoft.icon",
  ],
  encodings: ENCODINGS,
} as const;
