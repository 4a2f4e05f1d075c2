import { expect, test } from "bun:test";
import { ClientExchange, Consumer, ProducedBody } from "../../../test/flow/testing/flow.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { type BodySink } from "../exchange/exchange.ts";
import { GatheredBody, hasBody } from "./gathered-body.ts";

const LONG = new TurnpikeError("body-too-large", "long");
const FULL = new TurnpikeError("overloaded", "full");

function create({ bodyLength = -1, maxBytes = 100_000, memory = 1_000_000, expectContinue = false } = {}) {
  const pool = new BufferPool({ bufferSize: 1, bufferCount: memory, reserve: 0 });
  const told: string[] = [];
  const client = new Consumer();
  client.start = ({ status }) => void told.push(String(status));
  const exchange = new ClientExchange(client, { bodyLength, expectContinue });
  const produced = new ProducedBody(() => {});
  exchange.body = produced;
  exchange.onFinish = () => void told.push("finish");
  exchange.onGone = () => void told.push("gone");
  const body = new GatheredBody(exchange, { maxBytes, memory: pool, tooLong: LONG, noRoom: FULL });
  return { pool, told, exchange, produced, body };
}

function send({ sink }: ProducedBody, text: string): boolean | undefined {
  return sink?.data(Buffer.from(`<${text}>`), 1, text.length + 1);
}

/** The bytes and the end that a reader of the body gets. */
function read(body: GatheredBody): string[] {
  const events: string[] = [];
  const sink: BodySink = {
    data: (chunk, start, end) => events.push(Buffer.from(chunk.subarray(start, end)).toString()) > 0,
    end: (trailers) => void events.push(`end ${trailers}`),
    abort() {},
  };
  body.readTo(sink);
  return events;
}

test.each([
  [{ bodyLength: 5, upgrade: "" }, true],
  [{ bodyLength: -1, upgrade: "" }, true],
  [{ bodyLength: 0, upgrade: "" }, false],
  [{ bodyLength: -1, upgrade: "websocket" }, false],
])("a request with %j has a body: %p", (head, expected) => {
  const { exchange } = create();
  expect(hasBody(Object.assign(exchange.head, head))).toBe(expected);
});

test("a body is gathered as a whole, and passed on once with its length", async () => {
  const { pool, exchange, produced, body } = create();
  const gathered = body.gather();
  expect(gathered).toBeInstanceOf(Promise);
  expect([send(produced, "ab"), send(produced, "cde"), pool.used]).toEqual([true, true, 4096]);
  produced.sink?.end("");
  expect(await gathered).toBeUndefined();
  expect(Buffer.from(body.bytes).toString()).toBe("abcde");
  body.replace();
  expect([exchange.body === body, exchange.head.bodyLength]).toEqual([true, 5]);
  expect([read(body), pool.used, read(body)]).toEqual([["abcde", "end "], 0, ["end "]]);
});

test("a body with trailers keeps its length unknown", async () => {
  const { exchange, produced, body } = create();
  const gathered = body.gather();
  produced.sink?.end("x: 1\r\n");
  await gathered;
  body.replace();
  expect([exchange.head.bodyLength, read(body)]).toEqual([-1, ["end x: 1\r\n"]]);
});

test("a body that has arrived needs no wait", () => {
  const { exchange, body } = create({ bodyLength: 0 });
  exchange.body = { readTo: (sink) => sink.end(""), pause() {}, resume() {} };
  expect(body.gather()).toBeUndefined();
});

test("the memory grows with the bytes, up to the announced length or the limit", () => {
  const known = create({ bodyLength: 5000 });
  void known.body.gather();
  expect(known.pool.used).toBe(0);
  send(known.produced, "a");
  expect(known.pool.used).toBe(4096);
  send(known.produced, "b".repeat(4095));
  expect(known.pool.used).toBe(4096);
  send(known.produced, "c");
  expect(known.pool.used).toBe(5000);
  expect(Buffer.from(known.body.bytes).toString()).toBe(`a${"b".repeat(4095)}c`);
  const unknown = create({ maxBytes: 10_000 });
  void unknown.body.gather();
  send(unknown.produced, "a".repeat(4097));
  expect(unknown.pool.used).toBe(4097);
  send(unknown.produced, "b");
  expect(unknown.pool.used).toBe(8194);
  send(unknown.produced, "c".repeat(4097));
  expect(unknown.pool.used).toBe(10_000);
});

test("a body over the limit is refused, announced or not", async () => {
  const announced = create({ bodyLength: 6, maxBytes: 5 });
  expect([announced.body.gather(), announced.produced.sink]).toEqual([LONG, undefined]);
  const { pool, produced, body } = create({ maxBytes: 5 });
  const gathered = body.gather();
  expect([send(produced, "abcde"), send(produced, "f"), send(produced, "g")]).toEqual([true, false, false]);
  expect([await gathered, pool.used, body.bytes.length]).toEqual([LONG, 0, 0]);
});

test.each([
  ["over the limit", 5, 1_000_000, LONG],
  ["without memory", 100_000, 5, FULL],
])("a body %s that has arrived with its end is refused, not replaced by an empty one", (_, maxBytes, memory, error) => {
  const { pool, exchange, body } = create({ maxBytes, memory });
  exchange.body = {
    readTo(sink) {
      sink.data(Buffer.from("abcdef"));
      sink.end("");
    },
    pause() {},
    resume() {},
  };
  expect([body.gather(), pool.used]).toEqual([error, 0]);
});

test("a body without memory is refused", async () => {
  const { pool, produced, body } = create({ memory: 5000 });
  const gathered = body.gather();
  expect([send(produced, "a".repeat(4096)), send(produced, "b".repeat(905))]).toEqual([true, false]);
  expect([await gathered, pool.used]).toEqual([FULL, 0]);
});

test("a body that breaks off has its first error", async () => {
  const { produced, body } = create();
  const gathered = body.gather();
  produced.sink?.abort(LONG);
  produced.sink?.abort(FULL);
  produced.sink?.end("");
  expect(await gathered).toBe(LONG);
});

test.each(["onFinish", "onGone"] as const)("an exchange ends the wait by %s", async (name) => {
  const { pool, told, exchange, produced, body } = create();
  const gathered = body.gather();
  send(produced, "ab");
  exchange[name]?.(exchange);
  expect(await gathered).toMatchObject({ code: "bad-request" });
  expect([pool.used, told]).toEqual([0, [name === "onGone" ? "gone" : "finish"]]);
});

test("an exchange that ends later frees the memory of a whole body", async () => {
  for (const name of ["onFinish", "onGone"] as const) {
    const { pool, exchange, produced, body } = create();
    const gathered = body.gather();
    send(produced, "ab");
    produced.sink?.end("");
    // oxlint-disable-next-line no-await-in-loop -- there are two
    await gathered;
    expect(pool.used).toBe(4096);
    exchange[name]?.(exchange);
    expect(pool.used).toBe(0);
  }
});

test("a client that has left is not read, and one that waits for 100 gets it once", () => {
  const left = create();
  left.exchange.gone = true;
  expect(left.body.gather()).toMatchObject({ code: "bad-request" });
  expect(left.produced.sink).toBeUndefined();
  const waits = create({ expectContinue: true });
  void waits.body.gather();
  expect([waits.told, waits.exchange.head.expectContinue]).toEqual([["100"], false]);
});
