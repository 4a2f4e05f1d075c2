const PROXY_PREFIX = "proxy_";

/** Functions that a filter can import from `env` in addition to the functions of the ABI. */
export const OTHER_IMPORTS: readonly string[] = ["abort", "pthread_equal", "emscripten_notify_memory_growth"];

/** The module names under which filters import WASI. */
export const WASI_MODULES: readonly string[] = ["wasi_snapshot_preview1", "wasi_unstable"];

/** True if the name of an import has the prefix of Proxy-Wasm's host functions. */
export function isProxyImport(name: string): boolean {
  return name.startsWith(PROXY_PREFIX);
}

/** Callbacks that must return a number, which decides whether the filter lets a part pass. */
export const DECIDING_EXPORTS: readonly string[] = [
  "proxy_on_vm_start",
  "proxy_on_configure",
  "proxy_on_request_headers",
  "proxy_on_request_body",
  "proxy_on_request_trailers",
  "proxy_on_response_headers",
  "proxy_on_response_body",
  "proxy_on_response_trailers",
  "proxy_on_done",
];

/** The functions with which a filter allocates memory for the gateway. One of them is required. */
export const ALLOCATORS: readonly string[] = ["proxy_on_memory_allocate", "malloc"];
export const ALLOCATOR_TYPE = "(i32) -> i32";

/** The other callbacks of the ABI, and the functions that start a module. */
export const OTHER_EXPORTS: readonly string[] = [
  "_initialize",
  "_start",
  "proxy_on_context_create",
  "proxy_on_log",
  "proxy_on_delete",
  "proxy_on_tick",
  "proxy_on_queue_ready",
  "proxy_on_http_call_response",
  "proxy_on_grpc_receive_initial_metadata",
  "proxy_on_grpc_receive",
  "proxy_on_grpc_receive_trailing_metadata",
  "proxy_on_grpc_close",
];
