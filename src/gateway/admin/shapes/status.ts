import { z } from "@hono/zod-openapi";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";
import { actor, patchOperation, wasm } from "./common.ts";

const lastReload = z.object({
  time_ms: z.number(),
  by: actor,
  ok: z.boolean(),
  detail: z.string(),
  discarded: z.array(patchOperation),
});

/** The response of `GET /v1/status`. */
export const status = z
  .object({
    status: z.literal("ok").describe("The gateway runs. `problems` says what is wrong"),
    problems: z
      .array(z.string())
      .describe(
        "In words: a ledger, facilitator or control socket that does not respond, servers out of rotation, expired certificates, little gas",
      ),
    version: z.string(),
    started_at_ms: z.number(),
    routes: z.int(),
    upstreams: z.int(),
    port: z.int().describe("Of the first listener"),
    workers: z.int(),
    config: z.object({
      path: z.string().nullable(),
      revision: z.string(),
      changed_in_memory: z.boolean(),
      changed_on_disk: z.boolean(),
      difference: z.array(patchOperation).describe("Changes from the file to the running configuration"),
    }),
    last_reload: lastReload.nullable(),
    certificates: z
      .array(z.object({ path: z.string(), valid_from_ms: z.number(), valid_to_ms: z.number() }))
      .describe("Every certificate that the gateway shows, and the CAs for clients"),
    facilitators: z.object({
      members: z
        .array(z.object({ name: z.string(), breakers_open: z.int() }))
        .describe("In order of preference. `breakers_open`: workers to which it does not respond"),
      breakers_open: z.int().describe("The sum of all, also of those that only one route uses"),
      gas: z
        .array(z.object({ network: z.string(), balance: z.number(), low_keys: z.int() }))
        .describe("Chains whose gas was read: native coins of the key with the fewest, and keys with little gas"),
    }),
    wasm,
  })
  .openapi("Status");

export type Status = DeepReadonly<z.output<typeof status>>;
export type LastReload = DeepReadonly<z.output<typeof lastReload>>;
