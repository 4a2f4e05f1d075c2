import { array, boolean, int, literal, number, object, type Output, string } from "../../../lib/schema.ts";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";
import { actor, patchOperation, wasm } from "./common.ts";

const lastReload = object({
  time_ms: number(),
  by: actor,
  ok: boolean(),
  detail: string(),
  discarded: array(patchOperation),
});

/** The response of `GET /v1/status`. */
export const status = object({
  status: literal("ok").describe("The gateway runs. `problems` says what is wrong"),
  problems: array(string()).describe(
    "In words: a ledger, facilitator or control socket that does not respond, servers out of rotation, expired certificates, little gas",
  ),
  version: string(),
  started_at_ms: number(),
  routes: int(),
  upstreams: int(),
  port: int().describe("Of the first listener"),
  workers: int(),
  config: object({
    path: string().nullable(),
    revision: string(),
    changed_in_memory: boolean(),
    changed_on_disk: boolean(),
    difference: array(patchOperation).describe("Changes from the file to the running configuration"),
  }),
  last_reload: lastReload.nullable(),
  certificates: array(object({ path: string(), valid_from_ms: number(), valid_to_ms: number() })).describe(
    "Every certificate that the gateway shows, and the CAs for clients",
  ),
  facilitators: object({
    members: array(object({ name: string(), breakers_open: int() })).describe(
      "In order of preference. `breakers_open`: workers to which it does not respond",
    ),
    breakers_open: int().describe("The sum of all, also of those that only one route uses"),
    gas: array(object({ network: string(), balance: number(), low_keys: int() })).describe(
      "Chains whose gas was read: native coins of the key with the fewest, and keys with little gas",
    ),
  }),
  wasm,
}).openapi("Status");

export type Status = DeepReadonly<Output<typeof status>>;
export type LastReload = DeepReadonly<Output<typeof lastReload>>;
