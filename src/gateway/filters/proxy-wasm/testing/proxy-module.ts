import { assemble, I32, op, type TestFunction, u32 } from "../../module/testing/assembler.ts";

/** Types by the number of i32 parameters, all with the result i32. The last type is () -> (). */
const TYPES = [
  ...Array.from({ length: 13 }, (_, count) => [Array.from({ length: count }, () => I32), [I32]] as const),
  [[], []] as const,
];
const NOTHING = 13;
/** The addresses of a module's texts, of results, and of free memory. */
export const TEXTS = 0;
export const RESULTS = 4096;
const FREE = 8192;

/** A proxy-wasm module for a test. */
export interface Filter {
  /** Imports, of `env` unless a module is named, each with its number of parameters. They are functions 0, 1, ... */
  readonly imports?: readonly (readonly [name: string, parameters: number, module?: string])[];
  readonly text?: string;
  readonly callbacks: Readonly<Record<string, readonly number[]>>;
  /** The code of the allocator. */
  readonly allocated?: readonly number[];
}

/** The number of parameters of each callback. */
const PARAMETERS: Readonly<Record<string, number>> = {
  _initialize: NOTHING,
  _start: NOTHING,
  main: 2,
  proxy_on_context_create: 2,
  proxy_on_vm_start: 2,
  proxy_on_configure: 2,
  proxy_on_request_headers: 3,
  proxy_on_request_body: 3,
  proxy_on_request_trailers: 2,
  proxy_on_response_headers: 3,
  proxy_on_response_body: 3,
  proxy_on_response_trailers: 2,
  proxy_on_done: 1,
  proxy_on_log: 1,
  proxy_on_delete: 1,
  proxy_on_queue_ready: 2,
  proxy_on_http_call_response: 5,
  proxy_on_tick: 1,
  proxy_on_grpc_receive_initial_metadata: 3,
  proxy_on_grpc_receive: 3,
  proxy_on_grpc_receive_trailing_metadata: 3,
  proxy_on_grpc_close: 3,
};

/** The bytes of a module with these callbacks. */
export function moduleOf({ imports = [], text = "", callbacks, allocated = op.i32(FREE) }: Filter): Uint8Array {
  const functions: TestFunction[] = [
    { type: NOTHING, export: "proxy_abi_version_0_2_1", code: [] },
    { type: 1, export: "malloc", code: allocated },
  ];
  for (const [name, code] of Object.entries(callbacks)) {
    functions.push({ type: PARAMETERS[name] ?? 0, export: name, code });
  }
  const bytes = [...Buffer.from(text)];
  return assemble({
    types: TYPES,
    imports: imports.map(([name, count, module = "env"]) => [module, name, count] as const),
    functions,
    memory: 1,
    data: [[0, ...op.i32(TEXTS), 0x0b, ...u32(bytes.length), ...bytes]],
  });
}

/** Code that calls a function with constants. */
export function call(index: number, ...parameters: readonly number[]): number[] {
  return [...parameters.flatMap((value) => op.i32(value)), ...op.call(index)];
}
