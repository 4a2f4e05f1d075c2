import { int } from "./recorded-schema.ts";
import { bytes, count, flag, section } from "./kinds.ts";

/** `http2`: limits of the HTTP/2 codec. */
export const http2 = section({
  max_streams: count(128, 1, 2_147_483_647).describe("Maximum concurrent streams of one connection."),
  max_header_list_size: bytes(8192, 256).describe("Maximum bytes of a decoded field section."),
  initial_window_size: bytes(1_048_576, 1).describe("Initial flow-control window."),
  max_frame_size: int().min(16_384).max(16_777_215).default(16_384).describe("Maximum frame payload in bytes."),
  h2c_only: flag().describe("Require the prior-knowledge preface on the single plaintext listener."),
}).describe("HTTP/2. The dynamic table is fixed at 4096 bytes.");
