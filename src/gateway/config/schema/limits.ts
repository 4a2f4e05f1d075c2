import * as z from "./recorded-schema.ts";
import { bodyLength, bytes, count } from "./kinds.ts";

export const limits = z
  .strictObject({
    max_header_bytes: bytes(32_768, 256).describe("Maximum bytes of the request header section."),
    max_body_bytes: bodyLength()
      .default(33_554_432)
      .describe("Maximum bytes of the request body. For a gRPC call, of each message."),
    max_header_count: count(128, 1, 65_536).describe("Maximum number of request header fields."),
  })
  .prefault({})
  .describe("Limits on the size of a request.");
