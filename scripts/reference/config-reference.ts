import { wrappedItem } from "./wrapped-item.ts";
import { describedSchema, type JsonSchema } from "../../src/gateway/config/json-schema.ts";

const INTRODUCTION = `# Configuration

Turnpike reads one file, which \`--config\` names. Every key is optional unless it says "required", and \`{}\` starts with the defaults. Unknown
keys are ignored, each with a warning. \`turnpike check FILE\` prints every problem with its place, and exits with 1 if the gateway would not start.

This page lists all keys. A key with a range is an integer. A key without a range, a type and a default is a string, or an object with a section of its
own. Keys with a star are extensions of Turnpike to version 1.0 of the configuration.

Editors complete and check the file if it begins with \`"$schema": "./turnpike.schema.json"\`, the path of that file in this repository.
[Sell an API](guides/sell-an-api.md) has an example.

## Formats

The extension of the file name selects the format:

- \`.jsonc\`: JSON with comments (\`//\` and \`/* */\`) and with commas before a closing bracket
- \`.yaml\` and \`.yml\`: one document of YAML 1.2, of at most 4 MiB. A plain scalar that JSON would not accept is a string (\`pay_to: 0x2096…\`, \`no\`).
  Aliases may repeat up to 1,000,000 values. Tags and merge keys (\`<<\`) are refused.
- every other ending: JSON

Every format refuses an object that has the same key twice. \`turnpike persist\` writes only changed values, and comments stay, except those of a removed
route. A YAML value that changes at an alias is written in place of the alias. A change of an anchor is refused.

## Flags

These flags override keys of the file:

- \`--address\` and \`--port\`: the keys of \`server\`, or of the first entry of \`server.listeners\`
- \`--workers\`: \`server.workers\`
- \`--static-root\`: \`server.static_root\`
- \`--cert\` and \`--key\`: \`tls.cert_path\` and \`tls.key_path\`

\`--strict\` makes warnings errors ([admin interface](admin.md#how-to)). \`--take-over\` replaces a running gateway, and with \`--detach\` the command ends
when the new gateway serves ([upgrade](guides/upgrade.md)).
`;

interface Section {
  readonly heading: string;
  readonly schema: JsonSchema;
  readonly path: string;
  readonly nested: readonly Section[];
}

function isNested(schema: JsonSchema): boolean {
  return schema.properties !== undefined || schema.oneOf !== undefined;
}

function typeName(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.items !== undefined) return `${typeName(schema.items)}[]`;
  if (schema.oneOf !== undefined) return "object";
  const range = rangeOf(schema);
  if (range !== "") return schema.type === "integer" ? range : `${schema.type ?? "any"}, ${range}`;
  return schema.type ?? "any";
}

/** The type, or nothing for a string, and if the default or a section of its own shows it. */
function shownType(schema: JsonSchema, byDefault: string): string {
  const type = typeName(schema);
  if (type === "string") return "";
  const isShown = type === "object" ? isNested(schema) : type === "boolean" && byDefault !== "";
  return isShown && byDefault !== "required" ? "" : type;
}

function rangeOf({ minimum, maximum }: JsonSchema): string {
  // The largest integer and the longest timer are limits of the machine, so the reference omits them.
  const isTold = maximum !== undefined && maximum < 2_000_000;
  if (minimum === undefined) return "";
  return isTold ? `${minimum}..${maximum}` : `from ${minimum}`;
}

function defaultText(schema: JsonSchema, isRequired: boolean): string {
  if (isRequired) return "required";
  if (schema.default === undefined || JSON.stringify(schema.default) === "{}") return "";
  if (schema.default === "" || (Array.isArray(schema.default) && schema.default.length === 0)) return "";
  return `\`${typeof schema.default === "string" ? schema.default : JSON.stringify(schema.default)}\``;
}

function meaning(schema: JsonSchema): string {
  // A key without a default needs no words for that.
  return schema.description?.replace(/ Default: none\.$/, "") ?? "";
}

/** A list of keys: the name, the type, the default and the meaning of each. */
function keyList(rows: readonly (readonly string[])[]): string {
  return rows
    .map(([key, type, byDefault = "", text]) => {
      const known = byDefault === "" || byDefault === "required" ? byDefault : `default ${byDefault}`;
      const facts = [type, known].filter(Boolean).join("; ");
      return wrappedItem(`- ${key}${facts === "" ? "" : ` (${facts})`}: ${text}`);
    })
    .join("\n");
}

function lastKey(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1).replace("[]", "");
}

function keyRow(path: string, schema: JsonSchema, isRequired: boolean): string[] {
  const byDefault = defaultText(schema, isRequired);
  return [
    `\`${lastKey(path)}\`${schema.ours === true ? "\\*" : ""}`,
    shownType(schema, byDefault),
    byDefault,
    meaning(schema),
  ];
}

/** The rows of a section, one for each key. The heading has a fixed `type`. */
function rowsOf({ schema, path }: Pick<Section, "schema" | "path">): string[][] {
  const isRequired = (key: string): boolean => schema.required?.includes(key) ?? false;
  return Object.entries(schema.properties ?? {})
    .filter(([, value]) => typeof value.const !== "string")
    .map(([key, value]) => keyRow(`${path}.${key}`, value, isRequired(key)));
}

/** The sections that a schema has: one, or with `oneOf` one for each type. A schema without keys has no section. */
function sections(heading: string, schema: JsonSchema, path: string): Section[] {
  if (schema.items !== undefined) return sections(`${heading}[]`, schema.items, `${path}[]`);
  if (schema.oneOf !== undefined) {
    return schema.oneOf.flatMap((option) => {
      const type = option.properties?.["type"]?.const ?? "";
      return sections(`${heading} (${type})`, withoutOwnDepth(option), `${path}(${type})`);
    });
  }
  if (schema.properties === undefined) return [];
  const nested = Object.entries(schema.properties)
    .filter(([, value]) => isNested(value) || (value.items !== undefined && isNested(value.items)))
    .flatMap(([key, value]) => sections(`${heading}.${key}`, value, `${path}.${key}`));
  return [{ heading, schema, path, nested }];
}

/** Equal for sections with the same keys at every depth. */
function contentOf(section: Section): string {
  const nested = section.nested.map((child) => [child.heading.slice(section.heading.length), contentOf(child)]);
  return JSON.stringify([rowsOf(section), nested]);
}

/** The section that describes each content: the one nearest to the top. */
function describers(all: readonly Section[]): Map<string, Section> {
  const found = new Map<string, Section>();
  const depth = ({ path }: Section): number => path.split(".").length;
  const visit = (section: Section): void => {
    const content = contentOf(section);
    const known = found.get(content);
    if (known === undefined || depth(section) < depth(known)) found.set(content, section);
    section.nested.forEach(visit);
  };
  all.forEach(visit);
  return found;
}

/** Removes the methods inside a chain, because the reference describes each method beside the chain. */
function withoutOwnDepth(option: JsonSchema): JsonSchema {
  const methods = option.properties?.["methods"];
  if (methods === undefined) return option;
  const flat: JsonSchema = { ...methods, items: { type: "object" } };
  return { ...option, properties: { ...option.properties, methods: flat } };
}

function linkTo({ heading }: Section): string {
  return `[\`${heading}\`](#${heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-")})`;
}

/** The row with a link to the section that describes the keys below it, if that is another one. */
function withLink(row: readonly string[], links: ReadonlyMap<string, string>): readonly string[] {
  const [key = "", type = "", byDefault = "", text = ""] = row;
  const link = links.get(/\w+/.exec(key)?.[0] ?? "");
  return link === undefined ? row : [key, type, byDefault, `${text} Keys: ${link}.`];
}

/** A section and those nested in it. */
function flattened(section: Section): Section[] {
  return [section, ...section.nested.flatMap(flattened)];
}

/** The keys of a section that another one describes too. */
interface Shared {
  readonly by: Section;
  readonly rows: ReadonlySet<string>;
}

const identityOf = (row: readonly string[]): string => row.join("|");

/** The keys that the section shares with its parent, or at least three with the largest of the other sections. */
function sharedOf(section: Section, all: readonly Section[], parent: Section | undefined): Shared | undefined {
  const rows = rowsOf(section).map(identityOf);
  const candidates = all.flatMap((by) => {
    const described = new Set(rowsOf(by).map(identityOf));
    const shared = new Set(rows.filter((row) => described.has(row)));
    const isLarger = described.size > rows.length;
    return shared.size > 0 && isLarger && (by === parent || shared.size > 2)
      ? [{ by, rows: shared, size: described.size }]
      : [];
  });
  return candidates.toSorted((a, b) => b.rows.size - a.rows.size || b.size - a.size)[0];
}

/** Sections as the page has them: all of them, and the one that describes each content. */
interface Page {
  readonly all: readonly Section[];
  readonly described: ReadonlyMap<string, Section>;
}

/** The text of a section and of those nested in it. A key that another section describes has a link to it. */
function render(section: Section, page: Page, parent?: Section): string {
  const shared = sharedOf(section, page.all, parent);
  const rows = rowsOf(section);
  const isShared = (row: readonly string[]): boolean => shared?.rows.has(identityOf(row)) === true;
  const note = meaning(section.schema);
  // A key of the parent is described in its list.
  const isNew = parent === undefined || !rowsOf(parent).some((row) => row[3] === note);
  const describer = (child: Section): Section => page.described.get(contentOf(child)) ?? child;
  const parts = [`${parent === undefined ? "##" : "###"} ${section.heading}`];
  if (note !== "" && isNew) parts.push(note);
  const elsewhere = section.nested.filter((child) => describer(child) !== child);
  const links = new Map(elsewhere.map((child) => [lastKey(child.path), linkTo(describer(child))]));
  const list = [keyList(rows.filter((row) => !isShared(row)).map((row) => withLink(row, links)))];
  if (shared !== undefined) {
    const keys = rows.filter(isShared).map(([key = ""]) => key);
    list.push(wrappedItem(`- As in ${linkTo(shared.by)}: ${keys.join(", ")}.`));
  }
  parts.push(list.filter(Boolean).join("\n"));
  const own = section.nested.filter((child) => describer(child) === child);
  return [`${parts.filter(Boolean).join("\n\n")}\n`, ...own.map((child) => render(child, page, section))].join("\n");
}

/** The text of `docs/configuration.md`: a list of keys for every section of the schema. */
export function reference(): string {
  const { properties = {} } = describedSchema();
  const all = Object.entries(properties).map(([key, schema]) => [key, schema, sections(key, schema, key)] as const);
  const tops = all.flatMap(([, , found]) => found);
  const page = { all: tops.flatMap(flattened), described: describers(tops) };
  const scalars = all.filter(([, , found]) => found.length === 0).map(([key, schema]) => keyRow(key, schema, false));
  return [INTRODUCTION, ...tops.map((section) => render(section, page)), `## Other keys\n\n${keyList(scalars)}\n`].join(
    "\n",
  );
}
