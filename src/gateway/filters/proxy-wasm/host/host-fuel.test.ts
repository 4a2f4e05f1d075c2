/** The fuel that host functions take for the bytes that they go over, so that no filter gets work of the gateway for nothing. */
import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../../../test/flow/testing/flow.ts";
import { op } from "../../module/testing/assembler.ts";
import { loaded } from "../../module/testing/metered.ts";
import { testRuntime, testSettings } from "../../testing/test-runtime.ts";
import { BUFFER, MAP } from "../guest/enums.ts";
import { ProxyWasmFilter } from "../proxy-wasm-filter.ts";
import { requestFields } from "../request-head.ts";
import { call, moduleOf, RESULTS } from "../testing/proxy-module.ts";

const WASI = "wasi_snapshot_preview1";
const OUT = RESULTS;
/** Memory with zeros only. */
const ZEROS = 16_384;
const SETTINGS = testSettings({ config: "c".repeat(6400) });
/** A path of a property, a field's name, a list whose count is false, and a vector of 6,400 bytes of output. */
const TEXT = "request\0pathresponse\0codeplugin_name\x7f\x7f\x7f\x7f\0@\0\0\0\x19\0\0";
const [REQUEST_PATH, RESPONSE_CODE, PLUGIN_NAME, FALSE_LIST, VECTOR] = [0, 12, 25, 36, 40] as const;

/** The fuel of an invocation that calls one function. */
async function fuelOf(name: string, parameters: readonly number[], from = "env"): Promise<number> {
  let fuel = 0;
  const module = moduleOf({
    imports: [[name, parameters.length, from]],
    text: TEXT,
    callbacks: { proxy_on_request_headers: [...call(0, ...parameters), ...op.drop, ...op.i32(0)] },
  });
  const filter = new ProxyWasmFilter(await loaded(module), SETTINGS, {
    ...testRuntime(),
    metrics: () => ({
      invoked: (phase, _, used) => void (fuel = phase === "request" ? used.fuel : 0),
      notInvoked() {},
    }),
  });
  await filter.request(exchange());
  filter.close();
  return fuel;
}

function exchange(): ClientExchange {
  return new ClientExchange(new Consumer(), { method: "GET", bodyLength: 0, fields: `a: ${"b".repeat(3000)}\r\n` });
}

const CALL = 20;
const fields = requestFields(exchange(), SETTINGS);
const WEIGHT = fields.weight;
const LIST = fields.encoded().length;

/** Fuel for the removal of all fields, each of which goes over those that are left. */
const REMOVALS = (() => {
  const left = requestFields(exchange(), SETTINGS);
  let fuel = 0;
  left.setAll([], () => void (fuel += left.weight >>> 5));
  return fuel;
})();

/** Fuel for a function of the machine that goes over bytes: one unit for 64 of them. */
const over = (bytes: number): number => CALL + Math.floor(bytes / 64);
/** The same for bytes that are passed to the filter. The fuel of its allocator comes in addition. */
const passed = (bytes: number): number => 2 * over(bytes);

interface Row {
  readonly of: readonly [name: string, parameters: readonly number[], module?: string];
  /** Fuel in addition to that for each call. */
  readonly takes: number;
  /** True if the filter's allocator is called. */
  readonly allocates?: boolean;
}

const env = (name: string, parameters: readonly number[], takes: number): Row => ({ of: [name, parameters], takes });
const giving = (name: string, parameters: readonly number[], takes: number): Row => ({
  of: [name, parameters],
  takes,
  allocates: true,
});

const ROWS: readonly Row[] = [
  env("proxy_log", [2, ZEROS, 0], over(0)),
  env("proxy_log", [2, ZEROS, 4096], over(4096)),
  env("proxy_log", [2, ZEROS, 6400], over(4096)),
  env("proxy_get_shared_data", [ZEROS, 6400, OUT, OUT, OUT], over(6400)),
  env("proxy_set_shared_data", [ZEROS, 64, ZEROS, 6400, 0], over(6400) + over(64)),
  env("proxy_set_shared_data", [ZEROS, 4097, ZEROS, 640, 0], over(640)),
  env("proxy_register_shared_queue", [ZEROS, 4096, OUT], over(4096)),
  env("proxy_resolve_shared_queue", [ZEROS, 6400, ZEROS, 640, OUT], over(6400) + over(640)),
  env("proxy_enqueue_shared_queue", [9, ZEROS, 6400], over(6400)),
  env("proxy_dequeue_shared_queue", [9, OUT, OUT], 0),
  env("proxy_define_metric", [0, ZEROS, 4096, OUT], over(4096)),
  env("proxy_get_property", [ZEROS, 640, OUT, OUT], over(640) + 60),
  env("proxy_get_property", [ZEROS, 4097, OUT, OUT], 0),
  env("proxy_get_property", [RESPONSE_CODE, 13, OUT, OUT], over(13) + 60),
  giving("proxy_get_property", [REQUEST_PATH, 12, OUT, OUT], over(12) + 60 + (WEIGHT >>> 4) + passed(1)),
  giving("proxy_get_property", [PLUGIN_NAME, 11, OUT, OUT], over(11) + 60 + passed(4)),
  env("proxy_set_property", [ZEROS, 64, ZEROS, 6400], over(6400) + 60 + over(64)),
  env("proxy_set_property", [ZEROS, 4097, ZEROS, 6400], over(6400) + 60),
  env("proxy_get_header_map_size", [MAP.requestHeaders, OUT], WEIGHT >>> 3),
  env("proxy_get_header_map_size", [MAP.requestTrailers, OUT], 0),
  giving("proxy_get_header_map_pairs", [MAP.requestHeaders, OUT, OUT], (WEIGHT >>> 3) + passed(LIST)),
  env("proxy_get_header_map_pairs", [MAP.requestTrailers, OUT, OUT], over(0)),
  env("proxy_set_header_map_pairs", [MAP.grpcInitialMetadata, ZEROS, 6400], 6400 >>> 2),
  env("proxy_set_header_map_pairs", [MAP.requestHeaders, FALSE_LIST, 5], (WEIGHT + 5) >>> 2),
  env("proxy_set_header_map_pairs", [MAP.requestHeaders, ZEROS, 0], (WEIGHT >>> 2) + REMOVALS),
  env("proxy_get_header_map_value", [MAP.requestHeaders, ZEROS, 640, OUT, OUT], (WEIGHT >>> 6) + over(640)),
  env("proxy_get_header_map_value", [MAP.requestTrailers, ZEROS, 640, OUT, OUT], 0),
  env(
    "proxy_add_header_map_value",
    [MAP.requestHeaders, PLUGIN_NAME, 1, ZEROS, 640],
    (WEIGHT >>> 5) + over(1) + over(640),
  ),
  env(
    "proxy_replace_header_map_value",
    [MAP.requestHeaders, PLUGIN_NAME, 1, ZEROS, 640],
    (WEIGHT >>> 5) + over(1) + over(640),
  ),
  env("proxy_add_header_map_value", [MAP.callHeaders, PLUGIN_NAME, 1, ZEROS, 640], 0),
  env("proxy_remove_header_map_value", [MAP.requestHeaders, ZEROS, 640], (WEIGHT >>> 5) + over(640)),
  env("proxy_remove_header_map_value", [MAP.requestTrailers, ZEROS, 640], 0),
  giving("proxy_get_configuration", [OUT, OUT], passed(6400)),
  giving("proxy_get_buffer_bytes", [BUFFER.pluginConfiguration, 0, 9999, OUT, OUT], passed(6400)),
  giving("proxy_get_buffer_bytes", [BUFFER.pluginConfiguration, 6336, 9999, OUT, OUT], passed(64)),
  env("proxy_get_buffer_bytes", [BUFFER.pluginConfiguration, 6400, 9999, OUT, OUT], 0),
  env("proxy_set_buffer_bytes", [BUFFER.pluginConfiguration, 0, 0, ZEROS, 6400], 0),
  // A call to an upstream that is not there.
  env("proxy_http_call", [0, 64, 0, 0, ZEROS, 6400, 0, 0, 0, OUT], 400 + 2 * over(0) + over(6400) + over(64)),
  env("proxy_http_call", [0, 0, ZEROS, 640, 0, 0, ZEROS, 320, 0, OUT], 400 + 160 + 80 + 4 * over(0)),
  env(
    "proxy_grpc_call",
    [0, 64, ZEROS, 128, ZEROS, 192, ZEROS, 640, ZEROS, 6400, 0, OUT],
    400 + 160 + over(0) + over(6400) + over(64) + over(128) + over(192),
  ),
  env("proxy_grpc_call", [0, 0, 0, 0, 0, 0, ZEROS, 6400, 0, OUT], 400 + over(6400) + 3 * over(0)),
  env("proxy_grpc_stream", [0, 0, 0, 0, 0, 0, ZEROS, 640, OUT], 400 + 160 + 4 * over(0)),
  env("proxy_grpc_stream", [0, 0, 0, 0, 0, 0, OUT], 400 + 3 * over(0)),
  env("proxy_grpc_send", [9, ZEROS, 6400, 0], 0),
  env("proxy_get_status", [OUT, OUT, OUT], over(0)),
  env("proxy_send_local_response", [200, 0, 0, ZEROS, 6400, ZEROS, 640, -1], over(6400) + 160),
  { of: ["fd_write", [1, VECTOR, 1, OUT], WASI], takes: over(8) + over(4096) },
  { of: ["fd_write", [1, ZEROS, 16, OUT], WASI], takes: over(128) + 16 * over(0) },
  { of: ["random_get", [ZEROS, 6400], WASI], takes: 400 },
];

/** Fuel of the filter's allocator, in addition to the fuel that the gateway takes when it calls it. */
const ALLOCATION = 1;

test.each(ROWS.map(({ of: [name, parameters], ...row }) => [name, parameters.join(", "), parameters, row] as const))(
  "%s(%s) takes fuel for the bytes that it goes over",
  async (name, _text, parameters, { takes, allocates = false }) => {
    const from = ROWS.find(({ of }) => of[0] === name)?.of[2];
    const other = await fuelOf(from === undefined ? "proxy_no_such_function" : "no_such_function", parameters, from);
    const taken = (await fuelOf(name, parameters, from)) - other;
    expect(taken).toBe(takes + (allocates ? ALLOCATION : 0));
  },
);
