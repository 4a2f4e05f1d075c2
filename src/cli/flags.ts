import { parseArgs, type ParseArgsConfig } from "node:util";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Values<T extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: T }>>["values"];

/** The flag that every command has. */
export const HELP = { type: "boolean", short: "h" } as const;

/**
 * Reads a command line that has flags alone. Where it asks for help or makes no sense, prints `usage` and returns the
 * exit code.
 */
export function readFlags<T extends Options>(args: readonly string[], options: T, usage: string): Values<T> | number {
  let values: Values<T>;
  try {
    ({ values } = parseArgs({ args: [...args], options }));
  } catch {
    return wrongUsage(usage);
  }
  if (Reflect.get(values, "help") !== true) return values;
  console.log(usage);
  return 0;
}

/** Prints `usage` as what went wrong; returns the exit code. */
export function wrongUsage(usage: string): number {
  console.error(usage);
  return 2;
}
