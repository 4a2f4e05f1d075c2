import { dirname } from "node:path";
import { type Config } from "../../config/config.ts";

/** The default path of the ledger: in `state_path`, else beside the configuration file; `:memory:` without a file. */
export function defaultStorePath(config: Config, configPath: string | undefined): string {
  if (config.state_path !== "") return `${config.state_path}/turnpike.db`;
  return configPath === undefined ? ":memory:" : `${dirname(configPath)}/turnpike.db`;
}
