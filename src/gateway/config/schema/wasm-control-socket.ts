import * as z from "zod";

/** `wasm_control_socket`: the way to the sandbox. */
export const wasmControlSocket = z
  .string()
  .default("")
  .describe(
    "Path of the sandbox control socket; empty leaves host calls off, and a filter that parks then fails closed. `{worker}` gives each worker its own.",
  );
