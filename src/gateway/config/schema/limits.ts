import * as z from "zod";
import { bytes, count } from "./kinds.ts";

/** `limits`: how much a client may send. */
export const limits = z
  .strictObject({
    max_header_bytes: bytes(32_768, 256).describe("Total bytes of the request headers."),
    max_body_bytes: bytes(33_554_432, 0).describe("Bytes of the request body."),
    max_header_count: count(128, 1, 65_536).describe("Number of request headers."),
  })
  .prefault({})
  .describe("How much a client may send in one request.");
