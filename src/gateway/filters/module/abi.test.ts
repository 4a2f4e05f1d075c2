/** The ABI of a module by its exports and imports, and the reasons for which one is refused. */
import { expect, test } from "bun:test";
import { messageOf } from "../../../lib/caught.ts";
import { abiOf } from "./abi.ts";
import { readShape } from "./reading/read-shape.ts";
import { ModuleRefused } from "./reading/refused.ts";
import { assemble, I32, I64, op, type Parts, type TestFunction } from "./testing/assembler.ts";

const F64 = 0x7c;
/** The types of these modules by their texts. */
const TYPES: NonNullable<Parts["types"]> = [
  [[], []],
  [[], [I32]],
  [[I32], [I32]],
  [[I32, I32], [I32]],
  [[I32], []],
  [[I64], [I32]],
  [[F64], [I32]],
  [[I32, I64], []],
  [[I32], [I64]],
  [[I32, I32, I32, I32, I32], [I32]],
  [[I32, I32, I32, I32, I32, I32], [I32]],
];
const [NOTHING, RESULT, ONE, TWO, TAKES, WIDE, FLOAT, MIXED, WIDE_RESULT, FIVE, SIX] = TYPES.keys();

function abiOfModule(parts: Parts): unknown {
  try {
    return abiOf(readShape(assemble({ types: TYPES, ...parts })));
  } catch (error) {
    expect(error).toBeInstanceOf(ModuleRefused);
    return messageOf(error);
  }
}

/** A function that is exported. Its code is not read here. */
function exported(name: string, type: number | undefined): TestFunction {
  return { type: type ?? 0, export: name, code: op.unreachable };
}

const VERSION = exported("proxy_abi_version_0_2_1", NOTHING);
const MALLOC = exported("malloc", ONE);
const proxy = (...functions: readonly TestFunction[]): Parts => ({ functions: [VERSION, MALLOC, ...functions] });
const importing = (module: string, name: string, type: number | undefined, functions = [VERSION, MALLOC]): Parts => ({
  imports: [[module, name, type ?? 0]],
  functions,
});
const OWN = [exported("on_request", RESULT)];

test.each<readonly [string, Parts, unknown]>([
  ["on_request", { functions: OWN }, { kind: "own" }],
  [
    "all callbacks of the own ABI, and others",
    {
      functions: [...OWN, exported("on_resume", RESULT), exported("on_response", RESULT), exported("free", TWO)],
      memory: 1,
      exports: [["memory", 2, 0]],
    },
    { kind: "own" },
  ],
  ["0.2.1", proxy(), { kind: "proxy-wasm", version: "0.2.1" }],
  [
    "0.1.0",
    { functions: [exported("proxy_abi_version_0_1_0", NOTHING), MALLOC] },
    { kind: "proxy-wasm", version: "0.1.0" },
  ],
  [
    "several versions, of which the newest counts",
    proxy(exported("proxy_abi_version_0_2_0", NOTHING), exported("proxy_abi_version_9_0_0", NOTHING)),
    { kind: "proxy-wasm", version: "0.2.1" },
  ],
  [
    "the other allocator",
    { functions: [VERSION, exported("proxy_on_memory_allocate", ONE)] },
    { kind: "proxy-wasm", version: "0.2.1" },
  ],
  [
    "callbacks of the ABI, and others of any type",
    proxy(exported("proxy_on_request_headers", FIVE), exported("proxy_on_tick", TAKES), exported("mine", FLOAT)),
    { kind: "proxy-wasm", version: "0.2.1" },
  ],
  ["an import of proxy-wasm", importing("env", "proxy_log", MIXED), { kind: "proxy-wasm", version: "0.2.1" }],
  ["an import of `env` beside it", importing("env", "abort", NOTHING), { kind: "proxy-wasm", version: "0.2.1" }],
  [
    "an import of WASI",
    importing("wasi_snapshot_preview1", "anything", WIDE),
    { kind: "proxy-wasm", version: "0.2.1" },
  ],
  ["an import of older WASI", importing("wasi_unstable", "fd_write", SIX), { kind: "proxy-wasm", version: "0.2.1" }],
  ["an import of the own ABI", importing("env", "get_path", TWO, OWN), { kind: "own" }],
])("a module with %s is a filter", (_what, parts, abi) => {
  expect(abiOfModule(parts)).toEqual(abi);
});

test.each<readonly [string, Parts, string]>([
  ["no ABI", { functions: [] }, "it exports neither on_request nor proxy_abi_version_*: it is not a filter"],
  [
    "both ABIs",
    { functions: [...OWN, VERSION] },
    "it exports both on_request and proxy_abi_version_0_2_1; a filter has one ABI",
  ],
  [
    "unknown versions",
    { functions: [exported("proxy_abi_version_0_3_0", NOTHING), exported("proxy_abi_version_1", NOTHING)] },
    "it exports proxy_abi_version_0_3_0 and proxy_abi_version_1; known versions are 0.1.0, 0.2.0, 0.2.1",
  ],
  [
    "a callback of the own ABI that is a memory",
    { functions: OWN, memory: 1, exports: [["on_response", 2, 0]] },
    "it exports on_response, which is a memory and must be a function",
  ],
  [
    "a callback of the own ABI that takes a number",
    { functions: [...OWN, exported("on_resume", ONE)] },
    "it exports on_resume as (i32) -> i32; it must be () -> i32",
  ],
  [
    "a function of the own ABI from another module",
    importing("other", "get_path", TWO, OWN),
    'it imports "other.get_path", which the gateway does not have',
  ],
  [
    "an unknown function",
    importing("env", "nothing", TWO, OWN),
    'it imports "env.nothing", which the gateway does not have',
  ],
  [
    "a function of the own ABI as another type",
    importing("env", "get_path", ONE, OWN),
    'it imports "env.get_path" as (i32) -> i32; it is (i32, i32) -> i32',
  ],
  [
    "no allocator",
    { functions: [VERSION] },
    "it exports neither proxy_on_memory_allocate nor malloc: the gateway cannot pass data to it",
  ],
  [
    "an allocator of another type",
    { functions: [VERSION, exported("proxy_on_memory_allocate", TWO)] },
    "it exports proxy_on_memory_allocate as (i32, i32) -> i32; it must be (i32) -> i32",
  ],
  [
    "a callback of proxy-wasm that is a global",
    { ...proxy(), globals: [[I32, 0, ...op.i32(0), 0x0b]], exports: [["proxy_on_log", 3, 0]] },
    "it exports proxy_on_log, which is a global and must be a function",
  ],
  [
    "a callback that decides nothing",
    proxy(exported("proxy_on_done", TAKES)),
    "it exports proxy_on_done as (i32) -> (); it must take i32 and return i32",
  ],
  [
    "a callback that decides in 64 bits",
    proxy(exported("proxy_on_done", WIDE_RESULT)),
    "it exports proxy_on_done as (i32) -> i64; it must take i32 and return i32",
  ],
  [
    "a callback that takes another number",
    proxy(exported("proxy_on_log", WIDE)),
    "it exports proxy_on_log as (i64) -> i32; it must take i32",
  ],
  [
    "a callback with six parameters",
    proxy(exported("proxy_on_tick", SIX)),
    "it exports proxy_on_tick as (i32, i32, i32, i32, i32, i32) -> i32; it must take i32",
  ],
  [
    "an import that neither ABI has",
    importing("env", "system", ONE),
    'it imports "env.system", which the gateway does not have',
  ],
  [
    "a function of proxy-wasm from another module",
    importing("other", "proxy_log", ONE),
    'it imports "other.proxy_log", which the gateway does not have',
  ],
  [
    "an import that takes another number",
    importing("env", "proxy_log", FLOAT),
    'it imports "env.proxy_log" as (f64) -> i32; it takes i32 and i64 and returns i32',
  ],
  [
    "an import that returns another number",
    importing("wasi_unstable", "fd_seek", WIDE_RESULT),
    'it imports "wasi_unstable.fd_seek" as (i32) -> i64; it takes i32 and i64 and returns i32',
  ],
])("a module with %s is refused", (_what, parts, reason) => {
  expect(abiOfModule(parts)).toBe(reason);
});
