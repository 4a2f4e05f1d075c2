import { count } from "./kinds.ts";

/** `wasm_control_connections`: connections to the sandbox. */
export const wasmControlConnections = count(1, 1, 16).describe(
  "Connections to the control socket; keep 1 when it is a sandbox VM's own.",
);
