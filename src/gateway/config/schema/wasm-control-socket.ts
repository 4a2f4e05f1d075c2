import * as z from "zod";

/** `wasm_control_socket`: the way to the sandbox. */
export const wasmControlSocket = z
  .string()
  .default("")
  .describe(
    "Path of the sandbox control socket. Empty: no host calls, and a filter that parks fails closed. `{worker}` gives each worker its own socket.",
  );
