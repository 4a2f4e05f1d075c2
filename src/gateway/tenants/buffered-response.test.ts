import { afterEach, beforeEach, expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type Plain } from "../exchange/exchange-state.ts";
import { type Exchange, type RequestHead, type ResponseHead } from "../exchange/exchange.ts";
import { BufferedResponse } from "./buffered-response.ts";

const MOST = 65_536;
const BROKEN = new TurnpikeError("upstream-failed", "it broke off");

/** Records what the client gets. */
class Client extends Consumer {
  readonly events: string[] = [];
  override start({ status }: ResponseHead): void {
    this.events.push(String(status));
  }
  override data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.events.push(end - start > 10 ? String(end - start) : Buffer.from(chunk.subarray(start, end)).toString());
    return super.data(chunk, start, end);
  }
  override end(): void {
    this.events.push("end");
    super.end();
  }
  override abort(): void {
    this.events.push("abort");
    super.abort();
  }
}

let clock: FakeClock;
let memory: BufferPool;
let client: Client;
let errors: string[];

beforeEach(() => {
  clock = new FakeClock();
  memory = new BufferPool({ bufferSize: 1, bufferCount: 1_000_000, reserve: 0 });
  client = new Client();
  errors = [];
});

let wheel: TimerWheel | undefined;
afterEach(() => wheel?.close());

function respondWithError({ response }: Exchange, { code }: TurnpikeError): void {
  errors.push(code);
  response.start({ status: 502, reason: "", fields: "", bodyLength: 4 });
  response.data(Buffer.from("sick"));
  response.end("");
}

function create(head: Partial<Plain<RequestHead>> = {}): ClientExchange {
  wheel = new TimerWheel(clock);
  const exchange = new ClientExchange(client, { method: "GET", bodyLength: 0, ...head });
  new BufferedResponse(exchange, { wheel, memory, respondWithError }).begin();
  return exchange;
}

function begin({ response }: ClientExchange, bodyLength: number): void {
  response.start({ status: 200, reason: "", fields: "", bodyLength });
}

test("a short response waits until it is complete", () => {
  const exchange = create();
  begin(exchange, 5);
  expect(exchange.response.data(Buffer.from("xabx"), 1, 3)).toBe(true);
  expect(memory.used).toBe(5);
  exchange.response.data(Buffer.from("cde"));
  expect([client.events, memory.used]).toEqual([[], 5]);
  exchange.response.end("");
  expect([client.events, memory.used]).toEqual([["200", "abcde", "end"], 0]);
});

test("a response that breaks off is replaced by an error, and frees its memory", () => {
  const exchange = create();
  begin(exchange, 5);
  exchange.response.data(Buffer.from("abc"));
  exchange.response.abort(BROKEN);
  expect([client.events, errors, memory.used]).toEqual([["502", "sick", "end"], ["upstream-failed"], 0]);
});

test("the error in place of a broken response takes memory for its own bytes", () => {
  const exchange = create();
  begin(exchange, -1);
  exchange.response.data(Buffer.from("abc"));
  const { response } = exchange;
  response.abort(BROKEN);
  begin(exchange, -1);
  response.data(Buffer.from("de"));
  expect(memory.used).toBe(2);
});

test.each<readonly [string, Partial<Plain<RequestHead>>, Partial<ResponseHead>]>([
  ["a response without a body", {}, { bodyLength: 0 }],
  ["a response to HEAD", { method: "HEAD" }, { bodyLength: 5 }],
  ["a response to a gRPC call", { isGrpc: true }, {}],
  ["a 304", {}, { status: 304, bodyLength: 5 }],
  ["an interim response", {}, { status: 103 }],
  ["an event stream", {}, { fields: "Content-Type: text/event-stream\r\n" }],
  ["a response of more than 65,536 bytes", {}, { bodyLength: MOST + 1 }],
])(
  "%s is passed on as it arrives, and is cut off if it breaks off",
  (_, head, { status = 200, bodyLength = -1, fields = "" }) => {
    const exchange = create(head);
    exchange.response.start({ status, reason: "", fields, bodyLength });
    exchange.response.data(Buffer.from("abc"), 1, 2);
    expect([client.events, memory.used]).toEqual([[String(status), "b"], 0]);
    exchange.response.abort(BROKEN);
    expect([client.events.at(-1), errors]).toEqual(["abort", []]);
  },
);

test("a response of 65,536 bytes waits", () => {
  const exchange = create();
  begin(exchange, MOST);
  exchange.response.data(new Uint8Array(MOST));
  expect([client.events, memory.used]).toEqual([[], MOST]);
  exchange.response.end("");
  expect(client.events).toEqual(["200", String(MOST), "end"]);
});

test("a response of unknown length waits for 50 ms", () => {
  const exchange = create();
  begin(exchange, -1);
  exchange.response.data(Buffer.from("ab"));
  expect(memory.used).toBe(2);
  clock.advance(40);
  expect(client.events).toEqual([]);
  clock.advance(40);
  expect([client.events, memory.used]).toEqual([["200", "ab"], 0]);
  exchange.response.data(Buffer.from("cd"));
  exchange.response.end("");
  expect(client.events).toEqual(["200", "ab", "cd", "end"]);
});

test("a response of known length waits longer, and no timer is left when it is complete", () => {
  const exchange = create();
  begin(exchange, 5);
  clock.advance(1000);
  expect([client.events, clock.tick]).toEqual([[], undefined]);
  begin(exchange, -1);
  exchange.response.end("");
  expect(clock.tick).toBeUndefined();
});

test("a response of unknown length is passed on when it has more than 65,536 bytes", () => {
  const exchange = create();
  begin(exchange, -1);
  exchange.response.data(new Uint8Array(MOST - 2));
  exchange.response.data(Buffer.from("ab"));
  expect([client.events, memory.used]).toEqual([[], MOST]);
  client.room = false;
  expect(exchange.response.data(Buffer.from("xcx"), 1, 2)).toBe(false);
  expect([client.events, memory.used]).toEqual([["200", String(MOST - 2), "ab", "c"], 0]);
});

test("a response that arrives byte by byte is one piece", () => {
  const exchange = create();
  begin(exchange, -1);
  for (const letter of "each byte alone") exchange.response.data(Buffer.from(letter));
  expect(memory.used).toBe(15);
  exchange.response.data(new Uint8Array(20));
  expect(memory.used).toBe(35);
  exchange.response.end("");
  expect([client.events, memory.used]).toEqual([["200", "35", "end"], 0]);
});

test("a response without room in memory is passed on", () => {
  memory.limits = { bufferSize: 1, bufferCount: 4, reserve: 0 };
  const known = create();
  begin(known, 5);
  expect([client.events, memory.used]).toEqual([["200"], 0]);
  client = new Client();
  const unknown = create();
  begin(unknown, -1);
  unknown.response.data(Buffer.from("abcd"));
  expect([client.events, memory.used]).toEqual([[], 4]);
  unknown.response.data(Buffer.from("e"));
  expect([client.events, memory.used]).toEqual([["200", "abcd", "e"], 0]);
});

test.each(["onFinish", "onGone"] as const)("memory is free after %s, and earlier callers learn of it", (name) => {
  const told: string[] = [];
  wheel = new TimerWheel(clock);
  const exchange = new ClientExchange(client, { method: "GET", bodyLength: 0 });
  exchange.onFinish = (finished) => void told.push(`finished ${finished === exchange}`);
  exchange.onGone = () => void told.push("gone");
  new BufferedResponse(exchange, { wheel, memory, respondWithError() {} }).begin();
  begin(exchange, -1);
  exchange.response.data(Buffer.from("abc"));
  exchange[name]?.(exchange);
  expect([told, memory.used, clock.tick]).toEqual([[name === "onGone" ? "gone" : "finished true"], 0, undefined]);
});
