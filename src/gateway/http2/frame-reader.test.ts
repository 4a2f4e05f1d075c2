import { expect, test } from "bun:test";
import { DATA, ENHANCE_YOUR_CALM, HEADERS, PADDED, PREFACE, PROTOCOL_ERROR, writeFrameHead } from "./frame.ts";
import { FrameReader, type FrameSink } from "./frame-reader.ts";

function frame(type: number, payload: string): Buffer {
  const bytes = Buffer.alloc(9 + payload.length);
  bytes.write(payload, writeFrameHead(bytes, 0, payload.length, { type, flags: PADDED, streamId: 1 }), "latin1");
  return bytes;
}

test("only the end of a DATA frame is one, also if a frame of an unknown type has its flags", () => {
  const events: string[] = [];
  const sink: FrameSink = {
    frameBegins: () => true,
    frame: (_bytes, start, end) => void events.push(`frame of ${end - start}`),
    dataPiece: (bytes, start, end) => void events.push(Buffer.from(bytes.subarray(start, end)).toString()),
    dataEnds: (padding) => void events.push(`end, padding ${padding}`),
    unreadable: (_code, reason) => void events.push(reason),
  };
  const reader = new FrameReader(sink, { maxFrameSize: 100, maxPayload: 100, expectPreface: false });
  reader.read(frame(0x2a, "abc"));
  expect(events).toEqual([]);
  reader.read(frame(DATA, "\u0002ab\0\0"));
  expect(events).toEqual(["ab", "end, padding 3"]);
});

/** The reasons for which a server's reader stops, with their codes. */
function refusalsOf(...chunks: readonly Uint8Array[]): (readonly [code: number, reason: string])[] {
  const refusals: (readonly [number, string])[] = [];
  const sink: FrameSink = {
    frameBegins: () => true,
    frame() {},
    dataPiece() {},
    dataEnds() {},
    unreadable: (code, reason) => void refusals.push([code, reason]),
  };
  const reader = new FrameReader(sink, { maxFrameSize: 100, maxPayload: 50, expectPreface: true });
  for (const chunk of chunks) reader.read(chunk);
  return refusals;
}

test("every byte of the preface is compared, also of one that comes in pieces", () => {
  const preface = Buffer.from(PREFACE);
  expect(refusalsOf(preface, frame(HEADERS, "a"))).toEqual([]);
  for (let i = 0; i < preface.length; i++) {
    const wrong = Buffer.from(preface);
    wrong[i] = 0x23;
    for (const chunks of [[wrong], [wrong.subarray(0, i), wrong.subarray(i, i + 1), wrong.subarray(i + 1)]]) {
      expect(refusalsOf(...chunks)).toEqual([
        [PROTOCOL_ERROR, "the connection does not begin with the HTTP/2 preface"],
      ]);
    }
  }
});

test("a frame that is kept as a whole has a smaller limit than DATA, to the byte", () => {
  const preface = Buffer.from(PREFACE);
  const [longest, longer] = ["a".repeat(50), "a".repeat(51)];
  expect(refusalsOf(preface, frame(HEADERS, longest), frame(DATA, `\u0000${"a".repeat(99)}`))).toEqual([]);
  expect(refusalsOf(preface, frame(HEADERS, longer))).toEqual([[ENHANCE_YOUR_CALM, "a frame of type 1 with 51 bytes"]]);
});
