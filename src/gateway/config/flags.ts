import { listAt, valueAt } from "./diagnostic.ts";

/** Command-line flags that override the configuration file. */
export interface ConfigFlags {
  readonly workers?: number | undefined;
  readonly staticRoot?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly port?: number | undefined;
  readonly address?: string | undefined;
}

/** The members of `values` that are not undefined. */
function given(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/**
 * A copy of a configuration's document with the flags applied. If it has `server.listeners`, `port` and `address` change
 * the first listener. The document must be valid.
 */
export function withFlags(document: object, flags: ConfigFlags): object {
  const [server, tls] = ["server", "tls"].map((key) => Object(valueAt(document, [key])));
  const bind = given({ port: flags.port, address: flags.address });
  const [first, ...rest] = listAt(document, ["server", "listeners"]);
  return {
    ...document,
    server: {
      ...server,
      ...given({ workers: flags.workers, static_root: flags.staticRoot }),
      ...(first === undefined ? bind : { listeners: [{ ...Object(first), ...bind }, ...rest] }),
    },
    tls: { ...tls, ...given({ cert_path: flags.cert, key_path: flags.key }) },
  };
}
