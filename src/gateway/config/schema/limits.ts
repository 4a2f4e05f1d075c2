import { bodyLength, bytes, count, section } from "./kinds.ts";

export const limits = section({
  max_header_bytes: bytes(32_768, 256).describe("Maximum bytes of the request header section."),
  max_body_bytes: bodyLength()
    .default(33_554_432)
    .describe("Maximum bytes of the request body. For a gRPC call, of each message."),
  max_header_count: count(128, 1, 65_536).describe("Maximum number of request header fields."),
}).describe("Limits on the size of a request.");
