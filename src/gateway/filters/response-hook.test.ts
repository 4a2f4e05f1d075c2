import { beforeEach, expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type Plain } from "../exchange/exchange-state.ts";
import { type RequestHead, type ResponseHead } from "../exchange/exchange.ts";
import { type ResponseOutcome } from "./own-abi/outcome.ts";
import { type OwnInstance } from "./own-abi/own-instance.ts";
import { type ResponseView } from "./own-abi/views.ts";
import { ResponseHook } from "./response-hook.ts";
import { type TestRuntime, testRuntime, testSettings } from "./testing/test-runtime.ts";

const VIEW_BYTES = 65_536;
const MIB = 1_048_576;
const BROKEN = new TurnpikeError("upstream-failed", "it broke off");
const UNCHANGED: ResponseOutcome = { kind: "unchanged" };
const FAILED: ResponseOutcome = { kind: "failed", cause: "trap", reason: "trapped" };

/** Records what the client gets. */
class Client extends Consumer {
  readonly events: string[] = [];
  readonly heads: ResponseHead[] = [];
  override start(head: ResponseHead): void {
    this.events.push(String(head.status));
    this.heads.push(head);
  }
  override data(chunk: Uint8Array, from = 0, to = chunk.length): boolean {
    this.events.push(to - from > 30 ? String(to - from) : Buffer.from(chunk.subarray(from, to)).toString());
    return super.data(chunk, from, to);
  }
  override end(...trailers: unknown[]): void {
    this.events.push(`end ${String(trailers[0])}`);
    super.end();
  }
  override abort(): void {
    this.events.push("abort");
    super.abort();
  }
}

let runtime: TestRuntime;
let client: Client;
let exchange: ClientExchange;
/** The response that the filter has seen, and when it was given back. */
let views: ResponseView[];
let returned: number[];
let cancels: number;
let outcome: ResponseOutcome;
let clock: FakeClock;

beforeEach(() => {
  clock = new FakeClock();
  runtime = { ...testRuntime(new TimerWheel(clock)), clock: () => clock.time };
  client = new Client();
  views = [];
  returned = [];
  cancels = 0;
  outcome = UNCHANGED;
});

type Reads = "body" | "length" | "replaces" | "nothing";

interface Options {
  readonly reads?: Reads;
  readonly head?: Partial<Plain<RequestHead>>;
  readonly failClosed?: boolean;
}

function create({ reads = "body", head = {}, failClosed = false }: Options = {}): ClientExchange {
  exchange = new ClientExchange(client, { method: "GET", bodyLength: 0, ...head });
  exchange.onCancel = () => void (cancels += 1);
  const instance = {
    fuelLeft: 40,
    onResponse(view: ResponseView) {
      views.push(view);
      clock.time += 7;
      return outcome;
    },
  };
  // The part of an instance that the hook uses.
  exchange.response = new ResponseHook(exchange, instance as unknown as OwnInstance, {
    staged: "X-Staged: 1\r\n",
    settings: testSettings({ responseFailClosed: failClosed, fuel: 100 }),
    runtime,
    counts: runtime.metrics("test", "/"),
    needs: {
      requestBytes: false,
      requestLength: false,
      responseBytes: reads === "body",
      responseLength: reads === "length",
      replacesResponse: reads === "replaces",
      hasResponseHook: true,
    },
    giveBack: (_, ms) => void returned.push(ms),
  });
  return exchange;
}

function start(bodyLength: number, changes: Partial<ResponseHead> = {}): void {
  exchange.response.start({ status: 200, reason: "", fields: "", bodyLength, ...changes });
}

function send(text: string): boolean {
  return exchange.response.data(Buffer.from(`<${text}>`), 1, text.length + 1);
}

test("a filter that reads no body runs with the head, and the body passes", () => {
  create({ reads: "nothing" });
  start(5);
  expect([client.events, views[0]?.bodyLength, views[0]?.body.length]).toEqual([["200"], 5, 0]);
  expect(views[0]?.fields).toBe("Content-Length: 5\r\n");
  expect([send("abc"), returned]).toEqual([true, [7]]);
  exchange.response.end("X: 1\r\n");
  expect(client.events).toEqual(["200", "abc", "end X: 1\r\n"]);
  expect([client.heads[0]?.fields, runtime.counted]).toEqual(["X-Staged: 1\r\n", ["response unchanged"]]);
});

test("a filter that reads the body of a short response waits for its end", () => {
  create();
  start(5);
  expect([send("abc"), send("de"), client.events, views.length, runtime.memory.taken]).toEqual([true, true, [], 0, 5]);
  exchange.response.end("");
  expect([views[0]?.bodyLength, Buffer.from(views[0]?.body ?? []).toString()]).toEqual([5, "abcde"]);
  expect([client.events.join(" "), runtime.memory.taken]).toEqual(["200 abcde end ", 0]);
});

test.each([
  ["of known length", VIEW_BYTES + 1, VIEW_BYTES + 1, "Content-Length: 65537\r\n"],
  ["of unknown length", -1, 2_147_483_647, ""],
])("a filter that reads the body of a long response %s gets its first 65,536 bytes", (_, length, seen, fields) => {
  create();
  client.room = false;
  start(length);
  expect(exchange.response.data(new Uint8Array(VIEW_BYTES - 1))).toBe(true);
  expect([views.length, send("ab")]).toEqual([0, false]);
  expect([views[0]?.bodyLength, views[0]?.body.length, views[0]?.fields]).toEqual([seen, VIEW_BYTES, fields]);
  expect([client.events[0], client.length, runtime.memory.taken]).toEqual(["200", VIEW_BYTES + 1, 0]);
});

test("a response of 65,536 bytes is short", () => {
  create();
  start(VIEW_BYTES);
  exchange.response.data(new Uint8Array(VIEW_BYTES));
  expect(views.length).toBe(0);
  exchange.response.end("");
  expect(views[0]?.body.length).toBe(VIEW_BYTES);
});

test("a filter that reads the length of a response of unknown length waits for a MiB", () => {
  create({ reads: "length" });
  start(-1);
  exchange.response.data(new Uint8Array(MIB - 1));
  expect(views.length).toBe(0);
  exchange.response.end("");
  expect(views[0]?.bodyLength).toBe(MIB - 1);
  client = new Client();
  create({ reads: "length" });
  start(-1);
  exchange.response.data(new Uint8Array(MIB));
  expect(views[1]?.bodyLength).toBe(2_147_483_647);
  create({ reads: "length" });
  start(5);
  expect(views[2]?.bodyLength).toBe(5);
});

test("a filter that replaces bodies waits for the end of a short response only", () => {
  create({ reads: "replaces" });
  start(VIEW_BYTES);
  expect(views.length).toBe(0);
  create({ reads: "replaces" });
  start(VIEW_BYTES + 1);
  expect(views.length).toBe(1);
  create({ reads: "replaces" });
  start(-1);
  expect(views.length).toBe(1);
});

test.each<readonly [string, Partial<Plain<RequestHead>>, Partial<ResponseHead>]>([
  ["a response to HEAD", { method: "HEAD" }, { bodyLength: 5 }],
  ["an empty response", {}, { bodyLength: 0 }],
  ["a 304", {}, { status: 304, bodyLength: 5 }],
  ["a gRPC call", { isGrpc: true }, {}],
  ["a gRPC response of known status", {}, { grpcStatus: 0 }],
  ["an event stream", {}, { fields: "Content-Type: text/event-stream\r\n" }],
])("the filter does not wait for the body of %s", (_, head, changes) => {
  create({ head });
  start(-1, changes);
  expect([views.length, views[0]?.body.length]).toEqual([1, 0]);
  if (changes.bodyLength !== undefined) expect(views[0]?.bodyLength).toBe(0);
});

test("a head is passed without the filter if it switches protocols or is the gateway's own", () => {
  create();
  start(-1, { status: 103 });
  expect([client.events, returned, client.heads[0]?.fields]).toEqual([["103"], [], ""]);
  start(-1, { status: 101 });
  expect([client.events, views.length, returned, client.heads[1]?.fields]).toEqual([
    ["103", "101"],
    0,
    [0],
    "X-Staged: 1\r\n",
  ]);
  client = new Client();
  create();
  start(3, { status: 502, error: BROKEN });
  send("abc");
  expect([client.events, views.length, returned]).toEqual([["502", "abc"], 0, [0, 0]]);
});

test("a filter changes status and fields, and the body passes", () => {
  outcome = { kind: "change", status: 201, fields: "X-New: 1\r\n", body: undefined };
  create();
  start(3);
  send("abc");
  exchange.response.end("");
  expect([client.events.join(" "), client.heads[0]?.fields]).toEqual(["201 abc end ", "X-Staged: 1\r\nX-New: 1\r\n"]);
  expect([runtime.counted, cancels]).toEqual([["response modify"], 0]);
});

test("a filter replaces a body, and the rest of the original is stopped", () => {
  outcome = { kind: "change", status: undefined, fields: "", body: Buffer.from("new") };
  create();
  start(-1);
  exchange.response.data(new Uint8Array(VIEW_BYTES));
  expect([client.events.join(" "), cancels, runtime.memory.taken]).toEqual(["200 new end ", 1, 0]);
  expect(send("late")).toBe(true);
  exchange.response.end("");
  exchange.response.abort(BROKEN);
  start(3);
  expect([client.events.length, returned]).toEqual([3, [7]]);
});

test("a replaced body that had arrived stops nothing, and an empty one is not sent", () => {
  outcome = { kind: "change", status: undefined, fields: "", body: new Uint8Array() };
  create();
  start(3);
  send("abc");
  exchange.response.end("");
  expect([client.events.join(" "), cancels]).toEqual(["200 end ", 0]);
});

test("a gRPC response keeps its trailers with a replaced body", () => {
  outcome = { kind: "change", status: undefined, fields: "", body: Buffer.from("new") };
  create({ head: { isGrpc: true } });
  start(-1);
  expect([client.events.join(" "), send("abc")]).toEqual(["200 new", true]);
  exchange.response.end("grpc-status: 0\r\n");
  expect([client.events.join(" "), cancels]).toEqual(["200 new end grpc-status: 0\r\n", 0]);
  client = new Client();
  create({ head: { isGrpc: true } });
  start(-1);
  exchange.response.abort(BROKEN);
  expect(client.events).toEqual(["200", "new", "abort"]);
});

test("a failed filter lets the response pass, or responds with 503 and stops the original", () => {
  outcome = FAILED;
  create();
  start(3);
  send("abc");
  exchange.response.end("");
  expect(client.events.join(" ")).toBe("200 abc end ");
  expect([runtime.counted, runtime.lines]).toEqual([["response trap"], ["test: on_response trapped"]]);
  client = new Client();
  create({ failClosed: true });
  start(-1);
  exchange.response.data(new Uint8Array(VIEW_BYTES));
  expect([client.events[0], client.ends, cancels, runtime.memory.taken]).toEqual(["503", 1, 1, 0]);
  send("late");
  exchange.response.end("");
  expect([client.ends, client.late]).toEqual([1, 0]);
  client = new Client();
  create({ failClosed: true });
  start(3);
  exchange.response.end("");
  expect([client.events[0], cancels]).toEqual(["503", 1]);
});

test("a body without memory fails the filter", () => {
  runtime.memory.capacity = 4;
  create();
  start(5);
  send("abcd");
  client.room = false;
  expect(send("e")).toBe(false);
  expect([client.events, views.length, returned, runtime.memory.taken]).toEqual([["200", "abcd", "e"], 0, [0], 0]);
  expect(runtime.lines).toEqual(["test: on_response finds no memory for the body of the response"]);
});

test("a response that breaks off while it is held becomes an error; else it is cut off", () => {
  create();
  start(5);
  send("abc");
  exchange.response.abort(BROKEN);
  expect([client.events[0], client.ends, returned, runtime.memory.taken, views.length]).toEqual(["502", 1, [0], 0, 0]);
  expect(exchange.response).not.toBe(client);
  client = new Client();
  create({ reads: "nothing" });
  start(5);
  exchange.response.abort(BROKEN);
  expect(client.events).toEqual(["200", "abort"]);
});

test("a client that leaves frees the instance and the memory, and nothing more is sent", () => {
  create();
  start(5);
  send("abc");
  exchange.onFinish?.(exchange);
  expect([returned, runtime.memory.taken]).toEqual([[0], 0]);
  send("de");
  exchange.response.end("");
  expect([client.events, runtime.memory.taken]).toEqual([[], 0]);
});

test("a file is sent past the filter when the response passes", () => {
  create();
  start(5);
  expect(exchange.response.sendFile?.(3, 0, 5)).toBe(0);
  client = new Client();
  const asked: number[][] = [];
  Object.assign(client, { sendFile: (...file: number[]) => asked.push(file) * 5 });
  create({ reads: "nothing" });
  start(5);
  expect([exchange.response.sendFile?.(3, 1, 5), asked]).toEqual([5, [[3, 1, 5]]]);
});
