/** Help text for the flags of `turnpike` without a command. */
export const FLAGS_TEXT = `  --config FILE       the configuration file; without it, the defaults. The other flags override the file:
  --address A         listen on this address
  --port N            listen on this port
  --workers N         number of worker processes; 0: one for each CPU
  --static-root DIR   serve the files of this folder at paths without a route
  --cert FILE         the certificate of listeners with TLS
  --key FILE          its private key
  --take-over PID     replace the gateway with this process id on the same ports; the old one ends after its last request (docs/guides/upgrade.md)
  --detach            with --take-over: end when the new gateway serves; the gateway continues in the background`;
