import { expect, test } from "bun:test";
import fc from "fast-check";
import { TurnpikeError } from "../../lib/errors.ts";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { type BodySink } from "../exchange/exchange.ts";
import { chunkHead } from "./chunked.ts";
import { type BodySource, Http1RequestBody } from "./request-body.ts";

const MAX_BODY_BYTES = 1000;

class Source implements BodySource {
  readonly limits = { maxHeaderBytes: 200, maxHeaderCount: 5 };
  readonly buffers: BufferPool;
  held = false;
  stops = 0;
  constructor(buffers = plentyOfBuffers()) {
    this.buffers = buffers;
  }
  holdReading(hold: boolean): void {
    this.held = hold;
    if (hold) this.stops++;
  }
}

class Sink implements BodySink {
  text = "";
  room = true;
  ends: string[] = [];
  errors: TurnpikeError[] = [];
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.text += Buffer.from(chunk.subarray(start, end)).toString("latin1");
    return this.room;
  }
  end(trailers: string): void {
    this.ends.push(trailers);
  }
  abort(error: TurnpikeError): void {
    this.errors.push(error);
  }
}

function make(length: number): { source: Source; sink: Sink; body: Http1RequestBody } {
  const source = new Source();
  return { source, sink: new Sink(), body: new Http1RequestBody(source, length, MAX_BODY_BYTES) };
}

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");

test("a body of known length ends at its last byte and leaves the rest", () => {
  const { body, sink } = make(5);
  body.readTo(sink);
  expect(body.receive(bytes("xxhel"), 2)).toBe(5);
  expect([body.complete, body.remaining]).toEqual([false, 2]);
  expect(body.receive(bytes("loGET /"), 0)).toBe(2);
  expect([body.complete, body.remaining, body.received]).toEqual([true, 0, 5]);
  expect([sink.text, sink.ends]).toEqual(["hello", [""]]);
});

test("bytes that arrive before there is a reader are kept, and reading is paused", () => {
  const { body, sink, source } = make(10);
  body.receive(bytes("hello"), 0);
  expect(source.held).toBe(true);
  body.readTo(sink);
  expect([sink.text, source.held]).toEqual(["hello", false]);
});

test("a sink that is full at once keeps reading paused until it resumes", () => {
  const { body, sink, source } = make(10);
  sink.room = false;
  body.receive(bytes("hello"), 0);
  body.readTo(sink);
  expect(source.held).toBe(true);
  body.resume();
  expect(source.held).toBe(false);
  body.receive(bytes("wo"), 0);
  expect(source.held).toBe(true);
});

test("the last bytes of a body never pause the reading of the next request", () => {
  for (const length of [5, -1]) {
    const { body, sink, source } = make(length);
    sink.room = false;
    body.readTo(sink);
    body.receive(bytes(length === -1 ? "5\r\nhello\r\n0\r\n\r\n" : "hello"), 0);
    expect([body.complete, source.held]).toEqual([true, false]);
    if (length === 5) expect(source.stops).toBe(0);
  }
});

test("reading continues while the reader accepts more", () => {
  const { body, sink, source } = make(10);
  body.readTo(sink);
  body.receive(bytes("hello"), 0);
  expect([sink.text, source.stops]).toEqual(["hello", 0]);
});

test("a complete body without a reader does not keep reading paused", () => {
  for (const length of [5, -1]) {
    const { body, sink, source } = make(length);
    body.receive(bytes(length === -1 ? "5\r\nhello\r\n0\r\n\r\n" : "hello"), 0);
    expect([body.complete, source.held]).toEqual([true, false]);
    if (length === 5) expect(source.stops).toBe(0);
    body.readTo(sink);
    expect([sink.text, sink.ends]).toEqual(["hello", [""]]);
  }
});

test("trailers are passed on without those for framing or routing", () => {
  const { body, sink } = make(-1);
  body.readTo(sink);
  body.receive(bytes("1\r\na\r\n0\r\nX-Sum: 1\r\nContent-Length: 3\r\nHost: evil\r\nX-Real-IP: 1.2.3.4\r\n\r\n"), 0);
  expect(sink.ends).toEqual(["X-Sum: 1\r\n"]);
});

test("a refused body is reported once, with its own error, and no bytes follow", () => {
  for (const [wire, code] of [
    ["3e9\r\n", "body-too-large"],
    ["zz\r\n", "bad-request"],
    ["1\r\na\r\n0\r\nbad line\r\n\r\n", "bad-request"],
    [`0\r\n${"A: b\r\n".repeat(6)}\r\n`, "bad-request"],
  ] as const) {
    const { body, sink } = make(-1);
    body.readTo(sink);
    body.receive(bytes(wire), 0);
    body.receive(bytes("1\r\na\r\n0\r\n\r\n"), 0);
    expect(sink.errors.map((error) => error.code)).toEqual([code]);
    expect(sink.ends).toEqual([]);
    expect(body.error?.code).toBe(code);
  }
});

test("a body may be as long as its limit, and one that announces more is refused before any of it is read", () => {
  const longest = make(MAX_BODY_BYTES);
  longest.body.readTo(longest.sink);
  longest.body.receive(Buffer.alloc(MAX_BODY_BYTES), 0);
  expect([longest.body.error, longest.body.complete, longest.sink.ends]).toEqual([undefined, true, [""]]);
  const { body, sink } = make(MAX_BODY_BYTES + 1);
  body.readTo(sink);
  body.receive(bytes("hello"), 0);
  expect([body.error?.code, body.received, sink.text]).toEqual(["body-too-large", 0, ""]);
  expect(sink.errors.map(({ code }) => code)).toEqual(["body-too-large"]);
});

test("trailers have the same limit as the fields of a head", () => {
  const { body, sink } = make(-1);
  body.readTo(sink);
  body.receive(bytes(`0\r\n${"A: b\r\n".repeat(5)}\r\n`), 0);
  expect(sink.ends).toEqual(["A: b\r\n".repeat(5)]);
});

test("the remaining length of a body without a length is unknown until it has ended", () => {
  const { body } = make(-1);
  body.receive(bytes("5\r\nhello\r\n"), 0);
  expect(body.remaining).toBe(Number.POSITIVE_INFINITY);
  body.receive(bytes("0\r\n\r\n"), 0);
  expect(body.remaining).toBe(0);
});

test("a reader pauses and resumes the reading of its body, but not that of the next request", () => {
  const { body, sink, source } = make(5);
  body.readTo(sink);
  body.pause();
  expect(source.held).toBe(true);
  body.resume();
  expect(source.held).toBe(false);
  body.receive(bytes("hello"), 0);
  body.pause();
  expect(source.held).toBe(false);
  // Paused for another reason, such as a pipeline.
  source.held = true;
  body.resume();
  body.discard();
  expect(source.held).toBe(true);
});

test("a failure is reported once, and not to the reader of a discarded body", () => {
  const [first, second] = [1, 2].map((n) => new TurnpikeError("bad-request", `error ${n}`));
  for (const isDiscarded of [false, true]) {
    const { body, sink } = make(5);
    body.readTo(sink);
    if (isDiscarded) body.discard();
    for (const error of [first, second]) if (error !== undefined) body.abort(error);
    expect(body.error).toBe(first);
    expect(sink.errors).toEqual(isDiscarded || first === undefined ? [] : [first]);
  }
});

test("discarding a body releases its kept bytes", () => {
  const { body, source } = make(10);
  body.receive(bytes("hello"), 0);
  body.discard();
  expect([source.buffers.used, source.held]).toEqual([0, false]);
});

test("a body that failed before it had a reader reports the failure to a later reader", () => {
  const { body, sink } = make(-1);
  body.receive(bytes("1\r\na\r\nnonsense"), 0);
  body.readTo(sink);
  expect([sink.text, sink.errors.length, sink.ends.length]).toEqual(["a", 1, 0]);
});

test("a discarded body is counted and dropped", () => {
  const { body, sink, source } = make(10);
  sink.room = false;
  body.readTo(sink);
  body.receive(bytes("hello"), 0);
  body.discard();
  expect(source.held).toBe(false);
  body.receive(bytes("world"), 0);
  expect([sink.text, sink.ends.length, body.received, body.complete]).toEqual(["hello", 0, 10, true]);
});

test("a body can be read once", () => {
  const { body, sink } = make(5);
  body.readTo(sink);
  expect(() => body.readTo(sink)).toThrow("Cannot read a request body");
});

test("however a body is split and whenever it is read, the sink gets all of it and one end", () => {
  const chunk = fc.string({ unit: fc.constantFrom("a", "\r", "\n", "0", "\xff"), maxLength: 20, minLength: 1 });
  fc.assert(
    fc.property(
      fc.array(chunk, { maxLength: 10 }),
      fc.boolean(),
      fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
      fc.nat(12),
      (chunks, chunked, cuts, asked) => {
        const whole = chunks.join("");
        fc.pre(chunked || whole.length > 0);
        const framed = chunks.map((text) => `${chunkHead(text.length)}${text}\r\n`).join("");
        const wire = bytes(`${chunked ? `${framed}0\r\n\r\n` : whole}NEXT`);
        const { body, sink } = make(chunked ? -1 : whole.length);
        let at = 0;
        for (let step = 0; !body.complete; step++) {
          if (step === asked) body.readTo(sink);
          const piece = wire.subarray(at, at + 1 + (cuts[step % cuts.length] ?? 0));
          at += body.receive(piece, 0);
        }
        if (sink.ends.length === 0) body.readTo(sink);
        expect([sink.text, sink.ends, sink.errors.length]).toEqual([whole, [""], 0]);
        expect(wire.subarray(at).toString()).toBe("NEXT");
        expect(body.received).toBe(whole.length);
      },
    ),
    { numRuns: 300 },
  );
});

test("a body without a reader waits in buffers, and fails as overload if there is no buffer", () => {
  const pool = new BufferPool({ bufferSize: 16_384, bufferCount: 1, reserve: 0 });
  const [first, second] = [1, 2].map(() => new Http1RequestBody(new Source(pool), 900, MAX_BODY_BYTES));
  first?.receive(bytes("x".repeat(800)), 0);
  expect(pool.used).toBe(16_384);
  second?.receive(bytes("y"), 0);
  const sink = new Sink();
  second?.readTo(sink);
  expect([sink.text, sink.errors.map(({ code }) => code)]).toEqual(["", ["overloaded"]]);
  const taker = new Sink();
  first?.readTo(taker);
  expect([taker.text.length, pool.used]).toEqual([800, 0]);
});

test("a body that gets no more buffers releases those that it has", () => {
  const pool = new BufferPool({ bufferSize: 16_384, bufferCount: 1, reserve: 0 });
  const body = new Http1RequestBody(new Source(pool), 40_000, 40_000);
  for (const length of [10_000, 10_000]) {
    expect([body.error, pool.used]).toEqual([undefined, body.received === 0 ? 0 : 16_384]);
    body.receive(Buffer.alloc(length), 0);
  }
  expect([body.error?.code, pool.used]).toEqual(["overloaded", 0]);
});

test("unread bytes of a body are released with its request", () => {
  const { body, source } = make(10);
  body.receive(bytes("hello"), 0);
  expect(source.buffers.used).toBeGreaterThan(0);
  body.forget();
  expect(source.buffers.used).toBe(0);
});
