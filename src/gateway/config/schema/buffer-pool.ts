import * as z from "zod";
import { bytes, count } from "./kinds.ts";

/** `buffer_pool`: the memory that requests share. */
export const bufferPool = z
  .strictObject({
    buffer_size: bytes(65_536, 1024).describe("Bytes of one hot-path buffer."),
    buffer_count: count(4096, 2, 16_777_216).describe(
      "Number of hot-path buffers, at least twice `server.max_connections`.",
    ),
    body_buffer_size: bytes(1_048_576, 1024).describe("Bytes of one buffer that gathers an upload."),
    body_buffer_count: count(32, 1, 1_048_576).describe("Number of buffers that gather uploads."),
  })
  .prefault({})
  .describe("The memory that requests share.");
