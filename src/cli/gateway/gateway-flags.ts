import { type FlagTable } from "../common/flags.ts";

export const GATEWAY_FLAGS = {
  config: {
    type: "string",
    value: "FILE",
    text: "the configuration file; without it, the defaults. The other flags override the file:",
  },
  address: { type: "string", value: "A", text: "listen on this address" },
  port: { type: "string", value: "N", text: "listen on this port" },
  workers: { type: "string", value: "N", text: "number of worker processes; 0: one for each CPU" },
  "static-root": { type: "string", value: "DIR", text: "serve the files of this folder at paths without a route" },
  cert: { type: "string", value: "FILE", text: "the certificate of listeners with TLS" },
  key: { type: "string", value: "FILE", text: "its private key" },
  strict: { type: "boolean", text: "refuse a configuration with warnings, at the start and later" },
  "take-over": {
    type: "string",
    value: "PID",
    text: "replace the gateway with this process id on the same ports; the old one ends after its last request (docs/guides/upgrade.md)",
  },
  detach: {
    type: "boolean",
    text: "with --take-over: end when the new gateway serves; the gateway continues in the background",
  },
} as const satisfies FlagTable;
