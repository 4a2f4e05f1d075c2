/** Reads a command's configuration and reports its problems. */
import { type ConfigSource, openConfig, type OpenedConfig } from "../../gateway/admin/running-config/config-source.ts";
import { type Config } from "../../gateway/config/config.ts";
import { type Diagnostic, diagnosticText } from "../../gateway/config/diagnostic.ts";
import { StartError } from "./start-error.ts";
import { sayWarning } from "./terminal.ts";

export interface ReadConfig extends OpenedConfig {
  readonly config: Config;
}

/** Reads a configuration (the defaults if there is no file) and prints warnings. Throws StartError with every problem. */
export async function readConfig(source: ConfigSource): Promise<ReadConfig> {
  const name = source.path ?? "defaults";
  const opened = await openConfig(source);
  const { config, problems, warnings } = opened.loaded;
  for (const warning of new Set(warnings.map(diagnosticText))) sayWarning(`${name}: warning: ${warning}`);
  if (config === undefined) throw problemsError(name, problems);
  return { ...opened, config };
}

/** The error for a configuration with problems. Its message has one problem, or a line for each of several. */
export function problemsError(name: string, problems: readonly Diagnostic[]): StartError {
  const [only, ...others] = problems.map((problem) => `${name}: ${diagnosticText(problem)}`);
  if (only !== undefined && others.length === 0) return new StartError(only);
  const lines = [...(only === undefined ? [] : [only]), ...others];
  return new StartError(`Cannot use ${name}: it has ${lines.length} problems`, { lines });
}
