import { milliseconds } from "./kinds.ts";

/** `wasm_host_call_deadline_ms`: milliseconds that a filter may wait for a host call. */
export const wasmHostCallDeadlineMs = milliseconds(30_000).describe(
  "Time after which a parked filter, and each command on the control socket, fails.",
);
