import * as z from "zod";
import { count, text } from "./kinds.ts";

const wasmFilter = z
  .strictObject({
    match: text.describe("`path_prefix` of the route to attach to; without such a route the filter never runs."),
    module: text.describe("Path of the `.wasm` module."),
    instances: count(1, 1, 4096).describe("Instances per worker; a park beyond them gets backpressure."),
    fuel: count(5_000_000, 1, Number.MAX_SAFE_INTEGER).describe(
      "Loop back-edges of one run; running out fails closed.",
    ),
    response_fail_closed: z
      .boolean()
      .default(false)
      .describe("When the response hook traps: true serves 503, false the original response."),
  })
  .describe("A WASM filter and the route it runs on.");

/** `wasm_filters`: edge filters. */
export const wasmFilters = z.array(wasmFilter).default([]).describe("WASM filters that run before forwarding.");
