import { flagTable } from "../common/flags.ts";

export const GATEWAY_FLAGS = flagTable({
  "config FILE": "the configuration file; without it, the defaults. The other flags override the file:",
  "address A": "listen on this address",
  "port N": "listen on this port",
  "workers N": "number of worker processes; 0: one for each CPU",
  "static-root DIR": "serve the files of this folder at paths without a route",
  "cert FILE": "the certificate of listeners with TLS",
  "key FILE": "its private key",
  strict: "refuse a configuration with warnings, at the start and later",
  "take-over PID":
    "replace the gateway with this process id on the same ports; the old one ends after its last request (docs/guides/upgrade.md)",
  detach: "with --take-over: end when the new gateway serves; the gateway continues in the background",
});
