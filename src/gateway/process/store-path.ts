import { dirname } from "node:path";
import { type Config } from "../config/config.ts";

/** Where a configuration keeps its ledger when nobody says otherwise: beside the file. */
export function defaultStorePath(config: Config, configPath: string | undefined): string {
  if (config.state_path !== "") return `${config.state_path}/turnpike.db`;
  return configPath === undefined ? ":memory:" : `${dirname(configPath)}/turnpike.db`;
}
