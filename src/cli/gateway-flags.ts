/** Help text for the flags of `turnpike` without a command. */
export const FLAGS_TEXT = `  --config FILE       the configuration; without it, defaults. The other flags win over the file:
  --address A         listen on this address
  --port N            listen on this port
  --workers N         serve with this many processes; 0: one a CPU
  --static-root DIR   serve the files in here at paths that no route takes
  --cert FILE         the certificate of listeners with TLS
  --key FILE          its private key
  --take-over PID     replace the gateway of this process on the same ports; it ends when its last request has (docs/guides/upgrade.md)
  --detach            with --take-over: end when the new gateway serves; it goes on in the background`;
