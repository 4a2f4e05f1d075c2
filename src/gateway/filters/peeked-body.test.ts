import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { type BodySink, type RequestBody } from "../exchange/exchange.ts";
import { PeekedBody } from "./peeked-body.ts";

const LONG = new TurnpikeError("body-too-large", "long");
const FULL = new TurnpikeError("overloaded", "full");
const BROKEN = new TurnpikeError("bad-request", "broken");

/** A body whose client the test plays. */
class ClientBody implements RequestBody {
  sink: BodySink | undefined;
  error: TurnpikeError | undefined;
  complete = false;
  readonly calls: string[] = [];
  readTo(sink: BodySink): void {
    this.sink = sink;
  }
  pause = (): void => void this.calls.push("pause");
  resume = (): void => void this.calls.push("resume");
  liftLimits = (): void => void this.calls.push("lift");
  data(text: string): boolean | undefined {
    return this.sink?.data(Buffer.from(`<${text}>`), 1, text.length + 1);
  }
}

function create({ maxBytes = 3, memory = 100 } = {}) {
  const pool = new BufferPool({ bufferSize: 1, bufferCount: memory, reserve: 0 });
  const exchange = new ClientExchange(new Consumer(), { bodyLength: -1 });
  const client = new ClientBody();
  exchange.body = client;
  const finished: unknown[] = [];
  exchange.onFinish = (one) => finished.push(one);
  const body = new PeekedBody(exchange, { maxBytes, memory: pool, tooLong: LONG, noRoom: FULL });
  const peeked: (string | undefined)[] = [];
  const result = body.peek();
  void Promise.resolve(result).then((error) => peeked.push(error?.code));
  return { pool, exchange, client, finished, body, peeked };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** The bytes and the end that a reader of the body gets. */
function reader(takesMore = true) {
  const events: string[] = [];
  const sink: BodySink = {
    data: (chunk, start, end) => events.push(Buffer.from(chunk.subarray(start, end)).toString()) > 0 && takesMore,
    end: (trailers) => void events.push(`end ${trailers}`),
    abort: ({ code }) => void events.push(code),
  };
  return { events, sink };
}

test("the first bytes are held, and the client is paused with them", async () => {
  const { pool, exchange, client, body, peeked } = create();
  expect(exchange.body).toBe(body);
  expect(client.data("ab")).toBe(true);
  await turn();
  expect(peeked).toEqual([]);
  expect(client.data("cd")).toBe(false);
  await turn();
  expect([peeked, pool.used, body.isWhole]).toEqual([[undefined], 4, false]);
  expect(Buffer.from(body.first()).toString()).toBe("abc");
  const { events, sink } = reader();
  body.resume();
  expect(client.calls).toEqual([]);
  body.readTo(sink);
  expect([events.join(""), pool.used, client.calls]).toEqual(["abcd", 0, ["resume"]]);
  expect(client.data("e")).toBe(true);
  body.pause();
  body.resume();
  body.liftLimits();
  client.sink?.end("x: 1\r\n");
  expect([events.slice(-2), client.calls]).toEqual([
    ["e", "end x: 1\r\n"],
    ["resume", "pause", "resume", "lift"],
  ]);
});

test("a short body is whole, and its reader gets its end", async () => {
  const { client, body, peeked } = create();
  client.data("ab");
  client.sink?.end("x: 1\r\n");
  await turn();
  expect([peeked, body.isWhole]).toEqual([[undefined], true]);
  const { events, sink } = reader();
  body.readTo(sink);
  expect([events, client.calls]).toEqual([["ab", "end x: 1\r\n"], []]);
});

test("a reader that takes no more does not resume the client", async () => {
  const { client, body } = create();
  client.data("abc");
  await turn();
  const { events, sink } = reader(false);
  body.readTo(sink);
  expect([events, client.calls]).toEqual([["abc"], []]);
  expect(client.data("d")).toBe(false);
  client.sink?.abort(BROKEN);
  expect(events).toEqual(["abc", "d", "bad-request"]);
});

test("a body without memory fails, and frees what it has", async () => {
  const { pool, client, body, peeked } = create({ memory: 2 });
  client.data("ab");
  expect(client.data("c")).toBe(false);
  await turn();
  expect([peeked, body.error, pool.used]).toEqual([["overloaded"], FULL, 0]);
  expect(client.data("d")).toBe(false);
  client.sink?.abort(BROKEN);
  const { events, sink } = reader();
  body.readTo(sink);
  expect(events).toEqual(["overloaded"]);
});

test("the error of the client's body is reported", async () => {
  const { client, body, peeked } = create();
  client.data("a");
  client.sink?.abort(BROKEN);
  await turn();
  expect([peeked, body.error]).toEqual([["bad-request"], BROKEN]);
  const other = create();
  other.client.error = LONG;
  other.client.complete = true;
  expect([other.body.error, other.body.complete, body.complete]).toEqual([LONG, true, false]);
});

test("an exchange that ends frees the memory, and the peek ends", async () => {
  const { pool, exchange, client, finished, peeked } = create();
  client.data("ab");
  exchange.onFinish?.(exchange);
  await turn();
  expect([pool.used, peeked, finished]).toEqual([0, [undefined], [exchange]]);
});

test("a client that has left has no body to peek at", () => {
  const exchange = new ClientExchange(new Consumer(), { bodyLength: -1 });
  exchange.gone = true;
  const memory = new BufferPool({ bufferSize: 1, bufferCount: 1, reserve: 0 });
  const body = new PeekedBody(exchange, { maxBytes: 3, memory, tooLong: LONG, noRoom: FULL });
  expect(body.peek()).toMatchObject({ code: "bad-request" });
});
