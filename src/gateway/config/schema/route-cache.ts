import * as z from "zod";
import { bytes, count, headerName, ours } from "./kinds.ts";

export const routeCache = z
  .strictObject({
    ttl_s: count(60, 0, 315_360_000).describe(
      "Seconds a response is fresh that does not say so itself; 0: a tenth of the time since its Last-Modified.",
    ),
    max_entries: count(1024, 1, 16_777_216).describe("Entries, the least recently used leaving first."),
    max_bytes: bytes(67_108_864, 0).meta(ours("Bytes that the entries of a worker may take, heads included.")),
    max_entry_bytes: bytes(8_388_608, 0).meta(ours("Bytes of the largest body that is stored; larger ones pass.")),
    vary: z
      .array(headerName)
      .default([])
      .describe("Request headers that are part of the key, beside `Accept-Encoding`."),
    targeted_fields: z
      .array(headerName)
      .max(16)
      .default(["CDN-Cache-Control"])
      .meta(
        ours(
          "Response fields that this cache follows in the place of `Cache-Control`, the first valid one (RFC 9213).",
        ),
      ),
  })
  .describe("Response cache.");
