import { milliseconds } from "./kinds.ts";

/** `wasm_host_call_deadline_ms`: how long a filter may wait. */
export const wasmHostCallDeadlineMs = milliseconds(30_000).describe(
  "Time that a filter may stay parked before it fails closed; also bounds each command on the control socket.",
);
