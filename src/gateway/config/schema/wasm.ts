import { array, strictObject, string, union } from "./recorded-schema.ts";
import { count, jsonObject, names, ours, secret, text, flag, socketPath, milliseconds } from "./kinds.ts";

const MEBIBYTE = 1024 * 1024;
/** Bytes of a page of WebAssembly memory. */
const PAGE_BYTES = 65_536;
/** Maximum fuel of a filter; a larger number is refused. A filter counts its fuel in 32 bits. */
const MAX_FUEL = 2_147_483_647;
/** Characters of an id, and of a text for a filter; a longer one is refused. */
const MAX_NAME = 256;
const MAX_TEXT = 1_048_576;

/** A text for a filter. An object is passed on as JSON. It may contain keys, so it is hidden as a secret. */
const filterText = union([string().max(MAX_TEXT), jsonObject]).default("");

const wasmFilter = strictObject({
  match: string()
    .max(MAX_TEXT)
    .describe("`path_prefix` of the filter's route. Empty: a proxy-wasm filter without requests."),
  module: text.meta(names("file")).describe("Path of the module."),
  instances: count(1, 1, 4096).describe(
    "Instances for each worker. If all are parked, other requests get 503 after 50 ms.",
  ),
  fuel: count(5_000_000, 1, MAX_FUEL).describe("Fuel of one invocation: a unit for each round of a short loop."),
  memory_limit_bytes: count(32 * MEBIBYTE, PAGE_BYTES, 64 * MEBIBYTE).meta(
    ours("Maximum memory of an instance, allocated as the filter uses it."),
  ),
  config: filterText.meta({
    ...ours("Configuration of a proxy-wasm filter: a text, or an object that it receives as JSON. A secret."),
    ...secret(),
  }),
  vm_config: filterText.meta({
    ...ours("Configuration that a proxy-wasm filter reads when its module starts. Same form as `config`."),
    ...secret(),
  }),
  vm_id: string()
    .max(MAX_NAME)
    .default("")
    .meta(ours("proxy-wasm filters with the same id share data and queues in a worker.")),
  root_id: string().max(MAX_NAME).default("").meta(ours("Name under which the plugin registered its root context.")),
  response_fail_closed: flag().describe("If the response hook traps, send 503."),
}).describe("A WASM filter and its route.");

export const wasmFilters = array(wasmFilter).default([]).describe("WASM filters that run before forwarding.");

export const wasmControlConnections = count(1, 1, 16).describe(
  "Connections to the control socket. Keep 1 if the socket belongs to a sandbox VM.",
);

/** The longest text that replaces `{worker}`. */
const LAST_WORKER = "1023";

export const wasmControlSocket = socketPath((path) => path.replaceAll("{worker}", LAST_WORKER))
  .default("")
  .describe(
    "Path of the sandbox control socket. Empty: a filter that parks fails closed. `{worker}` gives each worker its own socket.",
  );

/** `wasm_host_call_deadline_ms`: milliseconds that a filter may wait for a host call. */
export const wasmHostCallDeadlineMs = milliseconds(30_000).describe(
  "Time after which a parked filter, and each command on the control socket, fails.",
);

/** `wasm_park_capacity`: requests that can be parked at once. */
export const wasmParkCapacity = count(64, 1, 65_536).meta(
  ours("Maximum parked requests of one worker. Further ones get 503 with `Retry-After`."),
);
