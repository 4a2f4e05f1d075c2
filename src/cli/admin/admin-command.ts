import * as z from "zod";
import { formatOf } from "../../gateway/config/formats/format-of.ts";
import { isObject } from "../../lib/is-object.ts";
import { visibleJson } from "../../lib/text/visible-text.ts";
import { atBoundary } from "../common/boundary.ts";
import { writeText } from "../common/call-output.ts";
import { flagsText, type FlagTable, flagTable, parseFlags, wrapped } from "../common/flags.ts";
import { inputName, readText } from "../common/read-text.ts";
import { alignedTable, type Column, tabTable } from "../common/table.ts";
import { say, sayWarning } from "../common/terminal.ts";
import { unknownSubcommand, UsageError } from "../common/usage-error.ts";
import { type AdminClient, type AdminRequest, AdminUnreachable } from "./admin-client.ts";
import { ADMIN_FLAGS, ADMIN_FLAGS_TEXT, type AdminFlags, findAdmin } from "./admin-endpoint.ts";

const JSON_FLAG = { type: "boolean", text: "print the response as JSON" } as const;
const COMMON = { ...ADMIN_FLAGS, json: JSON_FLAG } as const satisfies FlagTable;

/** The values of a command's flags, by name. A flag that is absent has no value. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;
/** Sends the requests of a command and prints the result. Returns the exit code. */
export type AdminAction = (client: AdminClient) => Promise<number>;

/** One form of a command, such as `routes add`. */
export interface Form {
  /** Its line in the usage text of a command with several forms. */
  readonly about?: string;
  /** The names of its words, which are all required. */
  readonly words?: readonly string[];
  /** The flags that it takes. By default those of the command if it has no other form, else none. */
  readonly flags?: readonly string[];
  /** Reads the command line. Sends no request yet. `now` returns Unix milliseconds. Throws UsageError. */
  read(words: readonly string[], values: Values, now: () => number): AdminAction;
}

export interface AdminCommand {
  /** The first paragraph of the usage text. */
  readonly about: string;
  /** The explanation of `--json` in the usage text. Null: the text leaves the flag out. */
  readonly json?: string | null;
  /** More text behind the flags. */
  readonly notes?: string;
  /** The forms of the command by their first word: one without a name, or several, of which `list` needs no word. */
  readonly forms: Readonly<Record<string, Form>>;
  readonly flags?: FlagTable;
}

/** Runs a command that uses an admin interface. Returns the exit code: 0 done, 1 refused or failed, 2 wrong usage. */
export function runAdminCommand(name: string, command: AdminCommand, args: readonly string[]): Promise<number> {
  return atBoundary(usageText(name, command), async () => {
    const parsed = parseFlags(args, { ...COMMON, ...command.flags });
    const values: Values = { ...parsed.values };
    const { word, rest } = formOf(command, parsed.positionals);
    const form = command.forms[word];
    refuseOtherFlags(command, word, values);
    const action = form?.read(takeWords(rest, form.words ?? []), values, Date.now);
    const endpoint = findAdmin(adminFlagsOf(values));
    const { AdminClient } = await import("./admin-client.ts");
    return (await action?.(new AdminClient(endpoint))) ?? 1;
  });
}

function usageText(name: string, command: AdminCommand): string {
  const { about, flags = {}, json = JSON_FLAG.text, notes, forms } = command;
  const own: FlagTable = json === null ? flags : { ...flags, json: { ...JSON_FLAG, text: json } };
  const synopses = Object.entries(forms).map(([word, { words = [] }]) => {
    const taken = [...takenFlags(command, word), ...(json === null ? [] : ["json"])].map((flag) =>
      synopsisOf(flag, own),
    );
    const given = words.map((one) => (one === "FILE" ? "FILE|-" : one));
    return ["turnpike", name, word === "list" ? "[list]" : word, ...given, ...taken].filter(Boolean).join(" ");
  });
  const width = Math.max(...Object.keys(forms).map((word) => word.length)) + 4;
  const explained = Object.entries(forms).flatMap(([word, { about: what }]) =>
    what === undefined ? [] : `  ${word.padEnd(width)}${what}${word === "list" ? " (also without a subcommand)" : ""}`,
  );
  const parts = [
    `usage: ${synopses.join("\n       ")}`,
    wrapped(about).join("\n"),
    explained.join("\n"),
    Object.keys(own).length === 0 ? "" : flagsText(own),
    notes ?? "",
    ADMIN_FLAGS_TEXT,
  ];
  return parts.filter(Boolean).join("\n\n");
}

function synopsisOf(flag: string, flags: FlagTable): string {
  const { value, multiple } = flags[flag] ?? {};
  return `[--${flag}${value === undefined ? "" : ` ${value}`}${multiple === true ? " ..." : ""}]`;
}

function takenFlags({ forms, flags = {} }: AdminCommand, word: string): readonly string[] {
  return forms[word]?.flags ?? (word === "" ? Object.keys(flags) : []);
}

function adminFlagsOf(values: Values): AdminFlags {
  const names = Object.keys(ADMIN_FLAGS);
  return Object.fromEntries(names.map((name) => [name, textFlag(values, name)]));
}

/** The form that the first word names. A form without a name takes all words. */
function formOf({ forms }: AdminCommand, positionals: readonly string[]): { word: string; rest: readonly string[] } {
  if (Object.hasOwn(forms, "")) return { word: "", rest: positionals };
  const [first = "", ...rest] = positionals;
  if (first === "" && Object.hasOwn(forms, "list")) return { word: "list", rest };
  if (first !== "" && Object.hasOwn(forms, first)) return { word: first, rest };
  throw unknownSubcommand(first, Object.keys(forms));
}

function refuseOtherFlags(command: AdminCommand, word: string, values: Values): void {
  const known = takenFlags(command, word);
  const other = Object.keys(values).find((name) => Object.hasOwn(command.flags ?? {}, name) && !known.includes(name));
  if (other !== undefined) throw new UsageError(`${word} does not take --${other}`);
}

function takeWords(rest: readonly string[], names: readonly string[]): readonly string[] {
  const missing = names[rest.length];
  if (missing !== undefined) throw new UsageError(`Missing argument ${missing}`);
  const more = rest[names.length];
  if (more !== undefined) throw new UsageError(`Unexpected argument "${more}"`);
  return rest;
}

/** A form that prints the response of `path` as text. `textOfData` gets the parsed response. */
export function showForm<T>(path: string, schema: z.ZodType<T>, textOfData: (data: T, now: number) => string): Form {
  return {
    read: (_words, values, now) => async (client) => {
      const response = await client.json({ path });
      return await told(values, response, () => textOfData(readAs(client, schema, response), now()));
    },
  };
}

interface CallForm<T> extends Omit<Form, "read"> {
  /** Throws UsageError. */
  readonly request: (words: readonly string[], values: Values) => AdminRequest;
  /** Sends the request. It may explain the error of the gateway. Default: as `AdminClient.json`. */
  readonly send?: (client: AdminClient, request: AdminRequest, word: string) => Promise<unknown>;
  readonly schema: z.ZodType<T>;
  readonly text: (data: T, words: readonly string[]) => string;
  /** False: the exit code is 1. Default: true. */
  readonly isDone?: (data: T) => boolean;
}

/** A form that sends one request, checks its response, and prints it as text. */
export function callForm<T>({ request, send, schema, text, isDone, ...form }: CallForm<T>): Form {
  return {
    ...form,
    read(words, values) {
      const sent = request(words, values);
      return async (client) => {
        const response = await (send?.(client, sent, words[0] ?? "") ?? client.json(sent));
        const data = readAs(client, schema, response);
        await told(values, response, () => text(data, words));
        return isDone?.(data) === false ? 1 : 0;
      };
    },
  };
}

/** The text of a flag; undefined if the flag is absent. */
export function textFlag(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

export const doneSchema = z.looseObject({ ok: z.literal(true) });

const warnedSchema = z.looseObject({
  warnings: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
  restart: z.array(z.string()).default([]),
});

/** Checks a response against the schema of this version; unknown fields stay. Throws AdminUnreachable if it does not match. */
export function readAs<T>(client: AdminClient, schema: z.ZodType<T>, response: unknown): T {
  const { data, error } = schema.safeParse(response);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const at = issue?.path.join(".") ?? "";
  throw new AdminUnreachable(
    `Cannot use the response of ${client.endpoint.url.origin}: this version cannot read it (${at === "" ? "" : `${at}: `}${issue?.message ?? ""})`,
  );
}

/** Prints text; on a terminal, without characters that could steer it. */
export async function print(text: string): Promise<void> {
  if (text !== "") await writeText(text, { out: undefined, isTerminal: process.stdout.isTTY, say });
}

/** Prints a value as indented JSON. */
export async function printJson(value: unknown): Promise<void> {
  await print(visibleJson(value, 2));
}

/** A table: on a terminal aligned and shortened, or `none` without rows; elsewhere full values, with tabs. */
export function tableText<T>(columns: readonly Column<T>[], items: readonly T[], none: string): string {
  if (!process.stdout.isTTY) return tabTable(columns, items);
  return items.length === 0 ? `${none}\n` : alignedTable(columns, items);
}

/** The JSON document of a file, or of standard input for `-`. `text` is JSON too. Throws with the line of a syntax error. */
async function readJsonFile(path: string): Promise<{ readonly text: string; readonly value: unknown }> {
  const text = await readText(path);
  const format = await formatOf(path);
  const parsed = format.parse(text);
  if (!parsed.ok) throw new Error(`Cannot use ${inputName(path)}: ${parsed.error}`);
  return { text: format.name === "json" ? text : JSON.stringify(parsed.value), value: parsed.value };
}

/** The text of a file that contains one JSON object. */
export async function readObject(file: string, what: string): Promise<string> {
  const { text, value } = await readJsonFile(file);
  if (isObject(value)) return text;
  const found = Array.isArray(value)
    ? "a list; give one at a time, or a whole configuration to turnpike config replace"
    : "no object";
  throw new Error(`Cannot use ${inputName(file)} as a ${what}: it is ${found}`);
}

/**
 * Prints a text, or with --json the response itself. A function makes the text only if it is printed. Prints the
 * response's warnings in both cases. Returns 0.
 */
export async function told({ json }: Values, response: unknown, text: string | (() => string)): Promise<number> {
  const { warnings, restart } = warnedSchema.catch({ warnings: [], restart: [] }).parse(response);
  for (const { path, message } of warnings) sayWarning(`warning: ${path === "" ? "" : `${path}: `}${message}`);
  for (const key of restart) sayWarning(`warning: ${key}: takes effect at the next start`);
  if (json === true) await printJson(response);
  else await print(typeof text === "string" ? text : text());
  return 0;
}

/** The If-Match field for `--if-match REVISION`, so that the change does not overwrite another client's change. */
export function ifMatch(values: Values): Readonly<Record<string, string>> {
  const revision = textFlag(values, "if-match");
  if (revision === undefined) return {};
  if (revision === "*") return { "if-match": "*" };
  const bare = /^"([\x21\x23-\x7e]*)"$/.exec(revision)?.[1] ?? revision;
  if (!/^[\x21\x23-\x7e]+$/.test(bare))
    throw new UsageError(`--if-match "${revision}" is not a revision; turnpike status shows it`);
  return { "if-match": `"${bare}"` };
}

/** The flag of commands for which warnings can be errors. */
export const STRICT = flagTable({
  strict: "refuse a configuration with warnings, such as unknown keys",
});

/** The flag of commands that can take a guard from paths. */
export const FORCE = flagTable({
  force: "also if paths lose a guard, such as a price; config replace: also if routes or the admin interface go",
});

/** The query parameters of `--strict` and `--force`, for `queryOf`. */
export function insistence({ strict, force }: Values): Readonly<Record<string, string | undefined>> {
  return { strict: strict === true ? "true" : undefined, force: force === true ? "true" : undefined };
}

export const IF_MATCH = flagTable({
  "if-match R": "only if the configuration still has revision R, which turnpike status shows",
});
