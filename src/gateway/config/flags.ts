import { type Config } from "./config.ts";
import { diagnosticText } from "./diagnostic.ts";
import { type Loaded, loadValue } from "./load.ts";
import { ParseCache } from "./parse.ts";

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
 * Applies the flags to the configuration and checks the whole result again. If the file has `server.listeners`, `port`
 * and `address` change the first listener. The result has only the warnings that the flags cause.
 */
export function applyFlags(config: Config, flags: ConfigFlags, cache = new ParseCache()): Loaded {
  const bind = given({ port: flags.port, address: flags.address });
  const [first, ...rest] = config.server.listeners;
  const changed = {
    ...config,
    server: {
      ...config.server,
      ...given({ workers: flags.workers, static_root: flags.staticRoot }),
      ...(first === undefined ? bind : { listeners: [{ ...first, ...bind }, ...rest] }),
    },
    tls: { ...config.tls, ...given({ cert_path: flags.cert, key_path: flags.key }) },
  };
  const known = new Set(loadValue(config, cache).warnings.map(diagnosticText));
  const loaded = loadValue(changed, cache);
  return { ...loaded, warnings: loaded.warnings.filter((warning) => !known.has(diagnosticText(warning))) };
}
