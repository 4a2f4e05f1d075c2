import { array, strictObject } from "./recorded-schema.ts";
import { bytes, count, headerName, ours } from "./kinds.ts";

export const routeCache = strictObject({
  ttl_s: count(60, 0, 315_360_000).describe(
    "Seconds for which a response without a lifetime of its own is fresh. 0: a tenth of the time since its Last-Modified.",
  ),
  max_entries: count(1024, 1, 16_777_216).describe(
    "Maximum number of entries. The least recently used is removed first.",
  ),
  max_bytes: bytes(67_108_864, 0).meta(ours("Maximum bytes of all entries of a worker, including header fields.")),
  max_entry_bytes: bytes(8_388_608, 0).meta(ours("Maximum bytes of a stored body.")),
  vary: array(headerName).default([]).describe("Request header fields in the cache key, beside `Accept-Encoding`."),
  targeted_fields: array(headerName)
    .max(16)
    .default(["CDN-Cache-Control"])
    .meta(ours("Response fields that replace `Cache-Control` for this cache (RFC 9213).")),
}).describe("Response cache.");
