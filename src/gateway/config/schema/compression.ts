import * as z from "zod";
import { ours } from "./kinds.ts";

/** What is sent by, the first preferred where a client likes them equally. */
const ENCODINGS = ["zstd", "br", "gzip", "deflate"] as const;

/** RFC 9110 §8.3.1, with a star for a type, a subtype, or what stands before a subtype's suffix. */
const mediaType = z
  .string()
  .regex(
    /^(?:\*|[!#$&\-^_.+0-9A-Za-z]+)\/(?:\*(?:\+[!#$&\-^_.0-9A-Za-z]+)?|[!#$&\-^_.+0-9A-Za-z]+)$/,
    'expected a media type such as "text/html", "text/*" or "application/*+json"',
  );

const keys = {
  enabled: z.boolean().exactOptional().describe("false turns compression off. Default: true if the block is present."),
  min_bytes: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .exactOptional()
    .describe(
      "Minimum length of a response to be compressed. Default: 1024. Responses of unknown length are compressed.",
    ),
  types: z
    .array(mediaType)
    .exactOptional()
    .describe(
      "Media types to compress, such as `text/html`, `text/*`, `application/*+json`. Default: text, JSON, XML, scripts and similar types.",
    ),
  encodings: z
    .array(z.enum(ENCODINGS))
    .exactOptional()
    .describe(
      `Content codings to offer. If a client has no preference, the first one is used. Default: ${ENCODINGS.join(", ")}.`,
    ),
};

/** `compression`: of the responses of all routes. */
export const compression = z
  .strictObject(keys)
  .exactOptional()
  .meta(ours("Compression of responses by `Accept-Encoding`. Without this block nothing is compressed."));

/** `routes[].compression`: what differs on one route. */
export const routeCompression = z.strictObject(keys).meta(ours("Overrides of `compression` for this route."));

/** What holds where the configuration says nothing. */
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
