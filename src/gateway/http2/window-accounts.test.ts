import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { type Exchange } from "../exchange/exchange.ts";
import { sendGathered } from "../wire/outgoing.ts";
import * as f from "./frame.ts";
import { Host, POST, ScriptedClient, SETTINGS } from "./testing/scripted-client.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const STREAM_WINDOW = 2000;
const STREAMS = 4;

const KINDS = [
  "data",
  "padded",
  "read",
  "read and be full",
  "read and answer",
  "resume",
  "answer",
  "end",
  "reset",
] as const;

/** A step in the life of a stream, and the number of bytes that it affects. */
interface Step {
  readonly stream: number;
  readonly kind: (typeof KINDS)[number];
  readonly length: number;
  readonly padding: number;
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  stream: fc.integer({ min: 0, max: STREAMS - 1 }),
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("data" as const, "padded" as const) },
    { weight: 2, arbitrary: fc.constantFrom(...KINDS) },
  ),
  length: fc.integer({ min: 0, max: 900 }),
  padding: fc.integer({ min: 0, max: 200 }),
});

/** A client that respects its windows, and keeps books of them. */
class Books {
  readonly host = new Host();
  readonly client: ScriptedClient;
  /** The streams of this round. */
  exchanges: (Exchange | undefined)[] = [];
  readonly size: number;
  connection: number = f.DEFAULT_WINDOW;
  #open: boolean[] = [];
  #windows: number[] = [];
  #read = new Set<number>();
  #firstStream = 1;

  constructor() {
    const http2 = { ...SETTINGS.http2, initialWindowSize: STREAM_WINDOW };
    this.host.current = { ...SETTINGS, maxBodyBytes: 3000, http2 };
    this.client = new ScriptedClient(this.host);
    this.client.bytes(f.PREFACE);
    this.client.settings([]);
    this.client.frame(f.SETTINGS, f.ACK, 0);
    this.look();
    this.size = this.connection;
  }

  beginRound(): void {
    this.#open = Array.from({ length: STREAMS }, () => true);
    this.#windows = Array.from({ length: STREAMS }, () => STREAM_WINDOW);
    this.#read = new Set();
    this.exchanges = this.#open.map((_, i) => {
      this.client.head(this.#firstStream + 2 * i, 0, POST);
      return this.host.exchanges.at(-1);
    });
  }

  endRound(): void {
    for (let i = 0; i < STREAMS; i++) this.reset(i);
    for (const exchange of this.exchanges) if (exchange !== undefined) response(exchange);
    this.look();
    this.host.exchanges.length = 0;
    this.#firstStream += 2 * STREAMS;
    // Time passes, so that resets do not count as a flood.
    this.host.clock.advance(1000);
  }

  look(): void {
    sendGathered();
    for (const { type, streamId, payload } of this.client.frames()) {
      const i = (streamId - this.#firstStream) / 2;
      if (type === f.WINDOW_UPDATE && streamId === 0) this.connection += payload.readUInt32BE(0);
      else if (type === f.WINDOW_UPDATE) this.#windows[i] = (this.#windows[i] ?? 0) + payload.readUInt32BE(0);
      else if (type === f.RST_STREAM) this.#open[i] = false;
      else if (type === f.GOAWAY) throw new Error(`The connection is closed: ${payload.readUInt32BE(4)}`);
    }
  }

  send(i: number, { length, padding }: Step, isPadded: boolean): void {
    const extra = isPadded ? padding + 1 : 0;
    const whole = length + extra;
    if (this.#open[i] !== true || whole > (this.#windows[i] ?? 0)) return;
    expect(whole).toBeLessThanOrEqual(this.connection);
    const payload = Buffer.alloc(whole);
    if (isPadded) payload[0] = padding;
    this.#windows[i] = (this.#windows[i] ?? 0) - whole;
    this.connection -= whole;
    this.client.frame(f.DATA, isPadded ? f.PADDED : 0, this.#firstStream + 2 * i, payload);
  }

  read(i: number, room: boolean, then: (exchange: Exchange) => void): void {
    const exchange = this.exchanges[i];
    if (exchange === undefined || this.#read.has(i)) return;
    this.#read.add(i);
    exchange.body.readTo({
      data() {
        then(exchange);
        return room;
      },
      end() {},
      abort() {},
    });
  }

  end(i: number): void {
    if (this.#leaves(i)) this.client.data(this.#firstStream + 2 * i, f.END_STREAM, "");
  }

  reset(i: number): void {
    if (this.#leaves(i)) this.client.numbers(f.RST_STREAM, this.#firstStream + 2 * i, f.CANCEL);
  }

  #leaves(i: number): boolean {
    const isOpen = this.#open[i] === true;
    this.#open[i] = false;
    return isOpen;
  }
}

function response(exchange: Exchange): void {
  if (exchange.started) return;
  exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: 2 });
  exchange.response.data(Buffer.from("ok"));
  exchange.response.end("");
}

const ACTS: Readonly<Record<Step["kind"], (books: Books, step: Step) => void>> = {
  data: (books, step) => books.send(step.stream, step, false),
  padded: (books, step) => books.send(step.stream, step, true),
  read: (books, { stream }) => books.read(stream, true, () => {}),
  "read and be full": (books, { stream }) => books.read(stream, false, () => {}),
  "read and answer": (books, { stream }) => books.read(stream, false, response),
  resume: (books, { stream }) => books.exchanges[stream]?.body.resume(),
  answer(books, { stream }) {
    const exchange = books.exchanges[stream];
    if (exchange !== undefined) response(exchange);
  },
  end: (books, { stream }) => books.end(stream),
  reset: (books, { stream }) => books.reset(stream),
};

test("however bodies are read, held, refused, padded and cut off, the connection's window is restored", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 5, maxLength: 30, size: "max" }), (steps) => {
      const books = new Books();
      // The window holds at least 64 rounds, so bytes that a round loses show up in the end.
      for (let round = 0; round < 150; round++) {
        books.beginRound();
        for (const each of steps) {
          ACTS[each.kind](books, each);
          books.look();
        }
        books.endRound();
      }
      expect(books.client.connection.streams.size).toBe(0);
      expect(books.host.buffers.used).toBe(0);
      // Less than half of the window may be taken and not given back yet.
      expect(books.connection).toBeGreaterThan(books.size / 2);
      expect(books.connection).toBeLessThanOrEqual(books.size);
    }),
    { numRuns: 40 },
  );
});
