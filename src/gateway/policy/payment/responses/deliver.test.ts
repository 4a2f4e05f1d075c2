import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestExchange } from "../testing/test-gateway.ts";
import { ResponseFile, READ_BYTES } from "./response-file.ts";
import { type PaidResponse } from "./response-store.ts";
import { deliver, sendResponse } from "./deliver.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

test("a delivery that waits for the client ends incomplete when another sink cancels it", async () => {
  const exchange = new TestExchange(new Request("http://localhost/goods"));
  exchange.slow = true;
  const head = { status: 200, reason: "", fields: "", bodyLength: 2 };
  const response = { head, body: [Buffer.from("a"), Buffer.from("b")], trailers: "", size: 2 };
  const sent = sendResponse(exchange, response, head);
  await Promise.resolve();
  // Compression does this if it fails: the client is still connected, and gets nothing more.
  exchange.onCancel?.();
  expect(await sent).toBe(false);
});

/** A response with this body in memory. */
function responseOf(...body: readonly Uint8Array[]): PaidResponse {
  const size = body.reduce((sum, { length }) => sum + length, 0);
  const head = { status: 200, reason: "OK", fields: "Cache-Control: public, max-age=5\r\n", bodyLength: size };
  return { head, body, trailers: "X-Sum: 1\r\n", size };
}

/** A response with this body in a file. */
async function fileOf(body: Uint8Array): Promise<PaidResponse & { body: ResponseFile }> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-deliver-"));
  folders.push(folder);
  const file = await ResponseFile.create(join(folder, "body"), () => {});
  await file.append(body);
  return { ...responseOf(body), body: file };
}

function newExchange(method = "GET"): TestExchange {
  return new TestExchange(new Request("http://localhost/goods", { method }));
}

test("a response is sent with its receipt, and the client's side reports whether it took all", async () => {
  const exchange = newExchange();
  const { taken } = await deliver(
    exchange,
    responseOf(Buffer.from("he"), Buffer.from("llo")),
    "PAYMENT-RESPONSE: r\r\n",
  );
  const response = await exchange.received;
  expect([
    response.headers.get("payment-response"),
    response.headers.get("cache-control"),
    await response.text(),
  ]).toEqual(["r", "private, max-age=5", "hello"]);
  expect(await taken).toBe(true);
  const lost = newExchange();
  const delivery = await deliver(lost, responseOf(), "");
  lost.onTaken?.(false);
  expect(await delivery.taken).toBe(true);
});

test("a response to HEAD has no body", async () => {
  const exchange = newExchange("HEAD");
  expect(await sendResponse(exchange, responseOf(Buffer.from("x")), responseOf().head)).toBe(true);
  expect([exchange.started, exchange.bytesSent]).toEqual([true, 0]);
});

test("nothing is sent to a closed connection, and it is not a delivery", async () => {
  const exchange = newExchange();
  exchange.gone = true;
  const { taken } = await deliver(exchange, responseOf(Buffer.from("x")), "");
  expect([await taken, exchange.started]).toEqual([false, false]);
});

test("a client that disconnects between two pieces gets no more, from memory or a file", async () => {
  for (const isFile of [false, true]) {
    const exchange = newExchange();
    const body = new Uint8Array(READ_BYTES * 2);
    const response = isFile ? await fileOf(body) : responseOf(body.subarray(0, READ_BYTES), body.subarray(READ_BYTES));
    const send = exchange.data.bind(exchange);
    exchange.data = (...chunk: Parameters<typeof send>) => {
      send(...chunk);
      exchange.gone = true;
      return true;
    };
    expect(await sendResponse(exchange, response, response.head)).toBe(false);
    expect(exchange.bytesSent).toBe(READ_BYTES);
    if (response.body instanceof ResponseFile) response.body.release();
  }
});

test("a slow client gets each piece when it has room", async () => {
  for (const response of [
    responseOf(Buffer.from("a"), Buffer.from("b")),
    await fileOf(new Uint8Array(READ_BYTES + 1)),
  ]) {
    const exchange = newExchange();
    exchange.slow = true;
    expect(await sendResponse(exchange, response, response.head)).toBe(true);
    expect(exchange.bytesSent).toBe(response.size);
    if (response.body instanceof ResponseFile) response.body.release();
  }
});

/** A client's side to which the kernel sends files, at most `most` bytes at a time. */
function kernelExchange(most: number): { exchange: TestExchange; sent: (readonly [at: number, wanted: number])[] } {
  const exchange = newExchange();
  const sent: (readonly [number, number])[] = [];
  const sendFile = (_fd: number, at: number, wanted: number): number => {
    sent.push([at, wanted]);
    return Math.min(most, wanted);
  };
  return { exchange: Object.assign(exchange, { sendFile }), sent };
}

test("the kernel sends a file in bursts, and the rest is sent in a small piece", async () => {
  const MIB = 1_048_576;
  const response = await fileOf(new Uint8Array(2 * MIB + 5));
  const free = kernelExchange(Number.POSITIVE_INFINITY);
  expect(await sendResponse(free.exchange, response, response.head)).toBe(true);
  expect([free.sent, free.exchange.bytesSent]).toEqual([
    [
      [0, MIB],
      [MIB, MIB],
      [2 * MIB, 5],
    ],
    0,
  ]);
  const full = kernelExchange(MIB - 1);
  expect(await sendResponse(full.exchange, response, response.head)).toBe(true);
  const next = MIB - 1 + 16_384;
  expect(full.sent[1]).toEqual([next, response.size - next]);
  const refused = kernelExchange(0);
  expect(await sendResponse(refused.exchange, response, response.head)).toBe(true);
  expect([refused.sent[1], refused.exchange.bytesSent]).toEqual([[READ_BYTES, MIB], response.size]);
  const leaving = kernelExchange(Number.POSITIVE_INFINITY);
  const sending = sendResponse(leaving.exchange, response, response.head);
  leaving.exchange.gone = true;
  expect([await sending, leaving.sent.length]).toEqual([false, 1]);
  response.body.release();
});

test("a file that has become shorter cuts the response off", async () => {
  const response = await fileOf(new Uint8Array(10));
  truncateSync(join(folders.at(-1) ?? "", "body"), 5);
  const exchange = newExchange();
  expect(await sendResponse(exchange, response, response.head)).toBe(false);
  expect((await exchange.received).text()).rejects.toThrow("could not be read back");
  response.body.release();
});
