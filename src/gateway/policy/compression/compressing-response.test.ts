import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { until } from "../../../lib/testing/until.ts";
import { type ResponseHead } from "../../exchange/exchange.ts";
import { CompressingResponse } from "./compressing-response.ts";
import { Plan } from "./plan.ts";
import { Slots } from "./slots.ts";

const TEXT = "Content-Type: text/plain\r\n";
const BROKEN = new TurnpikeError("upstream-failed", "it broke off");

/** Records heads and trailers that a client gets. */
class Client extends Consumer {
  head: ResponseHead | undefined;
  trailers: string | undefined;
  pieces = 0;
  override start(head: ResponseHead): void {
    this.head = head;
  }
  override data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.pieces++;
    return super.data(chunk, start, end);
  }
  override end(...trailers: unknown[]): void {
    this.trailers = String(trailers[0]);
    super.end();
  }
}

function create({ method = "GET", fields = TEXT, bodyLength = -1 } = {}) {
  const client = new Client();
  const exchange = new ClientExchange(client, { method, bodyLength: 0 });
  const slots = new Slots(1);
  const finished: unknown[] = [];
  exchange.onFinish = (one) => finished.push(one);
  const rules = { minBytes: 0, matches: (type: string) => type === "text/plain" || type.includes("stream"), slots };
  const response = new CompressingResponse(exchange, new Plan(rules, "gzip", ""));
  response.start({ status: 200, reason: "", fields, bodyLength });
  return { client, exchange, slots, finished, response };
}

/** Bytes that do not become fewer. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0, state = 1; i < length; i++) {
    state = (state * 48_271) % 2_147_483_647;
    bytes[i] = state >> 8;
  }
  return bytes;
}

test("a body in one piece is compressed at once, and has no digests of the plain bytes", () => {
  const fields = `${TEXT}Content-MD5: x\r\nAccept-Ranges: bytes\r\nDigest: x\r\n`;
  const { client, slots, exchange, finished, response } = create({ bodyLength: 300, fields });
  expect(client.head).toMatchObject({
    bodyLength: -1,
    fields: `${TEXT}Vary: Accept-Encoding\r\nContent-Encoding: gzip\r\n`,
  });
  expect(response.sendFile(3, 0, 300)).toBe(0);
  expect(response.data(new Uint8Array(0))).toBe(true);
  expect(response.data(Buffer.from(`<${"a".repeat(300)}>`), 1, 301)).toBe(true);
  response.end("Repr-Digest: x\r\nX: 1\r\n");
  expect([client.pieces, gunzipSync(client.bytes).toString(), client.trailers]).toEqual([
    1,
    "a".repeat(300),
    "X: 1\r\n",
  ]);
  expect([slots.taken, client.length < 100]).toEqual([1, true]);
  exchange.onFinish?.(exchange);
  expect([slots.taken, finished]).toEqual([0, [exchange]]);
});

test.each([
  ["of 65,536 bytes at once", 65_536, 1],
  ["of more bytes in a thread", 65_537, 0],
])("a body in one piece %s", async (_, length, piecesNow) => {
  const { client, exchange, response } = create({ bodyLength: length });
  response.data(new Uint8Array(length));
  expect(client.pieces).toBe(piecesNow);
  response.end("");
  await until(() => client.ends === 1);
  expect(gunzipSync(client.bytes).length).toBe(length);
  exchange.onFinish?.(exchange);
});

test("a body in several pieces is compressed as it arrives", async () => {
  const { client, exchange, response } = create();
  response.data(Buffer.from("abc"));
  await until(() => client.length > 0);
  response.data(Buffer.from("def"));
  response.end("X: 1\r\n");
  await until(() => client.ends === 1);
  expect([gunzipSync(client.bytes).toString(), client.trailers]).toEqual(["abcdef", "X: 1\r\n"]);
  exchange.onFinish?.(exchange);
});

test("each event of a stream reaches the client before the next", async () => {
  const { client, exchange, response } = create({ fields: "Content-Type: text/event-stream\r\n" });
  response.data(Buffer.from("data: 1\n\n"));
  await until(() => client.length > 10);
  const first = client.length;
  response.data(Buffer.from("data: 2\n\n"));
  await until(() => client.length > first);
  exchange.onFinish?.(exchange);
});

test("an unchanged response passes, with files and trailers", () => {
  const { client, slots, response } = create({ fields: "Content-Type: image/png\r\n", bodyLength: 3 });
  const asked: number[][] = [];
  Object.assign(client, { sendFile: (...file: number[]) => asked.push(file) * 3 });
  expect([client.head?.bodyLength, client.head?.fields, slots.taken]).toEqual([3, "Content-Type: image/png\r\n", 0]);
  expect([response.sendFile(4, 5, 3), asked]).toEqual([3, [[4, 5, 3]]]);
  response.data(Buffer.from("<abc>"), 1, 4);
  response.end("Digest: x\r\n");
  expect([client.bytes.toString(), client.trailers]).toEqual(["abc", "Digest: x\r\n"]);
});

test("a response to HEAD takes no slot and is not compressed", () => {
  const { client, slots, response } = create({ method: "HEAD", bodyLength: 300 });
  expect([client.head?.bodyLength, slots.taken]).toEqual([-1, 0]);
  response.end("");
  expect(client.ends).toBe(1);
});

test("a source is paused while its client takes nothing, and goes on when the client does", async () => {
  const { client, exchange, response } = create();
  let drains = 0;
  exchange.onDrain = () => void drains++;
  client.room = false;
  response.data(noise(60_000));
  await until(() => client.length > 0);
  const before = client.length;
  expect([response.data(noise(60_000)), drains]).toEqual([false, 0]);
  client.setRoom(true);
  await until(() => client.length > before);
  await until(() => drains === 1);
  response.end("");
  await until(() => client.ends === 1);
  expect(gunzipSync(client.bytes).length).toBe(120_000);
  exchange.onFinish?.(exchange);
});

test("the end of a response concerns its source no more, whatever its client does", async () => {
  const { client, exchange, response } = create();
  let calls = 0;
  exchange.onDrain = () => void calls++;
  exchange.onCancel = () => void calls++;
  response.data(noise(200_000));
  client.room = false;
  response.end("");
  expect(exchange.onCancel).toBeUndefined();
  await until(() => client.length > 0);
  client.setRoom(true);
  await until(() => client.ends === 1);
  expect([gunzipSync(client.bytes).length, calls]).toEqual([200_000, 0]);
  exchange.onFinish?.(exchange);
});

test("a response that breaks off is cut off, and no output follows", async () => {
  const { client, exchange, response } = create();
  response.data(noise(200_000));
  response.abort(BROKEN);
  expect(client.aborts).toBe(1);
  await Bun.sleep(0);
  exchange.onFinish?.(exchange);
  response.data(Buffer.from("late"));
  await new Promise(setImmediate);
  expect([client.late, client.ends]).toEqual([0, 0]);
});
