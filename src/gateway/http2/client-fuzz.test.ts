import { expect, test } from "bun:test";
import fc from "fast-check";
import { type ResponseHead, type ResponseSink } from "../exchange/exchange.ts";
import * as f from "./frame.ts";
import { IndexingEncoder, type SentField } from "./hpack/testing/indexing-encoder.ts";
import { GET, POST, ScriptedServer } from "./testing/scripted-server.ts";

/** Throws if anything is reported after the end, or data before a final head. */
class StrictSink implements ResponseSink {
  ends = 0;
  #begun = false;
  start(head: ResponseHead): void {
    expect([this.ends, this.#begun]).toEqual([0, false]);
    this.#begun = head.status >= 200;
  }
  data(_chunk: Uint8Array, start = 0, end = 0): boolean {
    expect([this.ends, this.#begun]).toEqual([0, true]);
    return (end - start) % 3 !== 0;
  }
  end(): void {
    expect([this.ends, this.#begun]).toEqual([0, true]);
    this.ends++;
  }
  abort(): void {
    expect(this.ends).toBe(0);
    this.ends++;
  }
}

function field(name: string, value: string): SentField {
  return { name, value, as: "indexed", huffman: value.length % 2 === 0 };
}

function data(streamId: number, flags: number, text: string): Buffer {
  return f.payloadFrame({ type: f.DATA, flags, streamId }, Buffer.from(text));
}

/** The bytes that a server sends in response to four requests. */
function conversation(): Buffer {
  const encoder = new IndexingEncoder();
  const head = (streamId: number, flags: number, ...fields: SentField[]): Buffer =>
    f.payloadFrame({ type: f.HEADERS, flags: flags | f.END_HEADERS, streamId }, encoder.block(fields));
  const ok = [field(":status", "200"), field("content-type", "text/plain"), field("content-length", "5")];
  return Buffer.concat([
    f.payloadFrame({ type: f.SETTINGS, flags: 0, streamId: 0 }, Buffer.from("000300000064000400010000", "hex")),
    f.payloadFrame({ type: f.SETTINGS, flags: f.ACK, streamId: 0 }, Buffer.alloc(0)),
    f.numbersFrame({ type: f.WINDOW_UPDATE, flags: 0, streamId: 0 }, [100_000]),
    head(1, 0, field(":status", "103"), field("link", "</a>")),
    head(1, 0, ...ok),
    data(1, 0, "he"),
    head(3, 0, ...ok),
    data(1, f.END_STREAM, "llo"),
    f.payloadFrame({ type: f.PING, flags: 0, streamId: 0 }, Buffer.alloc(8)),
    f.payloadFrame({ type: f.DATA, flags: f.PADDED, streamId: 3 }, Buffer.from("\x02abcde\0\0")),
    head(3, f.END_STREAM, field("x-trailer", "1")),
    f.numbersFrame({ type: f.WINDOW_UPDATE, flags: 0, streamId: 5 }, [1000]),
    head(5, f.END_STREAM, field(":status", "404"), field("date", "today")),
    f.numbersFrame({ type: f.RST_STREAM, flags: 0, streamId: 7 }, [f.REFUSED_STREAM]),
    f.numbersFrame({ type: f.GOAWAY, flags: 0, streamId: 0 }, [7, 0]),
  ]);
}

const CONVERSATION = conversation();

/** Feeds `bytes` in pieces to a connection with four requests open. Returns the number of requests that ended. */
function play(bytes: Buffer, cuts: readonly number[]): number {
  const server = new ScriptedServer();
  const sinks = [new StrictSink(), new StrictSink(), new StrictSink(), new StrictSink()];
  const streams = sinks.map((sink, i) => server.send(sink, i < 2 ? GET : POST));
  streams[2]?.data(Buffer.from("body"));
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const end = at + (cuts[i % cuts.length] ?? 1);
    server.bytes(bytes.subarray(at, end));
    for (const stream of streams) stream.resume();
    at = end;
  }
  const ended = sinks.reduce((sum, { ends }) => sum + ends, 0);
  server.wire.terminate();
  expect(sinks.map(({ ends }) => ends)).toEqual([1, 1, 1, 1]);
  expect(server.connection.streams.size).toBe(0);
  return ended;
}

const cuts = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 8 });

test("a conversation ends the same, however it is split", () => {
  fc.assert(fc.property(cuts, (sizes) => expect(play(CONVERSATION, sizes)).toBe(4)));
});

test("for all data that a server sends, each request ends once, and no frame breaks the connection's state", () => {
  const changes = fc.array(fc.tuple(fc.nat(CONVERSATION.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(changes, cuts, (bytes, sizes) => {
      const mutated = Buffer.from(CONVERSATION);
      for (const [at, byte] of bytes) mutated[at] = byte;
      play(mutated, sizes);
    }),
    { numRuns: 1500 },
  );
});

test("frames of any kind in any order do no harm", () => {
  const frame = fc
    .record({
      type: fc.integer({ min: 0, max: 11 }),
      flags: fc.constantFrom(0, 1, 4, 5, 8, 0x20, 0x2d),
      streamId: fc.integer({ min: 0, max: 9 }),
      payload: fc.uint8Array({ maxLength: 30 }),
    })
    .map(({ payload, ...head }) => f.payloadFrame(head, payload));
  const settings = f.payloadFrame({ type: f.SETTINGS, flags: 0, streamId: 0 }, Buffer.alloc(0));
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 20 }), cuts, (frames, sizes) => {
      play(Buffer.concat([settings, ...frames]), sizes);
    }),
    { numRuns: 1500 },
  );
});
