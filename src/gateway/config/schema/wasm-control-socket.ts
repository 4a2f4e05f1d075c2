import { socketPath } from "./kinds.ts";

/** The longest text that replaces `{worker}`. */
const LAST_WORKER = "1023";

export const wasmControlSocket = socketPath((path) => path.replaceAll("{worker}", LAST_WORKER))
  .default("")
  .describe(
    "Path of the sandbox control socket. Empty: a filter that parks fails closed. `{worker}` gives each worker its own socket.",
  );
