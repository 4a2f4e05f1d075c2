/** Hostile filters as bytes, for both ABIs. */
import { assemble, I32, op, type Parts, u32 } from "../../../src/gateway/filters/module/testing/assembler.ts";

/** The code of an endless callback; `local` is the first of its two local variables. */
type Code = (local: number) => readonly number[];

const ZERO = op.i32(0);
const FOREVER = [...op.br(0), ...op.end];
const loop =
  (body: readonly number[]): Code =>
  () => [...op.loop, ...body, ...FOREVER];
const MEGABYTES = (n: number): number[] => op.i32(n << 20);

const FILL_ALL = [...ZERO, ...op.i32(1), ...MEGABYTES(31), ...op.memoryFill];

/** Attacks by a module of either ABI without calls of the gateway. */
const CODES: Readonly<Record<string, readonly [Code, Parts?]>> = {
  "an empty loop": [loop([])],
  "loops in loops": [
    () => [...Array.from({ length: 20 }, () => op.loop).flat(), ...op.br(9), ...Array<number>(20).fill(0x0b)],
  ],
  "memory.fill": [loop([...ZERO, ...op.i32(1), ...MEGABYTES(30), ...op.memoryFill]), { memory: 496 }],
  "memory.copy": [loop([...ZERO, ...MEGABYTES(15), ...MEGABYTES(15), ...op.memoryCopy]), { memory: 496 }],
  "memory.grow": [loop([...op.i32(1), ...op.memoryGrow, ...op.drop])],
  "table.grow": [loop([0xd0, 0x70, ...op.i32(1), 0xfc, 15, 0, ...op.drop]), { tables: [[0x70, 0, 1]] }],
  "loads that wait for each other": [
    (local) => [...FILL_ALL, ...op.loop, ...Array.from({ length: 16 }, () => nextLoad(local)).flat(), ...FOREVER],
    { memory: 496 },
  ],
  "a catch_all around a loop": [() => [0x06, 0x40, ...op.loop, ...op.br(0), 0x0b, 0x19, 0x0b]],
  "a trap at once": [() => op.unreachable],
  "an access behind the memory": [() => [...op.i32(-1), ...op.i32Load, ...op.drop]],
};

function nextLoad(local: number): number[] {
  return [
    [...op.get(local), ...op.get(local), ...op.i32Load, ...op.i32Add, ...op.i32(1_664_525), 0x6c],
    [...op.i32(1_013_904_223), ...op.i32Add, ...op.i32(0x1e_ff_fc_0), 0x71, ...op.set(local)],
  ].flat();
}

/** Hostile filters for the Turnpike ABI. */
export const HOSTILE_OWN: Readonly<Record<string, Uint8Array>> = {
  ...Object.fromEntries(Object.entries(CODES).map(([name, [code, parts]]) => [name, own(code(0), parts)])),
  "endless recursion": own([...op.call(0), ...op.drop]),
  "a tail call of itself": own(op.returnCall(0)),
  "a host function in a loop": withImport("get_method", []),
  "a host function of much text in a loop": withImport("get_path", [op.i32(0), op.i32(65_536)]),
  "a host function with a wrong pointer": withImport("get_path", [op.i32(-8), op.i32(65_536)]),
  "an unknown result": own([...op.i32(9), ...op.return]),
  "a park that was not asked for": own([...op.i32(3), ...op.return]),
};

function own(code: readonly number[], parts: Parts = {}): Uint8Array {
  const locals = [[2, I32]] as const;
  return assemble({
    memory: 1,
    ...parts,
    functions: [{ export: "on_request", locals, code: [...code, ...op.unreachable] }],
  });
}

// --- proxy-wasm ---

/** Function types after those of the assembler: numbers of parameters and of results. */
const SHAPES = [
  [2, 0],
  [3, 1],
  [4, 1],
  [5, 1],
  [8, 1],
  [10, 1],
] as const;
const OWN_TYPES = [
  [[], []],
  [[], [I32]],
  [[I32], [I32]],
  [[I32, I32], [I32]],
] as const;
const TYPES = [...OWN_TYPES, ...SHAPES.map(([n, results]) => [i32s(n), i32s(results)] as const)];
const CREATED = 4;
const HEADERS = 5;
/** The type of a host function by its number of parameters. */
const HOST_TYPES: Readonly<Record<number, number>> = { 1: 2, 2: 3, 3: 5, 4: 6, 5: 7, 8: 8, 10: 9 };

function i32s(count: number): number[] {
  return Array.from({ length: count }, () => I32);
}

interface Proxy extends Parts {
  /** The code of `malloc`, which gets a length; the default always returns the same address. */
  readonly malloc?: readonly number[];
}

/** A module whose `proxy_on_request_headers` has this code, and then allows the request. */
function proxy(code: readonly number[], { malloc = op.i32(4096), ...parts }: Proxy = {}): Uint8Array {
  return assemble({
    memory: 1,
    types: TYPES,
    ...parts,
    functions: [
      { export: "proxy_on_request_headers", type: HEADERS, locals: [[2, I32]], code: [...code, ...ZERO] },
      { export: "proxy_abi_version_0_2_1", type: 0, code: [] },
      { export: "malloc", type: 2, code: malloc },
      { export: "proxy_on_context_create", type: CREATED, code: [] },
    ],
  });
}

/** Calls host functions once, or endlessly, with small numbers as parameters. */
function calls(
  name: string,
  parameters: readonly number[],
  { once = false, ...more }: Proxy & { once?: boolean } = {},
) {
  const module = name.startsWith("proxy_") ? "env" : "wasi_snapshot_preview1";
  const call = [...parameters.flatMap((value) => op.i32(value)), ...op.call(0), ...op.drop];
  const imports = [[module, name, HOST_TYPES[parameters.length] ?? 0]] as const;
  return proxy(once ? call : [...op.loop, ...call, ...FOREVER], { imports, ...more });
}

const NO_FIELD = "request\0headers\0none";

function numbers(values: readonly number[]): number[] {
  return values.flatMap((value) => op.i32(value));
}

/** Adds a thousand fields of a thousand bytes, and then calls a function of the gateway endlessly. */
function callsOnMany(name: string, parameters: readonly number[]): Uint8Array {
  const add = [...numbers([0, 2048, 1, 2048, 1000]), ...op.call(0), ...op.drop];
  const addAll = [
    [...op.loop, ...add, ...op.get(3), ...op.i32(1), ...op.i32Add, ...op.tee(3)],
    [...op.i32(1000), 0x48, 0x0d, 0, ...op.end],
  ].flat();
  return proxy([...addAll, ...op.loop, ...numbers(parameters), ...op.call(1), ...op.drop, ...FOREVER], {
    imports: [
      ["env", "proxy_add_header_map_value", HOST_TYPES[5] ?? 0],
      ["env", name, HOST_TYPES[parameters.length] ?? 0],
    ],
    data: [
      [0, ...op.i32(2048), 0x0b, ...u32(1000), ...Buffer.alloc(1000, "a")],
      [0, ...op.i32(4000), 0x0b, ...u32(NO_FIELD.length), ...Buffer.from(NO_FIELD)],
    ],
  });
}

const LIST = ["proxy_get_header_map_pairs", [0, 16, 20]] as const;

/** Hostile filters of proxy-wasm. */
export const HOSTILE_PROXY: Readonly<Record<string, Uint8Array>> = {
  ...Object.fromEntries(Object.entries(CODES).map(([name, [code, parts]]) => [name, proxy(code(3), parts)])),
  "the time in a loop": calls("proxy_get_current_time_nanoseconds", [16]),
  "log lines in a loop": calls("proxy_log", [2, 0, 64]),
  "lists of fields in a loop": calls(...LIST),
  "fields added in a loop": calls("proxy_add_header_map_value", [0, 65, 1, 65, 1000], {
    data: [[0, ...op.i32(65), 0x0b, 1, 97]],
  }),
  "sizes of a long list in a loop": callsOnMany("proxy_get_header_map_size", [0, 64]),
  "a field that a long list does not have, in a loop": callsOnMany("proxy_get_header_map_value", [0, 0, 8, 64, 68]),
  "a property that is in a long list, in a loop": callsOnMany("proxy_get_property", [4000, NO_FIELD.length, 0, 64]),
  "fields removed from a long list in a loop": callsOnMany("proxy_remove_header_map_value", [0, 0, 8]),
  "shared data in a loop": calls("proxy_set_shared_data", [0, 8, 0, 60_000, 0]),
  "metrics in a loop": calls("proxy_define_metric", [0, 0, 8, 64]),
  "queues in a loop": calls("proxy_register_shared_queue", [0, 8, 64]),
  "properties in a loop": calls("proxy_set_property", [0, 8, 0, 60_000]),
  "calls of upstreams in a loop": calls("proxy_http_call", [0, 6, 0, 0, 0, 0, 0, 0, 1000, 64]),
  "responses in a loop": calls("proxy_send_local_response", [200, 0, 0, 0, 4096, 0, 0, 0]),
  "standard output in a loop": calls("fd_write", [1, 0, 1, 64]),
  "random bytes in a loop": calls("random_get", [0, 65_536], { memory: 2 }),
  "a pointer behind the memory": calls("proxy_log", [2, -8, 16], { once: true }),
  "an allocator that has no memory": calls(...LIST, { once: true, malloc: ZERO }),
  "an allocator that names a place behind the memory": calls(...LIST, { once: true, malloc: op.i32(-8) }),
  "an allocator that traps": calls(...LIST, { once: true, malloc: op.unreachable }),
  "an allocator that loops": calls(...LIST, { once: true, malloc: [...op.loop, ...FOREVER, ...ZERO] }),
};

/** Requests that `TRAPS_LATE` keeps waiting before it traps. */
export const PAUSED = 5;

/** Pauses requests, and traps with the next one. */
export const TRAPS_LATE = {
  "a trap while others wait": proxy(
    [
      [...op.globalGet(0), ...op.i32(1), ...op.i32Add, ...op.globalSet(0)],
      [...op.globalGet(0), ...op.i32(PAUSED), 0x4a, ...op.if, ...op.unreachable, ...op.end],
      [...op.i32(1), ...op.return],
    ].flat(),
    { globals: [[I32, 1, ...ZERO, 0x0b]] },
  ),
};

/** Writes to 31 MiB of memory and traps. */
export const FILLS_AND_TRAPS = {
  "a trap after 31 MiB": own(FILL_ALL, { memory: 496 }),
  "a trap of a shared instance after 31 MiB": proxy([...FILL_ALL, ...op.unreachable], { memory: 496 }),
};

/** Calls a function of the gateway endlessly. */
function withImport(name: string, parameters: readonly (readonly number[])[]): Uint8Array {
  return assemble({
    memory: 2,
    imports: [["env", name, parameters.length === 0 ? 1 : 3]],
    functions: [
      {
        export: "on_request",
        code: [...op.loop, ...parameters.flat(), ...op.call(0), ...op.drop, ...FOREVER, ...op.unreachable],
      },
    ],
  });
}

/** Modules that the gateway must not load. */
export const REFUSED: Readonly<Record<string, Uint8Array>> = {
  "a start function that loops": assemble({
    functions: [
      { type: 0, code: [...op.loop, ...FOREVER] },
      { export: "on_request", code: ZERO },
    ],
    start: 0,
  }),
  "too much memory": assemble({ memory: 2048, functions: [{ export: "on_request", code: ZERO }] }),
  "shared memory": assemble({ memory: [0x03, 1, 1], functions: [{ export: "on_request", code: ZERO }] }),
  "64-bit memory": assemble({ memory: [0x04, 1], functions: [{ export: "on_request", code: ZERO }] }),
  "a table without end": assemble({
    tables: [[0x70, 0, ...u32(10_000_000)]],
    functions: [{ export: "on_request", code: ZERO }],
  }),
  "an import that is not there": assemble({
    imports: [["env", "system", 2]],
    functions: [{ export: "on_request", code: ZERO }],
  }),
  "no module": Buffer.from("#!/bin/sh\n"),
  "half a module": assemble({ functions: [{ export: "on_request", code: ZERO }] }).slice(0, -5),
};
