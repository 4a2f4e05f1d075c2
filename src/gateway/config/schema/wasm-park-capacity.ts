import { count, ours } from "./kinds.ts";

/** `wasm_park_capacity`: requests that may be parked. */
export const wasmParkCapacity = count(64, 1, 65_536).meta(
  ours(
    "Requests of one worker whose filters may wait for host calls at a time; a park beyond them gets 503 with `Retry-After`.",
  ),
);
