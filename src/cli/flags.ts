import { parseArgs, type ParseArgsConfig } from "node:util";
import { messageOf } from "../lib/caught.ts";
import { nearestWord } from "../lib/nearest-word.ts";
import { UsageError } from "./usage-error.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Parsed<T extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; allowPositionals: true; strict: true }>
>;

/** The flag that every command has. */
export const HELP = { type: "boolean", short: "h" } as const;

/** Reads a command line of flags and positional arguments. Throws UsageError. */
export function parseFlags<T extends Options>(args: readonly string[], options: T): Parsed<T> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(`${flagProblem(error)}${suggestion(error, Object.keys(options))}`);
  }
}

/** Reads a command line that has only flags. Throws UsageError. */
export function readFlags<T extends Options>(args: readonly string[], options: T): Parsed<T>["values"] {
  const { values, positionals } = parseFlags(args, options);
  if (positionals.length > 0) throw new UsageError(`Unexpected argument '${positionals[0] ?? ""}'`);
  return values;
}

/** The message of Node's parser, without its advice. */
function flagProblem(error: unknown): string {
  return messageOf(error).split(/\. |\.?\n/)[0] ?? "";
}

function suggestion(error: unknown, names: readonly string[]): string {
  const unknown = /^Unknown option '--([^']*)'/.exec(messageOf(error))?.[1];
  const nearest = unknown === undefined ? undefined : nearestWord(unknown, names);
  return nearest === undefined ? "" : `; did you mean --${nearest}?`;
}
