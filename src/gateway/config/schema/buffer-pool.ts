import { string } from "./recorded-schema.ts";
import { bytes, count, names, ours, section } from "./kinds.ts";

/** `buffer_pool`: the memory that one worker may use for requests in progress. */
export const bufferPool = section({
  buffer_size: bytes(65_536, 1024).describe("Bytes of one buffer for data that waits for a slow peer."),
  buffer_count: count(4096, 2, 16_777_216).describe(
    "Number of these buffers in one worker, at least twice `server.max_connections`. While fewer than two are free, new requests get 503.",
  ),
  body_buffer_size: bytes(1_048_576, 1024).describe(
    "Bytes of one buffer for bodies that are buffered completely: uploads for `body_schema`, and responses that wait for their payment.",
  ),
  body_buffer_count: count(32, 1, 1_048_576).describe(
    "Number of such buffers in one worker. Without a free one, uploads and priced routes get 503.",
  ),
  response_buffer_bytes: bytes(33_554_432, 0).meta(
    ours("Bytes of one response that may wait for a slow client in memory and on disk. 0: none."),
  ),
  response_disk_bytes: bytes(1_073_741_824, 0).meta(
    ours(
      "Bytes on disk that one worker may use for such responses. One client address may use half of the free space. 0: only memory.",
    ),
  ),
  temp_path: string()
    .meta(names("folder"))
    .default("")
    .meta(ours("Folder for such responses. Empty: the system's folder for temporary files.")),
}).describe("Memory of one worker for requests in flight.");
