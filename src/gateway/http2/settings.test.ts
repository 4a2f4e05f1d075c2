import { describe, expect, test } from "bun:test";
import { FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, PROTOCOL_ERROR } from "./frame.ts";
import { PeerSettings, settingsPayload } from "./settings.ts";

const PUSH = 2;
const STREAMS = 3;
const WINDOW = 4;
const FRAME = 5;
const LIST = 6;
const MAX_WINDOW = 2 ** 31 - 1;

function payload(...pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const bytes = Buffer.alloc(pairs.length * 6);
  for (const [i, [id, value]] of pairs.entries()) {
    bytes.writeUInt16BE(id, i * 6);
    bytes.writeUInt32BE(value, i * 6 + 2);
  }
  return bytes;
}

function applied(bytes: Uint8Array, ofServer = false) {
  const settings = new PeerSettings();
  // Other bytes surround the payload.
  const framed = Buffer.concat([Buffer.alloc(4, 9), bytes, Buffer.alloc(4, 9)]);
  const code = settings.apply(framed, { start: 4, end: 4 + bytes.length }, ofServer)?.code;
  const { initialWindowSize, maxFrameSize, maxStreams, maxHeaderListSize } = settings;
  return { code, values: [initialWindowSize, maxFrameSize, maxStreams, maxHeaderListSize] };
}

describe("the peer's settings", () => {
  const defaults = [65_535, 16_384, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];

  test("have defaults, and take each value in order", () => {
    expect(applied(payload())).toEqual({ code: undefined, values: defaults });
    const all = payload([STREAMS, 7], [WINDOW, MAX_WINDOW], [FRAME, 16_777_215], [LIST, 0xff_ff_ff_ff], [WINDOW, 0]);
    expect(applied(all)).toEqual({ code: undefined, values: [0, 16_777_215, 7, 0xff_ff_ff_ff] });
    expect(applied(payload([1, 5], [8, 5], [0x1234, 5], [0x0204, 5]))).toEqual({ code: undefined, values: defaults });
  });

  test.each<[number, number, boolean, number | undefined]>([
    [PUSH, 0, false, undefined],
    [PUSH, 1, false, undefined],
    [PUSH, 2, false, PROTOCOL_ERROR],
    [PUSH, 0, true, undefined],
    [PUSH, 1, true, PROTOCOL_ERROR],
    [WINDOW, MAX_WINDOW + 1, false, FLOW_CONTROL_ERROR],
    [FRAME, 16_383, false, PROTOCOL_ERROR],
    [FRAME, 16_384, false, undefined],
    [FRAME, 16_777_216, false, PROTOCOL_ERROR],
  ])("%p of %p, of a server: %p, causes %p", (id, value, ofServer, code) => {
    expect(applied(payload([id, value]), ofServer).code).toBe(code as never);
  });

  test("end at the first error, and have a whole number of entries", () => {
    expect(applied(payload([PUSH, 9], [STREAMS, 1]))).toEqual({ code: PROTOCOL_ERROR, values: defaults });
    expect(applied(payload([STREAMS, 1]).subarray(1)).code).toBe(FRAME_SIZE_ERROR);
  });
});

test("a server announces its limits and extended CONNECT, and a client refuses pushes", () => {
  const sizes = { maxHeaderListSize: 8192, initialWindowSize: 65_535, maxFrameSize: 16_384 };
  const limits = [
    [WINDOW, 65_535],
    [FRAME, 16_384],
    [LIST, 8192],
  ] as const;
  expect(settingsPayload({ ...sizes, maxStreams: 100 })).toEqual(payload([STREAMS, 100], ...limits, [8, 1]));
  expect(settingsPayload(sizes)).toEqual(payload([PUSH, 0], ...limits));
});
