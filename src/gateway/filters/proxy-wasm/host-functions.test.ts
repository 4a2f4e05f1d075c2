/** The results of host functions, and what they write into a filter's memory. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Gateway, startGateway } from "../../../../test/support/gateway.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { op } from "../module/testing/assembler.ts";
import { call, moduleOf, RESULTS, TEXTS } from "./testing/proxy-module.ts";

setDefaultTimeout(patient(60_000));

/** Bytes of memory that a filter shows. They are 0xff before the call. */
const SHOWN = 24;
const UNTOUCHED = "ff".repeat(SHOWN);
const WASI = "wasi_snapshot_preview1";
const ZEROS = 16_384;
const CONFIG = "my config";
/** Two pieces of output, each with its address and length: "one\\n" and "two\\n". */
const OUTPUT = "\x10\0\0\0\x04\0\0\0\x14\0\0\0\x04\0\0\0one\ntwo\n";

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

let folder = "";
let gateway: Gateway;

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

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-host-"));
  const much = wasi("random_get", [ZEROS, 32_768], 0);
  const rows: (readonly [name: number | string, row: Row, fuel?: number])[] = [
    ...ROWS.entries(),
    ["random", wasi("random_get", [OUT, 16], 0)],
    ["enough-fuel", much, 3000],
    ["little-fuel", much, 2000],
  ];
  const entries = await Promise.all(
    rows.map(async ([name, row, fuel]) => {
      const module = join(folder, `${name}.wasm`);
      await Bun.write(module, moduleFor(row));
      return { match: `/${name}/`, module, config: CONFIG, fuel };
    }),
  );
  gateway = await startGateway({
    routes: rows.map(([name]) => ({ path_prefix: `/${name}/`, fixed_response: { status: 500 } })),
    wasm_filters: entries,
  });
});

afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

test.each(ROWS.map((row, index) => [row.of[0], row.of[1].join(", "), index, row] as const))(
  "%s(%s)",
  async (_name, _parameters, index, { gives, writes = "" }) => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}/${index}/`);
    const memory = Buffer.from(await response.arrayBuffer()).toString("hex");
    expect([response.status - 200, memory]).toEqual([gives, writes + UNTOUCHED.slice(writes.length)]);
  },
);

test("random bytes fill the range that the filter asks for", async () => {
  const response = await fetch(`http://127.0.0.1:${gateway.port}/random/`);
  const memory = Buffer.from(await response.arrayBuffer());
  expect(response.status).toBe(200);
  expect(new Set(memory.subarray(0, 16)).size).toBeGreaterThan(4);
  expect(memory.subarray(16).toString("hex")).toBe("ff".repeat(SHOWN - 16));
});

test("random bytes take fuel, a unit for 16 of them", async () => {
  expect((await fetch(`http://127.0.0.1:${gateway.port}/enough-fuel/`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${gateway.port}/little-fuel/`)).status).toBe(500);
});

test("the output of a filter is in the log, line by line", () => {
  for (const line of ["one", "two"]) expect(gateway.output()).toMatch(new RegExp(`\\b${line}$`, "m"));
});
