import { count } from "./kinds.ts";

export const wasmControlConnections = count(1, 1, 16).describe(
  "Connections to the control socket. Keep 1 if the socket belongs to a sandbox VM.",
);
