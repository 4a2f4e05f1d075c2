import { afterEach, beforeEach, expect, test } from "bun:test";
import { ClientExchange, Consumer, ProducedBody } from "../../../test/flow/testing/flow.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type CommandOutcome } from "./control/protocol/control-connection.ts";
import { type ParkEnd, ParkedRequest, roomForBody } from "./parked-request.ts";
import { type TestRuntime, testRuntime } from "./testing/test-runtime.ts";

const SNAPSHOT_BYTES = 65_536;

let clock: FakeClock;
let runtime: TestRuntime;
let exchange: ClientExchange;
let body: ProducedBody;
/** Commands for the sandbox, and those that were cancelled. */
let commands: string[];
let cancelled: number;
let done: (outcome: CommandOutcome) => void;
let finished: number;

const link = {
  isReady: true,
  call(bytes: Buffer, whenDone: (outcome: CommandOutcome) => void) {
    commands.push(bytes.toString());
    done = whenDone;
    return () => void (cancelled += 1);
  },
  close() {},
};

beforeEach(() => {
  clock = new FakeClock();
  runtime = testRuntime(new TimerWheel(clock));
  runtime.deadlineMs = 1000;
  exchange = new ClientExchange(new Consumer(), { bodyLength: -1 });
  body = new ProducedBody(() => {});
  exchange.body = body;
  commands = [];
  cancelled = 0;
  finished = 0;
  exchange.onFinish = () => void (finished += 1);
});
afterEach(() => runtime.wheel.close());

function park(bodyRoom = 100): ParkedRequest {
  runtime.parks.take();
  const parked = new ParkedRequest(exchange, runtime, bodyRoom);
  parked.begin(link, Buffer.from("<command>").subarray(1, 8));
  return parked;
}

/** The end of the park if there is one by now. */
async function endOf(parked: ParkedRequest): Promise<ParkEnd | undefined> {
  return await Promise.race([parked.end, Bun.sleep(0).then(() => undefined)]);
}

test("a parked request ends with the reply of the sandbox, and its body is gathered", async () => {
  const parked = park();
  expect([commands, runtime.gauge.parked]).toEqual([["command"], 1]);
  body.sink?.data(Buffer.from("abc"), 0, 3);
  done({ kind: "reply", bytes: Buffer.from("ok") });
  expect(await parked.end).toEqual({ kind: "reply", bytes: Buffer.from("ok") });
  expect([runtime.gauge.parked, cancelled, clock.tick]).toEqual([0, 0, undefined]);
  body.sink?.end("");
  expect(await parked.takeBody()).toBeUndefined();
  expect([exchange.body === body, exchange.head.bodyLength]).toEqual([false, 3]);
});

test("the sandbox's failure ends the park with its reason", async () => {
  const parked = park();
  done({ kind: "failed", detail: "it is gone" });
  expect(await parked.end).toEqual({ kind: "control", reason: "got no result for its host call: it is gone" });
});

test("a request is parked no longer than its deadline", async () => {
  const parked = park();
  clock.advance(980);
  expect(await endOf(parked)).toBeUndefined();
  clock.advance(50);
  expect(await parked.end).toEqual({
    kind: "deadline",
    reason: "was parked for longer than wasm_host_call_deadline_ms",
  });
  expect([cancelled, runtime.gauge.parked]).toEqual([1, 0]);
  exchange.onFinish?.(exchange);
  expect([runtime.gauge.parked, finished]).toEqual([0, 1]);
});

test("a client that leaves ends the park, and cancels the command", async () => {
  const parked = park();
  exchange.onFinish?.(exchange);
  expect(await parked.end).toEqual({ kind: "gone" });
  expect([cancelled, runtime.gauge.parked, finished]).toEqual([1, 0, 1]);
});

test("a body that cannot be read ends the park", async () => {
  const parked = park(2);
  body.sink?.data(Buffer.from("abc"), 0, 3);
  expect(await parked.end).toMatchObject({ kind: "body", error: { code: "overloaded" } });
  expect(await parked.takeBody()).toMatchObject({ code: "overloaded" });
  expect([cancelled, exchange.body === body]).toEqual([1, true]);
});

test("a body whose length is too large sends no command", async () => {
  exchange.head.bodyLength = 3;
  const parked = park(2);
  expect(await parked.end).toMatchObject({ kind: "body" });
  expect([commands, cancelled, runtime.gauge.parked]).toEqual([[], 0, 0]);
});

test("a body that is not to be read stays as it is", async () => {
  const parked = park(-1);
  expect([body.sink, commands]).toEqual([undefined, ["command"]]);
  expect(await parked.takeBody()).toBeUndefined();
  expect(exchange.body).toBe(body);
});

test("the room for a body is what the head leaves of 65,536 bytes, and 128 fields fit", () => {
  const fields = "a: 1\r\n".repeat(128);
  const asked = new ClientExchange(new Consumer(), { method: "POST", path: "/ab", query: "?c", fields });
  expect(roomForBody(asked)).toBe(SNAPSHOT_BYTES - "POST/ab?c".length - fields.length);
  asked.head.fields += "b: 2\r\n";
  expect(roomForBody(asked)).toBe(-1);
});
