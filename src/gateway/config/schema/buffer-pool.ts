import * as z from "zod";
import { bytes, count, ours } from "./kinds.ts";

/** `buffer_pool`: the memory that one worker may hold for requests in flight. */
export const bufferPool = z
  .strictObject({
    buffer_size: bytes(65_536, 1024).describe(
      "Bytes of one buffer for what waits since a peer is slow: a response that its client does not read, a body that its upstream does not take, requests sent ahead. What waits takes whole buffers.",
    ),
    buffer_count: count(4096, 2, 16_777_216).describe(
      "Number of such buffers in one worker, at least twice `server.max_connections`: one each way. While fewer than two are free, new requests get 503; what has to wait and finds none is cut off.",
    ),
    body_buffer_size: bytes(1_048_576, 1024).describe(
      "Bytes of one buffer for bodies that are gathered whole: uploads that a `body_schema` checks, answers that wait for their payment. Small bodies share a buffer, large ones take several.",
    ),
    body_buffer_count: count(32, 1, 1_048_576).describe(
      "Number of such buffers in one worker. An upload that finds no room gets 503, and so do requests to pay for while less than one is free.",
    ),
    response_buffer_bytes: bytes(33_554_432, 0).meta(
      ours(
        "Bytes of one response that may wait for a slow client, in memory and on the disk, so that its upstream connection is free. 0: none.",
      ),
    ),
    response_disk_bytes: bytes(1_073_741_824, 0).meta(
      ours(
        "Bytes on the disk that one worker may use for such responses, in blocks of 256 KiB; one client address may use half of what no other uses. 0: they wait in memory alone.",
      ),
    ),
    temp_path: z
      .string()
      .default("")
      .meta(
        ours(
          "Folder of the file for such responses. The file has no name and is gone with its worker. Empty: the system's folder for temporary files.",
        ),
      ),
  })
  .prefault({})
  .describe("The memory that one worker may hold for requests in flight.");
