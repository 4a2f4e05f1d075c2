import { expect, test } from "bun:test";
import { constants } from "node:http2";
import * as frame from "./frame.ts";

test("error codes have the numbers of nghttp2", () => {
  const { NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR } = frame;
  expect([NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR]).toEqual([
    constants.NGHTTP2_NO_ERROR,
    constants.NGHTTP2_PROTOCOL_ERROR,
    constants.NGHTTP2_INTERNAL_ERROR,
    constants.NGHTTP2_FLOW_CONTROL_ERROR,
    constants.NGHTTP2_STREAM_CLOSED,
    constants.NGHTTP2_FRAME_SIZE_ERROR,
  ]);
  expect([frame.REFUSED_STREAM, frame.CANCEL, frame.COMPRESSION_ERROR, frame.ENHANCE_YOUR_CALM]).toEqual([
    constants.NGHTTP2_REFUSED_STREAM,
    constants.NGHTTP2_CANCEL,
    constants.NGHTTP2_COMPRESSION_ERROR,
    constants.NGHTTP2_ENHANCE_YOUR_CALM,
  ]);
});
