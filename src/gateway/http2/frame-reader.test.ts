import { expect, test } from "bun:test";
import { DATA, PADDED, writeFrameHead } from "./frame.ts";
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
