import { dirname } from "node:path";
import { Glob } from "bun";
import { wrappedItem } from "./reference/wrapped-item.ts";

/** Constants that share a docstring, in one file. */
export interface Bound {
  readonly file: string;
  /** The first constant. */
  readonly name: string;
  /** The docstring as one line, without tags. */
  readonly text: string;
  /** The part of the docstring before `@operator`, for operators and clients. Undefined if they cannot meet the limit. */
  readonly forOperators: string | undefined;
  readonly constants: readonly { readonly name: string; readonly value: string }[];
}

/** A constant at the start of a line, with the docstring right before it. */
const CONSTANT =
  /(?:^\/\*\*((?:[^*]|\*(?!\/))*)\*\/\n)?^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: [^=\n]+)? = ([^;]+);.*\n/gm;
const TAG = /@bound\b/;
/** The tags of docstrings, which the table does not show. */
const TAGS = / ?@(?:bound|internal|operator)\b/g;
/** Ends the part of a docstring that the reference shows. */
const FOR_OPERATORS = /^(.*?) ?@operator\b/;
const MAXIMUM = /^MAX_/;
/** Names of constants beside a maximum that say more of it. */
const LIMIT = /^(?:MAX|MIN|FIRST|LONGEST)_|_(?:MS|S|BYTES)$/;

interface Found {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly doc: string | undefined;
  readonly name: string;
  readonly expression: string;
}

function constantsIn(file: string, text: string): Found[] {
  return [...text.matchAll(CONSTANT)].map((match) => ({
    file,
    start: match.index,
    end: match.index + match[0].length,
    doc: match[1]
      ?.replaceAll(/\n \* ?/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim(),
    name: match[2] ?? "",
    expression: (match[3] ?? "").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "").replaceAll(/\s+/g, " "),
  }));
}

/** Constants without a docstring belong to the constant on the line before them. */
function groupsOf(constants: readonly Found[]): Found[][] {
  const groups: Found[][] = [];
  for (const constant of constants) {
    const group = groups.at(-1);
    if (constant.doc === undefined && group?.at(-1)?.end === constant.start) group.push(constant);
    else groups.push([constant]);
  }
  return groups;
}

/** Bytes, milliseconds and counts as people read them; code that is not a number stays code. */
export function readable(name: string, value: number): string {
  if (/_BYTES$|^MAX_BYTES/.test(name)) {
    for (const [unit, size] of [
      ["GiB", 2 ** 30],
      ["MiB", 2 ** 20],
      ["KiB", 2 ** 10],
    ] as const) {
      if (value >= size && Number.isInteger((value / size) * 4)) return `${value / size} ${unit}`;
    }
    return `${value.toLocaleString("en-US")} bytes`;
  }
  if (name.endsWith("_MS")) {
    if (value >= 86_400_000 && value % 86_400_000 === 0) return `${value / 86_400_000} d`;
    if (value >= 3_600_000 && value % 3_600_000 === 0) return `${value / 3_600_000} h`;
    if (value >= 60_000 && value % 60_000 === 0) return `${value / 60_000} min`;
    return value >= 1000 ? `${value / 1000} s` : `${value} ms`;
  }
  return value.toLocaleString("en-US");
}

const OPERATORS: readonly (readonly [sign: string, apply: (a: number, b: number) => number])[] = [
  ["<<", (a, b) => a << b],
  ["+", (a, b) => a + b],
  ["-", (a, b) => a - b],
  ["/", (a, b) => a / b],
  ["*", (a, b) => a * b],
];

/** Computes an expression of numbers and constants without brackets; undefined for any other code. */
function evaluate(expression: string, value: (name: string) => number | undefined): number | undefined {
  const text = expression.trim();
  if (/^(?:\d[\d_.]*(?:e\d+)?|0x[\da-f_]+)n?$/.test(text)) return Number(text.replaceAll(/[_n]/g, ""));
  if (/^[A-Z][A-Z0-9_]*$/.test(text)) return value(text);
  for (const [sign, apply] of OPERATORS) {
    // Operators of one rank apply from the left, so the last one splits the expression.
    const at = text.lastIndexOf(` ${sign} `);
    if (at === -1) continue;
    const left = evaluate(text.slice(0, at), value);
    const right = evaluate(text.slice(at + sign.length + 2), value);
    return left === undefined || right === undefined ? undefined : apply(left, right);
  }
  return undefined;
}

async function sources(): Promise<(readonly [string, string])[]> {
  const files = [...new Glob("src/**/*.{ts,tsx}").scanSync(".")].filter(
    (file) => !/\.test\.tsx?$|\/testing\//.test(file),
  );
  return Promise.all(files.toSorted().map(async (file) => [file, await Bun.file(file).text()] as const));
}

/**
 * The bounds of the source: constants `MAX_...` with a docstring, and other constants whose docstring ends with `@bound`. Constants on
 * the lines right after it belong to it. Throws for `@bound` without a text.
 */
export async function bounds(): Promise<Bound[]> {
  const all = (await sources()).map(([file, text]) => constantsIn(file, text));
  const elsewhere = new Map(all.flat().map((constant) => [constant.name, constant]));
  const valueIn = (constants: readonly Found[]) => {
    const value = (name: string): number | undefined => {
      const found = constants.find((constant) => constant.name === name) ?? elsewhere.get(name);
      return found && evaluate(found.expression, value);
    };
    return value;
  };
  return all.flatMap((constants) => {
    const value = valueIn(constants);
    return groupsOf(constants).flatMap((group) => boundOf(group, value) ?? []);
  });
}

/** The numbers of an object literal, with the words of their names; other code is shown as it is. */
function membersOf(expression: string, value: (name: string) => number | undefined): Bound["constants"] {
  const members = [...expression.matchAll(/(\w+): ([^,{}]+?)(?=,|\s*\})/g)].map(([, name = "", code = ""]) => {
    const number = evaluate(code, value);
    const constant = name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    const words = constant
      .replace(/_(?:BYTES|MS)$/, "")
      .replaceAll("_", " ")
      .toLowerCase();
    return number === undefined ? undefined : { name, value: `${words} ${readable(constant, number)}` };
  });
  const known = members.filter((member) => member !== undefined);
  const isWhole = known.length > 0 && known.length === members.length;
  return isWhole ? known : [{ name: "", value: `\`${expression}\`` }];
}

/** The bound that a docstring with its constants describes, if it does. */
function boundOf(group: readonly Found[], value: (name: string) => number | undefined): Bound | undefined {
  const [first] = group;
  if (first?.doc === undefined) return undefined;
  const tagged = TAG.test(first.doc);
  const numbers = group.flatMap(({ name, expression }) => {
    const number = evaluate(expression, value);
    return number !== undefined && (tagged || LIMIT.test(name)) ? [{ name, value: readable(name, number) }] : [];
  });
  const text = first.doc.replaceAll(TAGS, "").trim();
  if (text === "") throw new Error(`Cannot describe ${first.name} in ${first.file}: its docstring has no text`);
  const { file, name, expression } = first;
  const forOperators = FOR_OPERATORS.exec(first.doc)?.[1]?.replaceAll(TAGS, "");
  const others = [...membersOf(expression, value), ...numbers];
  if (!tagged && !group.some((constant) => MAXIMUM.test(constant.name))) return undefined;
  if (numbers[0]?.name === name) return { file, name, text, forOperators, constants: numbers };
  return tagged || MAXIMUM.test(name) ? { file, name, text, forOperators, constants: others } : undefined;
}

const INTRODUCTION = `# Bounds

Every queue, cache, buffer and table of Turnpike has a limit. This page lists those that ordinary use can meet, and that no page of a feature
names. The others are constants in the source, each with a docstring. [Configuration](../configuration.md) lists the limits of its keys.
Lengths without a unit are characters or counts. A configuration that is above a limit of \`config/\` is refused. The scripts of a page in the browser
have a heap of 512 MB.
`;

/** The text of a bound in the reference, whose values have their units, and which says once what exceeds a limit of the configuration. */
function shown(text = ""): string {
  return text
    .replace("; the configuration is refused with more", "")
    .replace(/,? in milliseconds\b/, "")
    .replace(/^Milliseconds\b/, "Time")
    .replace(/\bmilliseconds\b/, "the time");
}

/** The folder below src/. */
function sectionOf(file: string): string {
  return dirname(file).split("/").slice(0, 2).join("/");
}

/** docs/reference/bounds.md: the bounds whose docstring has the tag `@operator`. */
export async function boundsReference(): Promise<string> {
  const told = (await bounds()).filter(({ forOperators }) => forOperators !== undefined);
  const tables = [...Map.groupBy(told, ({ file }) => sectionOf(file))].map(([section, rows]) => {
    const lines = rows.map(({ file, name, forOperators, constants }) => {
      const limits = constants.map(({ value }) => value).join("; ");
      return wrappedItem(`- **${limits}**: ${shown(forOperators)} (\`${file.slice(section.length + 1)}#${name}\`)`);
    });
    return `## ${section}\n\n${lines.join("\n")}\n`;
  });
  return `${INTRODUCTION}\n${tables.join("\n")}`;
}
