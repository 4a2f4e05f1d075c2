import { parseArgs } from "node:util";
import { messageOf } from "../../lib/caught.ts";
import { nearestWord } from "../../lib/text/nearest-word.ts";
import { UsageError } from "./usage-error.ts";

/** A flag of a command line, as `parseArgs` of Node takes it, and what the usage text says about it. */
export interface Flag {
  readonly type: "string" | "boolean";
  /** The letter of the short form. */
  readonly short?: string;
  /** True if the flag may be given more than once. Its value is then a list. */
  readonly multiple?: boolean;
  /** The value without the flag. */
  readonly default?: string;
  /** The name of the value in the usage text, such as `FILE`. */
  readonly value?: string;
  /** The explanation in the usage text; "\n" begins a line. Undefined: the usage text leaves the flag out. */
  readonly text: string | undefined;
}

/**
 * The flags of a command by their names, without dashes. Parser and usage text read the same table. The man page and the
 * completions of shells are made from usage texts.
 */
export type FlagTable = Readonly<Record<string, Flag>>;

/** The text of a flag, or with its value if the flag is absent. Undefined: as in `Flag`. */
type Told = string | { readonly text: string | undefined; readonly default?: string };
type WithoutShort<Form extends string> = Form extends `${string}, ${infer Rest}` ? Rest : Form;
type NameOf<Form extends string> = Form extends `${infer Name} ${string}` ? Name : Form;
type KindOf<Form extends string> = Form extends `${string}...`
  ? { readonly type: "string"; readonly multiple: true }
  : { readonly type: Form extends `${string} ${string}` ? "string" : "boolean" };

type TableOf<T> = {
  readonly [Form in keyof T & string as NameOf<WithoutShort<Form>>]: KindOf<WithoutShort<Form>> &
    Pick<Flag, "text"> &
    (T[Form] extends { readonly default: string } ? { readonly default: string } : unknown);
};

/**
 * The flags by their forms in the usage text: `strict`, `config FILE`, with a short form `o, out FILE`, and `kind K...` if it may be
 * given more than once.
 */
export function flagTable<const T extends Readonly<Record<string, Told>>>(forms: T): TableOf<T> {
  const flags = Object.entries(forms).map(([form, told]): [string, Flag] => {
    const [, short, name = "", value, many] = /^(?:(\w), )?([\w-]+)(?: (.+?)(\.\.\.)?)?$/.exec(form) ?? [];
    const flag = {
      type: value === undefined ? "boolean" : "string",
      ...(value === undefined ? {} : { value }),
      ...(short === undefined ? {} : { short }),
      ...(many === undefined ? {} : { multiple: true }),
      ...(typeof told === "string" ? { text: told } : told),
    } as const;
    return [name, flag];
  });
  // The names and kinds are those of the forms.
  return Object.fromEntries(flags) as TableOf<T>;
}

type Parsed<T extends FlagTable> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; allowPositionals: true; strict: true }>
>;

const HELP = { type: "boolean", short: "h", text: undefined } as const satisfies Flag;

/** The command line asks for the usage of its command. */
export class HelpAsked extends Error {}

/** Columns of a usage text. Longer explanations of flags continue in the next line. */
const COLUMNS = 140;

/** The lines of a usage text for the flags, in the order of the table: `  --config FILE   the configuration`. */
export function flagsText(flags: FlagTable): string {
  const rows = Object.entries(flags).flatMap(([name, { short, value, text }]) =>
    text === undefined ? [] : [{ left: leftText(name, short, value), text }],
  );
  const width = Math.max(...rows.map(({ left }) => left.length)) + 3;
  return rows
    .map(({ left, text }) => left.padEnd(width) + wrapped(text, COLUMNS - width).join(`\n${" ".repeat(width)}`))
    .join("\n");
}

function leftText(name: string, short: string | undefined, value: string | undefined): string {
  return `  ${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
}

/** The lines of a text, each of at most `width` characters (140 by default) unless a word is longer. */
export function wrapped(text: string, width = COLUMNS): string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    for (const word of paragraph.split(" ")) {
      const last = lines.at(-1);
      if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
    }
    return lines;
  });
}

/** Reads a command line of flags and positional arguments. Throws UsageError, and HelpAsked for `--help`. */
export function parseFlags<T extends FlagTable>(args: readonly string[], flags: T): Parsed<T> {
  const options = { ...flags, help: HELP };
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    const values: { readonly help?: unknown } = parsed.values;
    if (values.help === true) throw new HelpAsked();
    // The flags of the command, and the help.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return parsed as Parsed<T>;
  } catch (error) {
    if (error instanceof HelpAsked) throw error;
    throw new UsageError(`${flagProblem(error)}${suggestion(error, Object.keys(options))}`);
  }
}

/** Reads a command line that has only flags. Throws as `parseFlags`. */
export function readFlags<T extends FlagTable>(args: readonly string[], options: T): Parsed<T>["values"] {
  const { values, positionals } = parseFlags(args, options);
  if (positionals.length > 0) throw new UsageError(`Unexpected argument "${positionals[0] ?? ""}"`);
  return values;
}

/** The message of Node's parser, without its advice. */
function flagProblem(error: unknown): string {
  const message = messageOf(error);
  const flag = /^Option '([^']*)' argument is ambiguous/.exec(message)?.[1];
  if (flag !== undefined) return `${flag} has no value. Write ${flag}=VALUE if the value begins with "-"`;
  return message.split(/\. |\.?\n/)[0] ?? "";
}

function suggestion(error: unknown, names: readonly string[]): string {
  const unknown = /^Unknown option '--([^']*)'/.exec(messageOf(error))?.[1];
  const nearest = unknown === undefined ? undefined : nearestWord(unknown, names);
  return nearest === undefined ? "" : `; did you mean --${nearest}?`;
}
