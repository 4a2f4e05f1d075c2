/** The results of host functions, and what they write into a filter's memory. */
import { expect, test } from "bun:test";
import { ClientExchange } from "../../../../test/flow/testing/flow.ts";
import { op } from "../module/testing/assembler.ts";
import { loaded } from "../module/testing/metered.ts";
import { WorkerShared } from "../runtime/worker-shared.ts";
import { testRuntime, testSettings } from "../testing/test-runtime.ts";
import { BUFFER, MAP } from "./guest/enums.ts";
import { ProxyWasmFilter } from "./proxy-wasm-filter.ts";
import { PlayedClient } from "./testing/played-stream.ts";
import { call, moduleOf, RESULTS, TEXTS } from "./testing/proxy-module.ts";

/** Bytes of memory that a filter shows. They are 0xff before the call. */
const SHOWN = 24;
const UNTOUCHED = "ff".repeat(SHOWN);
const WASI = "wasi_snapshot_preview1";
const ZEROS = 16_384;
const CONFIG = "my config";
/** Two pieces of output, each with its address and length: "one\\n" and "two\\n". */
const OUTPUT =
  "\x10\0\0\0\x04\0\0\0\x14\0\0\0\x04\0\0\0one\ntwo\n:path\0\0\0\x10\0\0\0\x02\0\0\0\0\x40\0\0\x60\x09\0\0\0\x40\0\0\x60\x09\0\0";
/** The addresses of ":path", of a piece with a part of a line, and of two pieces with 2,400 zeros each. */
const [PATH, REST, LONG] = [24, 32, 40] as const;

interface Row {
  /** The function, its parameters and its module. */
  readonly of: readonly [name: string, parameters: readonly number[], module?: string];
  readonly gives: number;
  /** The memory from `RESULTS` on after the call, in hex, up to the part that is untouched. */
  readonly writes?: string;
}

const OUT = RESULTS;
const OUT_2 = RESULTS + 4;

function wasi(name: string, parameters: readonly number[], gives: number, writes = ""): Row {
  return { of: [name, parameters, WASI], gives, writes };
}

function env(name: string, parameters: readonly number[], gives: number, writes = ""): Row {
  return { of: [name, parameters], gives, writes };
}

const ROWS: readonly Row[] = [
  env("proxy_log", [6, TEXTS, 1], 2),
  env("proxy_log", [5, TEXTS, 1], 0),
  env("proxy_get_log_level", [OUT], 0, "02000000"),
  env("proxy_set_tick_period_milliseconds", [1000], 0),
  env("proxy_set_effective_context", [77], 2),
  // The context of the only request: 1 is that of the plugin, and 2 was for the check of the module.
  env("proxy_set_effective_context", [3], 0),
  env("proxy_done", [], 1),
  env("proxy_call_foreign_function", [0, 0, 0, 0, OUT, OUT_2], 1, "0000000000000000"),
  env("proxy_clear_route_cache", [], 0),
  // At 8192, the memory that the allocator gives.
  env("proxy_get_configuration", [OUT, OUT_2], 0, "0020000009000000"),
  env("pthread_equal", [3, 3], 1),
  env("pthread_equal", [3, 4], 0),
  env("emscripten_notify_memory_growth", [0], 0),
  env("proxy_get_shared_data", [TEXTS, 3, OUT, OUT_2, OUT_2 + 4], 1),
  env("proxy_set_shared_data", [ZEROS, 4097, TEXTS, 1, 0], 2),
  env("proxy_set_shared_data", [TEXTS, 4, TEXTS, 1, 0], 0),
  // The value of the row before.
  env("proxy_get_shared_data", [TEXTS, 4, OUT, OUT_2, OUT_2 + 4], 0, "002000000100000001000000"),
  env("proxy_set_shared_data", [TEXTS, 5, TEXTS, 1, 77], 8),
  env("proxy_set_property", [ZEROS, 4096, TEXTS, 1], 0),
  env("proxy_set_property", [ZEROS, 4097, TEXTS, 1], 2),
  env("proxy_register_shared_queue", [ZEROS, 4097, OUT], 2),
  env("proxy_resolve_shared_queue", [TEXTS, 1, TEXTS, 9, OUT], 1),
  env("proxy_enqueue_shared_queue", [99, TEXTS, 1], 1),
  env("proxy_dequeue_shared_queue", [99, OUT, OUT_2], 1),
  env("proxy_define_metric", [3, TEXTS + 16, 3, OUT], 2),
  env("proxy_define_metric", [0, ZEROS, 4097, OUT], 2),
  env("proxy_get_metric", [99, OUT], 1),
  env("proxy_increment_metric", [99, 5], 1),
  env("proxy_record_metric", [99, 5], 1),
  env("proxy_continue_stream", [2], 12),
  env("proxy_close_stream", [2], 12),
  env("proxy_get_buffer_status", [BUFFER.pluginConfiguration, OUT, OUT_2], 0, "0900000001000000"),
  env("proxy_get_buffer_status", [BUFFER.vmConfiguration, OUT, OUT_2], 0, "0000000001000000"),
  env("proxy_get_buffer_status", [BUFFER.requestBody, OUT, OUT_2], 1),
  env("proxy_get_buffer_status", [BUFFER.responseBody, OUT, OUT_2], 1),
  env("proxy_get_buffer_status", [BUFFER.callBody, OUT, OUT_2], 1),
  env("proxy_get_buffer_bytes", [BUFFER.pluginConfiguration, 3, 4, OUT, OUT_2], 0, "0020000004000000"),
  env("proxy_get_buffer_bytes", [BUFFER.pluginConfiguration, 7, 4, OUT, OUT_2], 0, "0020000002000000"),
  env("proxy_get_buffer_bytes", [BUFFER.pluginConfiguration, 9, 4, OUT, OUT_2], 0, "0000000000000000"),
  env("proxy_get_buffer_bytes", [BUFFER.pluginConfiguration, 10, 4, OUT, OUT_2], 0, "0000000000000000"),
  env("proxy_get_buffer_bytes", [BUFFER.pluginConfiguration, 1, -1, OUT, OUT_2], 2),
  env("proxy_get_buffer_bytes", [BUFFER.requestBody, 0, 4, OUT, OUT_2], 1),
  env("proxy_set_buffer_bytes", [BUFFER.pluginConfiguration, 0, 0, TEXTS, 1], 2),
  env("proxy_set_buffer_bytes", [BUFFER.requestBody, 0, 0, TEXTS, 1], 1),
  env("proxy_get_header_map_size", [MAP.requestTrailers, OUT], 2),
  env("proxy_get_header_map_pairs", [MAP.requestTrailers, OUT, OUT_2], 0, "0000000000000000"),
  env("proxy_get_header_map_value", [MAP.requestHeaders, PATH, 5, OUT, OUT_2], 0, "0020000001000000"),
  env("proxy_get_header_map_value", [MAP.requestHeaders, PATH, 4, OUT, OUT_2], 1),
  env("proxy_get_header_map_value", [MAP.responseHeaders, PATH, 5, OUT, OUT_2], 2),
  env("proxy_set_header_map_pairs", [MAP.requestTrailers, ZEROS, 0], 2),
  env("proxy_set_header_map_pairs", [MAP.grpcInitialMetadata, ZEROS, 0], 2),
  env("proxy_add_header_map_value", [MAP.requestHeaders, PATH + 1, 4, PATH + 1, 4], 0),
  env("proxy_add_header_map_value", [MAP.requestTrailers, PATH + 1, 4, PATH + 1, 4], 2),
  env("proxy_replace_header_map_value", [MAP.grpcInitialMetadata, PATH + 1, 4, PATH + 1, 4], 2),
  env("proxy_remove_header_map_value", [MAP.requestHeaders, PATH + 1, 4], 0),
  env("proxy_remove_header_map_value", [MAP.responseTrailers, PATH + 1, 4], 2),
  env("proxy_get_property", [PATH, 5, OUT, OUT_2], 1),
  env("proxy_get_property", [ZEROS, 4097, OUT, OUT_2], 1),
  env("proxy_get_status", [OUT, OUT_2, OUT_2 + 4], 0, "000000000000000000000000"),
  // The memory at `TEXTS` does not name an upstream.
  env("proxy_http_call", [TEXTS, 1, 0, 0, 0, 0, 0, 0, 0, OUT], 2),
  env("proxy_http_call", [TEXTS, 1, TEXTS, 8, 0, 0, 0, 0, 0, OUT], 2),
  env("proxy_grpc_call", [TEXTS, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, OUT], 2),
  env("proxy_grpc_call", [TEXTS, 1, 0, 0, 0, 0, 0, 0, 0, OUT], 2),
  env("proxy_grpc_stream", [TEXTS, 1, 0, 0, 0, 0, 0, 0, OUT], 2),
  env("proxy_grpc_stream", [TEXTS, 1, 0, 0, 0, 0, OUT], 2),
  env("proxy_grpc_send", [99, TEXTS, 1, 0], 1),
  env("proxy_grpc_cancel", [99], 1),
  env("proxy_grpc_close", [99], 1),
  env("proxy_register_shared_queue", [TEXTS, 3, OUT], 0, "01000000"),
  env("proxy_resolve_shared_queue", [TEXTS, 0, TEXTS, 3, OUT], 0, "01000000"),
  env("proxy_enqueue_shared_queue", [1, PATH, 5], 0),
  env("proxy_dequeue_shared_queue", [1, OUT, OUT_2], 0, "0020000005000000"),
  env("proxy_dequeue_shared_queue", [1, OUT, OUT_2], 7),
  env("proxy_define_metric", [1, PATH + 1, 4, OUT], 0, "00000000"),
  wasi("fd_fdstat_get", [1, OUT], 0, `02${"00".repeat(23)}`),
  wasi("args_get", [0, 0], 0),
  wasi("args_sizes_get", [OUT, OUT_2], 0, "0000000000000000"),
  wasi("environ_get", [0, 0], 0),
  wasi("environ_sizes_get", [OUT, OUT_2], 0, "0000000000000000"),
  wasi("sched_yield", [], 0),
  wasi("fd_close", [3], 0),
  wasi("fd_fdstat_set_flags", [1, 0], 0),
  wasi("fd_prestat_get", [3, OUT], 8),
  wasi("fd_prestat_dir_name", [3, OUT, 1], 8),
  wasi("fd_fdstat_get", [0, OUT], 0, `02${"00".repeat(23)}`),
  wasi("fd_fdstat_get", [2, OUT], 0, `02${"00".repeat(23)}`),
  wasi("fd_fdstat_get", [3, OUT], 8),
  wasi("fd_write", [1, TEXTS, 2, OUT], 0, "08000000"),
  wasi("fd_write", [0, TEXTS, 2, OUT], 8),
  wasi("fd_write", [3, TEXTS, 2, OUT], 8),
  wasi("fd_write", [1, ZEROS, 1024, OUT], 0, "00000000"),
  wasi("fd_write", [1, ZEROS, 1025, OUT], 28),
  wasi("fd_write", [1, ZEROS, -1, OUT], 28),
  wasi("random_get", [OUT, -1], 28),
  wasi("random_get", [ZEROS, 65_537], 28),
  wasi("random_get", [OUT, 0], 0),
  wasi("poll_oneoff", [0, 0, 0, OUT], 0, "00000000"),
  wasi("clock_res_get", [0, OUT], 0, "e803000000000000"),
  wasi("path_open", [0, 0, 0], 58),
];

/** Calls the function, and responds with 200 plus its result, and with the memory. */
function moduleFor({ of: [name, parameters, from] }: Row): Uint8Array {
  const fill = [...op.i32(RESULTS), ...op.i32(0xff), ...op.i32(SHOWN), ...op.memoryFill];
  const status = [...call(0, ...parameters), ...op.i32(200), ...op.i32Add];
  const rest = [0, 0, RESULTS, SHOWN, 0, 0, -1].flatMap((value) => op.i32(value));
  return moduleOf({
    imports: [
      [name, parameters.length, from ?? "env"],
      ["proxy_send_local_response", 8],
    ],
    text: OUTPUT,
    callbacks: { proxy_on_request_headers: [...fill, ...status, ...rest, ...op.call(1)] },
  });
}

/** The data and queues of all rows, in their order. */
const shared = new WorkerShared();

/** The response of a request that calls the function of a row, and the filter's log. */
async function responseTo(row: Row, fuel?: number) {
  const runtime = { ...testRuntime(), shared };
  const settings = testSettings({ config: CONFIG, ...(fuel === undefined ? {} : { fuel }) });
  const filter = new ProxyWasmFilter(await loaded(moduleFor(row)), settings, runtime);
  const client = new PlayedClient();
  const exchange = new ClientExchange(client, { method: "GET", bodyLength: 0 });
  await filter.request(exchange);
  exchange.onFinish?.(exchange);
  filter.close();
  return { status: client.heads[0]?.status ?? 0, memory: client.bytes, lines: runtime.lines };
}

test.each(ROWS.map((row) => [row.of[0], row.of[1].join(", "), row] as const))(
  "%s(%s)",
  async (_name, _parameters, row) => {
    const { gives, writes = "" } = row;
    const { status, memory } = await responseTo(row);
    expect([status - 200, memory.toString("hex")]).toEqual([gives, writes + UNTOUCHED.slice(writes.length)]);
  },
);

test("an error of the gateway in a host function ends the invocation, with a reason of its own", async () => {
  const runtime = testRuntime();
  const lines: string[] = [];
  const filter = new ProxyWasmFilter(await loaded(moduleFor(env("proxy_log", [5, TEXTS, 1], 0))), testSettings({}), {
    ...runtime,
    log(_filter, line) {
      lines.push(line);
      if (lines.length === 1) throw new Error("a defect");
    },
  });
  const client = new PlayedClient();
  await filter.request(new ClientExchange(client, { method: "GET", bodyLength: 0 }));
  filter.close();
  expect([client.heads[0]?.status, lines[1]]).toEqual([
    500,
    "makes a function of the gateway fail in proxy_on_request_headers; 1 requests fail",
  ]);
});

const now = (): number => performance.timeOrigin + performance.now();

test("the clock gives nanoseconds of Unix time, which the process's own clock gives before and after", async () => {
  const before = now();
  const { status, memory } = await responseTo(env("proxy_get_current_time_nanoseconds", [OUT], 0));
  const ms = Number(memory.readBigUInt64LE(0) / 1000n) / 1000;
  expect(status).toBe(200);
  // Rounded to microseconds.
  expect(ms).toBeGreaterThanOrEqual(before - 0.001);
  expect(ms).toBeLessThanOrEqual(now() + 0.001);
});

test("random bytes fill the range that the filter asks for", async () => {
  const { status, memory } = await responseTo(wasi("random_get", [OUT, 16], 0));
  expect(status).toBe(200);
  expect(new Set(memory.subarray(0, 16)).size).toBeGreaterThan(4);
  expect(memory.subarray(16).toString("hex")).toBe("ff".repeat(SHOWN - 16));
});

test("random bytes take fuel, a unit for 16 of them", async () => {
  const much = wasi("random_get", [ZEROS, 32_768], 0);
  expect([(await responseTo(much, 3000)).status, (await responseTo(much, 2000)).status]).toEqual([200, 500]);
});

test.each([
  [1, "info"],
  [2, "error"],
])("the output of a filter to its stream %i is in the log, line by line, as %s", async (file, level) => {
  const { lines } = await responseTo(wasi("fd_write", [file, TEXTS, 2, OUT], 0));
  expect(lines).toEqual([`test: ${level}: one`, `test: ${level}: two`]);
});

test("a rest of output without an end of line is a line, and long ones are cut", async () => {
  const rest = await responseTo(wasi("fd_write", [1, REST, 1, OUT], 0));
  expect(rest.lines).toEqual(["test: info: on"]);
  const long = await responseTo(wasi("fd_write", [1, LONG, 2, OUT], 0));
  expect(long.lines.map((line) => line.length - "test: info: ".length)).toEqual([4096]);
});
