/** The host functions for gRPC calls, with modules that call the server of @grpc/grpc-js. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { EchoServer } from "../../../../test/grpc/testing/echo-service.ts";
import { type CallRig, startCallRig } from "../../../../test/filters/testing/call-rig.ts";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { until } from "../../../lib/testing/until.ts";
import { op } from "../module/testing/assembler.ts";
import { loaded } from "../module/testing/metered.ts";
import { type TestRuntime, testRuntime, testSettings } from "../testing/test-runtime.ts";
import { BUFFER, MAP, STATUS } from "./guest/enums.ts";
import { encodePairs } from "./guest/pairs.ts";
import { ProxyWasmFilter } from "./proxy-wasm-filter.ts";
import { call, moduleOf, RESULTS, TEXTS } from "./testing/proxy-module.ts";

const INFO = 2;
const ID = RESULTS + 16;
const METADATA = encodePairs([["x-echo", "tag"]]);

/** The texts of all modules, with their addresses. */
const WORDS = ["echo", "test.Echo", "Unary", "Chat", "hello", "fail 5 gone", "hang", "x-echo", METADATA];
const at = (word: string): readonly [address: number, length: number] => [
  TEXTS + WORDS.slice(0, WORDS.indexOf(word)).join("").length,
  word.length,
];

const IMPORTS = [
  ["proxy_log", 3],
  ["proxy_get_buffer_bytes", 5],
  ["proxy_get_header_map_value", 5],
  ["proxy_get_status", 3],
] as const;
const [LOG, BYTES, FIELD, GET_STATUS, FIRST, SECOND] = [0, 1, 2, 3, 4, 5];

/** Logs the text whose address and length are at `RESULTS`. */
const LOG_RESULT = [
  ...op.i32(INFO),
  ...op.i32(RESULTS),
  ...op.i32Load,
  ...op.i32(RESULTS + 4),
  ...op.i32Load,
  ...op.call(LOG),
];
const logField = (map: number): number[] => [
  ...call(FIELD, map, ...at("x-echo"), RESULTS, RESULTS + 4),
  ...op.drop,
  ...LOG_RESULT,
];
const ON_RECEIVE = [...call(BYTES, BUFFER.grpcMessage, 0, 1000, RESULTS, RESULTS + 4), ...op.drop, ...LOG_RESULT];
const ON_CLOSE = [...call(GET_STATUS, RESULTS + 8, RESULTS, RESULTS + 4), ...op.drop, ...LOG_RESULT];

let echo: EchoServer;
let rig: CallRig;

beforeAll(async () => {
  echo = await EchoServer.start();
  rig = startCallRig({ echo: [echo.port, "h2c"] });
});

afterAll(() => {
  rig.stop();
  echo.stop();
});

afterEach(async () => {
  await until(
    () => rig.held === 0 && rig.calls.size === 0,
    patient(5000),
    "calls that hold nothing once they are over",
  );
  echo.calls.length = 0;
});

interface Calling {
  /** The functions that it imports after those of `IMPORTS`. */
  readonly imports: readonly (readonly [name: string, parameters: number])[];
  /** The code of proxy_on_request_headers. It leaves the status of the last call, with which the filter pauses or continues. */
  readonly code: readonly number[];
  readonly callbacks?: Readonly<Record<string, readonly number[]>>;
}

/** Runs a request through a module with these calls. Returns the runtime, whose lines show the filter's log. */
async function calling({ imports, code, callbacks = {} }: Calling): Promise<TestRuntime> {
  const module = moduleOf({
    imports: [...IMPORTS, ...imports],
    text: WORDS.join(""),
    callbacks: { proxy_on_request_headers: code, ...callbacks },
  });
  const runtime: TestRuntime = { ...testRuntime(), calls: rig.calls };
  const filter = new ProxyWasmFilter(await loaded(module), testSettings(), runtime);
  void filter.request(new ClientExchange(new Consumer()));
  return runtime;
}

/** Pauses the request if the status is 0. */
const PAUSES_IF_OK = [0x45];

/** Logs "fail 5 gone" if the status is `status`, and continues the request. */
function logsIf(status: number): number[] {
  const equals = 0x46;
  return [
    ...op.i32(status),
    equals,
    ...op.if,
    ...call(LOG, INFO, ...at("fail 5 gone")),
    ...op.drop,
    ...op.end,
    ...op.i32(0),
  ];
}

function logged({ lines }: TestRuntime): string[] {
  return lines.map((line) => line.replace(/^test: info: /, ""));
}

async function logs(runtime: TestRuntime, expected: readonly string[]): Promise<void> {
  await until(() => runtime.lines.length >= expected.length, patient(5000), expected.join(", "));
  expect(logged(runtime)).toEqual([...expected]);
}

const UNARY = [...at("echo"), ...at("test.Echo"), ...at("Unary")];
const CHAT = [...at("echo"), ...at("test.Echo"), ...at("Chat")];

test.each([
  ["with metadata", [...UNARY, ...at(METADATA), ...at("hello"), 5000, ID], "tag"],
  ["without metadata, as some SDKs declare it", [...UNARY, ...at("hello"), 5000, ID], ""],
])("proxy_grpc_call %s returns the message and the initial metadata", async (_how, parameters, tag) => {
  const runtime = await calling({
    imports: [["proxy_grpc_call", parameters.length]],
    code: [...call(FIRST, ...parameters), ...PAUSES_IF_OK],
    callbacks: { proxy_on_grpc_receive: [...ON_RECEIVE, ...op.drop, ...logField(MAP.grpcInitialMetadata)] },
  });
  await logs(runtime, tag === "" ? ["hello", "hello"] : ["hello", tag]);
  expect(echo.calls.map(({ method, metadata }) => [method, metadata.get("x-echo")])).toEqual([
    ["unary", tag === "" ? [] : [tag]],
  ]);
});

test("proxy_on_grpc_close has the status of a failed call, and its message", async () => {
  const runtime = await calling({
    imports: [["proxy_grpc_call", 10]],
    code: [...call(FIRST, ...UNARY, ...at("fail 5 gone"), 5000, ID), ...PAUSES_IF_OK],
    callbacks: { proxy_on_grpc_close: ON_CLOSE, proxy_on_grpc_receive: ON_RECEIVE },
  });
  await logs(runtime, ["gone"]);
});

test.each([
  ["with metadata", [...CHAT, ...at(METADATA), ID], ["tag"]],
  ["without metadata", [...CHAT, ID], []],
])("proxy_grpc_stream %s sends messages, and its events arrive in order", async (_how, parameters, tags) => {
  const send = (message: string, end: number): number[] => [
    ...op.i32(ID),
    ...op.i32Load,
    ...call(SECOND, ...at(message), end),
  ];
  const runtime = await calling({
    imports: [
      ["proxy_grpc_stream", parameters.length],
      ["proxy_grpc_send", 4],
    ],
    code: [
      ...call(FIRST, ...parameters),
      ...op.drop,
      ...send("hello", 0),
      ...op.drop,
      ...send("x-echo", 1),
      ...PAUSES_IF_OK,
    ],
    callbacks: {
      proxy_on_grpc_receive_initial_metadata: tags.length > 0 ? logField(MAP.grpcInitialMetadata) : op.i32(0),
      proxy_on_grpc_receive: ON_RECEIVE,
      proxy_on_grpc_close: call(LOG, INFO, ...at("Chat")),
    },
  });
  await logs(runtime, [...tags, "hello", "x-echo", "Chat"]);
  expect(echo.calls[0]).toMatchObject({ method: "chat", received: ["hello", "x-echo"], ended: true });
});

test.each([
  ["an empty message, which has an address", ID, ["hello", ""]],
  ["no message", 0, ["hello"]],
])("a filter ends its stream with %s", async (_what, address, received) => {
  const send = (...message: readonly number[]): number[] => [...op.i32(ID), ...op.i32Load, ...call(SECOND, ...message)];
  const runtime = await calling({
    imports: [
      ["proxy_grpc_stream", 7],
      ["proxy_grpc_send", 4],
    ],
    code: [
      ...call(FIRST, ...CHAT, ID),
      ...op.drop,
      ...send(...at("hello"), 0),
      ...op.drop,
      ...send(address, 0, 1),
      ...PAUSES_IF_OK,
    ],
    callbacks: { proxy_on_grpc_close: call(LOG, INFO, ...at("Chat")) },
  });
  await logs(runtime, ["Chat"]);
  expect(echo.calls[0]).toMatchObject({ method: "chat", received, ended: true });
});

test("a cancelled call reports nothing, and its id is unknown after that", async () => {
  const cancel = [...op.i32(ID), ...op.i32Load, ...op.call(SECOND)];
  const addToLog = [
    ...op.i32(STATUS.notFound),
    0x46,
    ...op.if,
    ...call(LOG, INFO, ...at("hang")),
    ...op.drop,
    ...op.end,
  ];
  const runtime = await calling({
    imports: [
      ["proxy_grpc_call", 10],
      ["proxy_grpc_cancel", 1],
    ],
    code: [
      ...call(FIRST, ...UNARY, ...at("hang"), 5000, ID),
      ...op.drop,
      ...cancel,
      ...addToLog,
      ...cancel,
      ...addToLog,
      ...op.i32(1),
    ],
    callbacks: { proxy_on_grpc_close: ON_CLOSE },
  });
  expect(logged(runtime)).toEqual(["hang"]);
  expect(rig.calls.size).toBe(0);
});

test.each([
  ["proxy_http_call", [...at("echo"), ...at(METADATA), ...at("hello"), 0, 0, 5000, ID]],
  ["proxy_grpc_call", [...UNARY, ...at(METADATA), ...at("hello"), 5000, ID]],
  ["proxy_grpc_stream", [...CHAT, ...at(METADATA), ID]],
])("%s fails while the module is initialised, and the module can begin nevertheless", async (name, parameters) => {
  const runtime = await calling({
    imports: [[name, parameters.length]],
    code: [...op.i32(RESULTS), ...op.i32Load, ...logsIf(STATUS.internalFailure)],
    callbacks: { _initialize: [...op.i32(RESULTS), ...call(FIRST, ...parameters), ...op.i32Store] },
  });
  expect(logged(runtime)).toEqual(["fail 5 gone"]);
});

test.each([
  ["proxy_http_call", "its fields", [...at("echo"), ...at("hello"), ...at("hello"), 0, 0, 5000, ID]],
  ["proxy_http_call", "its trailers", [...at("echo"), ...at(METADATA), ...at("hello"), ...at("hello"), 5000, ID]],
  ["proxy_grpc_call", "its metadata", [...UNARY, ...at("hello"), ...at("hello"), 5000, ID]],
  ["proxy_grpc_stream", "its metadata", [...CHAT, ...at("hello"), ID]],
])("%s refuses %s if they are not pairs, and sends nothing", async (name, _what, parameters) => {
  const runtime = await calling({
    imports: [[name, parameters.length]],
    code: [...call(FIRST, ...parameters), ...logsIf(STATUS.badArgument)],
  });
  expect([logged(runtime), rig.calls.size]).toEqual([["fail 5 gone"], 0]);
});

test.each(["its exchange finishes", "its filter fails"])(
  "a call that hangs ends with its stream, because %s",
  async (why) => {
    const module = moduleOf({
      imports: [...IMPORTS, ["proxy_grpc_call", 10], ["proxy_set_tick_period_milliseconds", 1]],
      text: WORDS.join(""),
      callbacks: {
        proxy_on_configure: [...call(SECOND, why === "its filter fails" ? 10 : 0), ...op.drop, ...op.i32(1)],
        proxy_on_request_headers: [...call(FIRST, ...UNARY, ...at("hang"), 5000, ID), ...PAUSES_IF_OK],
        proxy_on_tick: op.unreachable,
        proxy_on_grpc_close: ON_CLOSE,
      },
    });
    const runtime: TestRuntime = { ...testRuntime(), calls: rig.calls };
    const filter = new ProxyWasmFilter(await loaded(module), testSettings(), runtime);
    const exchange = new ClientExchange(new Consumer());
    void filter.request(exchange);
    expect(rig.calls.size).toBe(1);
    if (why === "its exchange finishes") exchange.onFinish?.(exchange);
    else await until(() => runtime.lines.length > 0);
    expect(rig.calls.size).toBe(0);
    filter.close();
    runtime.wheel.close();
  },
);

test("a call of the plugin itself ends with the instance", async () => {
  const module = moduleOf({
    imports: [...IMPORTS, ["proxy_grpc_call", 10]],
    text: WORDS.join(""),
    callbacks: {
      proxy_on_configure: [...call(FIRST, ...UNARY, ...at("hang"), 5000, ID), ...op.drop, ...op.i32(1)],
      proxy_on_grpc_close: ON_CLOSE,
    },
  });
  const runtime: TestRuntime = { ...testRuntime(), calls: rig.calls };
  const filter = new ProxyWasmFilter(await loaded(module), testSettings({ route: "" }), runtime);
  expect(rig.calls.size).toBe(1);
  filter.close();
  expect([rig.calls.size, runtime.lines]).toEqual([0, []]);
});
