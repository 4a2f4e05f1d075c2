import { parseArgs, type ParseArgsConfig } from "node:util";
import { messageOf } from "../lib/caught.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Values<T extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: T }>>["values"];

/** The flag that every command has. */
export const HELP = { type: "boolean", short: "h" } as const;

/**
 * Reads a command line that has flags alone. Where it asks for help or makes no sense, prints why, and `usage`, and
 * returns the exit code.
 */
export function readFlags<T extends Options>(args: readonly string[], options: T, usage: string): Values<T> | number {
  let values: Values<T>;
  try {
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    return wrongUsage(usage, flagProblem(error));
  }
  if (Reflect.get(values, "help") !== true) return values;
  console.log(usage);
  return 0;
}

/** What Node says of a flag that makes no sense, without its advice. */
export function flagProblem(error: unknown): string {
  return messageOf(error).split(/\. |\.?\n/)[0] ?? "";
}

/** Prints what went wrong and `usage`, which begins with the command's name; returns the exit code. */
export function wrongUsage(usage: string, problem: string): number {
  const command = /^usage: (turnpike(?: [a-z]+)?)/.exec(usage)?.[1] ?? "turnpike";
  console.error(`${command}: ${problem}\n\n${usage}`);
  return 2;
}
