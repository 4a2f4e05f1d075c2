import { expect, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Meter } from "../../../../payments/x402/meter.ts";
import { TestExchange } from "../testing/test-gateway.ts";
import { MeteredResponse, type PaidUnits } from "./metered-response.ts";

const ERROR = new TurnpikeError("upstream-failed", "it broke off");
const HEAD = { status: 200, reason: "", fields: "", bodyLength: -1 };

/** A response sold by the byte, and the calls to its listener and its units. `more`: the next payments. */
function metered(
  room: number,
  {
    more = [],
    isFree = false,
    unit = "byte",
  }: Partial<{ more: readonly boolean[]; isFree: boolean; unit: Meter["unit"] }> = {},
) {
  const exchange = new TestExchange(new Request("http://a.test/"));
  const told: unknown[] = [];
  const payments = [...more];
  let left = room;
  const units: PaidUnits = {
    name: "s",
    get room() {
      return left;
    },
    use: (used) => void (left -= used),
    more: async () => {
      const isPaid = payments.shift() === true;
      if (isPaid) left += room;
      return isPaid;
    },
    end: () => told.includes("units end") || told.push("units end"),
  };
  const response = new MeteredResponse(exchange, units, {
    meter: { unit, units: room },
    receipts: { sold: "PAYMENT-RESPONSE: sold\r\n", free: "PAYMENT-RESPONSE: free\r\n" },
    events: {
      over: () => told.push("over"),
      broken: (error) => told.push(error),
      isFree: () => isFree,
      failed: (error) => told.push(error),
    },
  });
  return { exchange, response, told };
}

test.each([true, false])("a response that has ended is over once, whatever comes then (free: %p)", async (isFree) => {
  const { exchange, response, told } = metered(10, { isFree });
  response.start(HEAD);
  response.data(Buffer.from("hello"));
  response.end("");
  response.abort(ERROR);
  response.leave();
  response.data(Buffer.from("more"));
  response.end("");
  expect(told).toEqual(["units end", "over"]);
  const reply = await exchange.received;
  expect([reply.headers.get("payment-response"), await reply.text()]).toEqual([isFree ? "free" : "sold", "hello"]);
});

test("a client that left takes no more units, and the end of the source reports nothing again", () => {
  const { exchange, response, told } = metered(10);
  response.start(HEAD);
  response.data(Buffer.from("he"));
  response.leave();
  response.data(Buffer.from("llo"));
  response.abort(ERROR);
  expect([told, exchange.bytesSent]).toEqual([["units end", "over"], 2]);
});

test.each([
  ["line", 200, "", undefined],
  ["line", 200, "Content-Encoding: Identity\r\n", undefined],
  ["line", 200, "Content-Encoding: br\r\n", "The upstream's response is compressed, and is sold by the line"],
  ["line", 101, "", "The upstream's response has no lines, by which it is sold"],
  ["event", 101, "", "The upstream's response has no events, by which it is sold"],
  ["byte", 101, "", undefined],
  ["message", 101, "", undefined],
  ["message", 200, "", "The upstream's response has no messages, by which it is sold"],
] as const)("a response sold by the %s, with status %d and fields %j: %s", (unit, status, fields, reason) => {
  const { exchange, response, told } = metered(10, { unit });
  const sent: unknown[] = [];
  exchange.onCancel = () => void sent.push("cancelled");
  exchange.start = (head) => void sent.push(head.status);
  response.start({ ...HEAD, status, fields });
  expect(sent).toEqual([reason === undefined ? status : "cancelled"]);
  const broken = told.find((one) => one instanceof TurnpikeError);
  expect(broken?.message).toBe(reason as string);
  // A free response need not be counted.
  const free = metered(10, { unit, isFree: true });
  free.response.start({ ...HEAD, status, fields });
  expect(free.told).toEqual(["units end"]);
});

test("without any response the listener responds, through the client's own sink", () => {
  const { exchange, response, told } = metered(10);
  response.abort(ERROR);
  expect(told).toEqual(["units end", ERROR]);
  expect(exchange.response).toBe(exchange);
  response.leave();
  expect(told).toHaveLength(2);
});

test("units leave when they are paid for, and the source is paused until then", async () => {
  const { exchange, response, told } = metered(2, { more: [true, true] });
  const drained = Promise.withResolvers<void>();
  exchange.onDrain = () => drained.resolve();
  response.start(HEAD);
  expect(response.data(Buffer.from("hello"))).toBe(false);
  expect(exchange.bytesSent).toBe(2);
  await drained.promise;
  expect(exchange.bytesSent).toBe(5);
  response.end("");
  expect([await (await exchange.received).text(), told]).toEqual(["hello", ["units end", "over"]]);
});

test("without a payment the upstream is cancelled, and only what was paid for has left", async () => {
  const { exchange, response, told } = metered(2, { more: [true] });
  const cancelled = Promise.withResolvers<void>();
  exchange.onCancel = () => cancelled.resolve();
  response.start(HEAD);
  response.data(Buffer.from("hello"));
  await cancelled.promise;
  expect([exchange.bytesSent, told]).toEqual([4, ["units end", "over"]]);
  expect((await exchange.received).text()).rejects.toThrow("no payment came");
});

test("a slow client pauses the source, although more is paid for", async () => {
  const { exchange, response } = metered(10);
  const drained = Promise.withResolvers<void>();
  exchange.onDrain = () => drained.resolve();
  exchange.slow = true;
  response.start(HEAD);
  expect(response.data(Buffer.from("hello"))).toBe(false);
  await drained.promise;
  response.leave();
});

test("a client that turns out to have left while units go to it gets nothing more, and is over once", async () => {
  const { exchange, response, told } = metered(2, { more: [true, true] });
  const pieces: string[] = [];
  const left = Promise.withResolvers<void>();
  exchange.data = (chunk, start, end) => {
    pieces.push(Buffer.from(chunk.subarray(start, end)).toString());
    if (pieces.length === 2) {
      response.leave();
      left.resolve();
    }
    return true;
  };
  exchange.end = () => void pieces.push("end");
  response.start(HEAD);
  // Two bytes leave. The others wait for a payment, in two pieces.
  response.data(Buffer.from("abc"));
  response.data(Buffer.from("d"));
  response.end("");
  await left.promise;
  expect([pieces, told]).toEqual([
    ["ab", "c"],
    ["units end", "over"],
  ]);
});
