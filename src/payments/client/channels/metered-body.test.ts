import { expect, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { watchTimers } from "../../../lib/testing/timers.ts";
import { REQUIREMENTS } from "../../testing/payment.ts";
import { meteredResponse, meterOf, type PayFurther } from "./metered-body.ts";

const METER = { unit: "byte", units: 3 } as const;
/** The time that a response has to end if nothing more is paid. */
const ENDING_MS = 1000;

interface Metered {
  readonly response: Response;
  readonly source: ReadableStreamDefaultController<Uint8Array>;
  readonly cancelled: unknown[];
  readonly overs: () => number;
}

/** A response whose bytes come from the test, and which is paid for by `payFurther`. */
function metered(payFurther: PayFurther): Metered {
  const cancelled: unknown[] = [];
  let source: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (source = controller),
    cancel: (reason) => void cancelled.push(reason),
  });
  let overs = 0;
  const original = new Response(body, { status: 206, headers: { "x-own": "1" } });
  const response = meteredResponse(original, METER, { payFurther, onOver: () => void (overs += 1) });
  if (source === undefined) throw new Error("the stream has not started");
  return { response, source, cancelled, overs: () => overs };
}

const paid: PayFurther = () => Promise.resolve(true);

function send({ source }: Metered, ...texts: readonly string[]): void {
  for (const text of texts) source.enqueue(Buffer.from(text));
}

test("the meter is in the payment requirements", () => {
  expect(meterOf({ ...REQUIREMENTS, extra: { meter: METER } })).toEqual(METER);
  expect(meterOf({ ...REQUIREMENTS, extra: { meter: { unit: "byte", units: 0 } } })).toBeUndefined();
  expect(meterOf(REQUIREMENTS)).toBeUndefined();
});

test("a response without a body is over at once", () => {
  let overs = 0;
  const original = new Response(null, { status: 204 });
  expect(meteredResponse(original, METER, { payFurther: paid, onOver: () => void (overs += 1) })).toBe(original);
  expect(overs).toBe(1);
});

test.each([
  ["one by one", ["a", "b", "c", "d", "e", "f", "g"], 2],
  ["in one piece", ["abcdefg"], 2],
  ["up to the last paid one", ["abc", "de"], 1],
  ["fewer than are paid for", ["ab"], 0],
])("the next units are paid for with the last paid one: %s", async (_what, pieces, expected) => {
  let payments = 0;
  const one = metered(async () => {
    payments += 1;
    return true;
  });
  send(one, ...pieces);
  one.source.close();
  expect([one.response.status, one.response.headers.get("x-own")]).toEqual([206, "1"]);
  expect(await one.response.text()).toBe(pieces.join(""));
  expect([payments, one.overs(), one.cancelled]).toEqual([expected, 1, []]);
});

test("nothing more is paid after the server said that the response has ended", async () => {
  let payments = 0;
  const one = metered(async () => {
    payments += 1;
    return false;
  });
  send(one, "abc", "def", "ghi");
  one.source.close();
  expect([await one.response.text(), payments]).toEqual(["abcdefghi", 1]);
});

test("a response that is not paid for further may still end by itself", async () => {
  using timers = watchTimers();
  const one = metered(() => Promise.reject(new Error("too dear")));
  send(one, "abc");
  const text = one.response.text();
  await until(() => timers.pending(ENDING_MS) === 1);
  one.source.close();
  expect([await text, one.overs(), timers.pending(ENDING_MS)]).toEqual(["abc", 1, 0]);
});

test("a response that is not paid for further, and goes on, ends with the reason", async () => {
  using _ = watchTimers((ms) => (ms === ENDING_MS ? 0 : ms));
  const reason = new Error("too dear");
  const one = metered(() => Promise.reject(reason));
  send(one, "abc");
  expect(await one.response.text().catch((error: unknown) => error)).toBe(reason);
  expect([one.overs(), one.cancelled]).toEqual([1, [reason]]);
});

test("a server that breaks off ends the response with its error", async () => {
  const one = metered(paid);
  const reason = new Error("reset");
  one.source.error(reason);
  expect(await one.response.text().catch((error: unknown) => error)).toBe(reason);
  expect(one.overs()).toBe(1);
});

test("a response that is not wanted is over when the payment that is being made has its outcome", async () => {
  const payment = Promise.withResolvers<boolean>();
  const one = metered(() => payment.promise);
  send(one, "abc");
  const reader = one.response.body?.getReader();
  await reader?.read();
  const leaving = reader?.cancel("enough");
  await until(() => one.cancelled.length === 1);
  expect([one.cancelled, one.overs()]).toEqual([["enough"], 0]);
  payment.resolve(true);
  await leaving;
  expect(one.overs()).toBe(1);
});
