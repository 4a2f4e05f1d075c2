import * as z from "zod";
import { count, jsonObject, ours, secret, text } from "./kinds.ts";

const MEBIBYTE = 1024 * 1024;
/** A page of WebAssembly memory. */
const PAGE_BYTES = 65_536;
/** The counter of fuel in a filter has 32 bits. */
const MAX_FUEL = 2_147_483_647;
/** Characters of an id, and of a text for a filter. */
const MAX_NAME = 256;
const MAX_TEXT = 1_048_576;

/** Text for a filter; an object is passed on as JSON. It may hold keys. */
const filterText = z.union([z.string().max(MAX_TEXT), jsonObject]).default("");

const wasmFilter = z
  .strictObject({
    match: text.describe("`path_prefix` of the route to attach to; without such a route the filter never runs."),
    module: text.describe("Path of the `.wasm` module."),
    instances: count(1, 1, 4096).describe("Instances per worker; a park beyond them gets backpressure."),
    fuel: count(5_000_000, 1, MAX_FUEL).describe(
      "Fuel of one run: one unit for each round of a short loop; running out fails closed.",
    ),
    memory_limit_bytes: count(32 * MEBIBYTE, PAGE_BYTES, 64 * MEBIBYTE).meta(
      ours("Memory that an instance may have; taken from the system as the filter uses it."),
    ),
    config: filterText.meta({
      ...ours("Configuration that a proxy-wasm filter reads: a text, or an object, which it gets as JSON; a secret."),
      ...secret(),
    }),
    vm_config: filterText.meta({
      ...ours("Configuration that a proxy-wasm filter reads when its module starts; as `config`."),
      ...secret(),
    }),
    vm_id: z
      .string()
      .max(MAX_NAME)
      .default("")
      .meta(ours("proxy-wasm filters of the same id share data and queues, in each worker apart.")),
    root_id: z
      .string()
      .max(MAX_NAME)
      .default("")
      .meta(ours("Which of the module's plugins runs: the name that it has registered its root context by.")),
    response_fail_closed: z
      .boolean()
      .default(false)
      .describe("When the response hook traps: true serves 503, false the original response."),
  })
  .describe("A WASM filter and the route it runs on.");

/** `wasm_filters`: edge filters. */
export const wasmFilters = z.array(wasmFilter).default([]).describe("WASM filters that run before forwarding.");
