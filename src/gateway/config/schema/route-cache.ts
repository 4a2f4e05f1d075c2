import * as z from "zod";
import { count, headerName, seconds } from "./kinds.ts";

export const routeCache = z
  .strictObject({
    ttl_s: seconds(60).describe("Seconds a response is fresh that does not say so itself."),
    max_entries: count(1024, 1, 16_777_216).describe("Entries, the least recently used leaving first."),
    vary: z
      .array(headerName)
      .default([])
      .describe("Request headers that are part of the key, beside `Accept-Encoding`."),
  })
  .describe("Response cache.");
