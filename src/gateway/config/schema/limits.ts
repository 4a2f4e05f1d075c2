import * as z from "zod";
import { bodyLength, bytes, count } from "./kinds.ts";

/** `limits`: how much a client may send. */
export const limits = z
  .strictObject({
    max_header_bytes: bytes(32_768, 256).describe("Total bytes of the request headers."),
    max_body_bytes: bodyLength()
      .default(33_554_432)
      .describe("Bytes of the request body; of a gRPC call, of each message."),
    max_header_count: count(128, 1, 65_536).describe("Number of request headers."),
  })
  .prefault({})
  .describe("How much a client may send in one request.");
