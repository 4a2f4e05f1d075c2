import { expect, test } from "bun:test";
import * as f from "./frame.ts";
import { frameError } from "./frame-rules.ts";

const STREAM = 1;

test.each<[number, number, number, number | undefined]>([
  [f.DATA, STREAM, 0, undefined],
  [f.DATA, 0, 5, f.PROTOCOL_ERROR],
  [f.HEADERS, STREAM, 5, undefined],
  [f.HEADERS, 0, 5, f.PROTOCOL_ERROR],
  [f.PRIORITY, STREAM, 4, undefined],
  [f.PRIORITY, 0, 5, f.PROTOCOL_ERROR],
  [f.RST_STREAM, STREAM, 4, undefined],
  [f.RST_STREAM, STREAM, 3, f.FRAME_SIZE_ERROR],
  [f.RST_STREAM, STREAM, 5, f.FRAME_SIZE_ERROR],
  [f.RST_STREAM, 0, 4, f.PROTOCOL_ERROR],
  [f.SETTINGS, 0, 7, undefined],
  [f.SETTINGS, STREAM, 6, f.PROTOCOL_ERROR],
  [f.PING, 0, 8, undefined],
  [f.PING, 0, 7, f.FRAME_SIZE_ERROR],
  [f.PING, 0, 9, f.FRAME_SIZE_ERROR],
  [f.PING, STREAM, 8, f.PROTOCOL_ERROR],
  [f.GOAWAY, 0, 8, undefined],
  [f.GOAWAY, 0, 100, undefined],
  [f.GOAWAY, 0, 7, f.FRAME_SIZE_ERROR],
  [f.GOAWAY, STREAM, 8, f.PROTOCOL_ERROR],
  [f.WINDOW_UPDATE, 0, 4, undefined],
  [f.WINDOW_UPDATE, STREAM, 4, undefined],
  [f.WINDOW_UPDATE, STREAM, 5, f.FRAME_SIZE_ERROR],
  // Types that are not known are ignored (RFC 9113 §5.5).
  [0x77, 0, 1, undefined],
])("a frame of type %p on stream %p with %p bytes causes %p", (type, stream, length, code) => {
  expect(frameError(type, stream, length)?.code).toBe(code as never);
});
