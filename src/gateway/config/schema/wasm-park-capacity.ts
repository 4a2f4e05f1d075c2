import { count, ours } from "./kinds.ts";

/** `wasm_park_capacity`: requests that can be parked at once. */
export const wasmParkCapacity = count(64, 1, 65_536).meta(
  ours("Maximum parked requests of one worker. Further ones get 503 with `Retry-After`."),
);
