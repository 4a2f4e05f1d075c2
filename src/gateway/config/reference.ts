import { markdownTable } from "../../lib/markdown-table.ts";
import { describedSchema, type JsonSchema } from "./json-schema.ts";

/** A configuration that loads without changes. The configuration reference begins with it. @internal */
export const EXAMPLE = {
  $schema: "./turnpike.schema.json",
  server: { address: "127.0.0.1", port: 8080, workers: 1 },
  x402: { enabled: true, test_mode: true },
  upstreams: [{ name: "api", servers: [{ address: "127.0.0.1", port: 9000 }] }],
  routes: [
    { path_prefix: "/", upstream: "api" },
    {
      path_prefix: "/reports/",
      upstream: "api",
      rewrite_pattern: "/reports/",
      rewrite_replacement: "/",
      x402: {
        price: "$0.01",
        asset: "USDC",
        network: "eip155:84532",
        pay_to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
      },
    },
  ],
};

const INTRODUCTION = `# Configuration

Turnpike reads one file, which \`--config\` names: JSON, JSON with comments, or YAML ([formats](#formats)). This page lists all keys. Every section is optional: \`{}\` starts with the
defaults. Unknown keys are ignored, each with a warning. To check a file, run \`turnpike check FILE\`: it prints every problem with its
place, and exits with 1 if the gateway would not start.

## Formats

The extension of the file name selects the format. Problems are reported with line and column in every format.

- \`.jsonc\`: JSON with comments (\`//\` and \`/* */\`) and with commas before a closing bracket
- \`.yaml\` and \`.yml\`: YAML 1.2, of at most 4 MiB and one document. A plain scalar is a number, \`true\`, \`false\` or \`null\` only as JSON
  writes it, and otherwise a string: \`pay_to: 0x2096…\` and \`no\` are strings. Anchors and aliases work. Each alias counts as the values that it repeats, up
  to 1,000,000 values. Tags and merge keys (\`<<\`) are refused.
- every other ending: JSON

Every format refuses an object that has the same key twice. If the gateway writes the file (\`turnpike persist\`), only changed values change:
all other lines stay as they are, with their comments. If a route is removed, the comments right before it and after it in its line are removed
too; comments before an empty line stay. A YAML value that changes at an alias is written in place of the alias. If the anchor's value would have to
change, \`persist\` fails with the reason, and you edit the file yourself.

## Flags

These flags override keys of the file:

- \`--address\` and \`--port\`: the keys of \`server\`, or of the first entry of \`server.listeners\`
- \`--workers\`: \`server.workers\`
- \`--static-root\`: \`server.static_root\`
- \`--cert\`: \`tls.cert_path\`
- \`--key\`: \`tls.key_path\`

\`--strict\` overrides no key: warnings are errors ([admin interface](admin.md#how-to)).
\`--take-over\` overrides no key: it replaces a running gateway ([upgrade](guides/upgrade.md)). With \`--detach\` the command then ends when the
new gateway serves.

Editors complete and check the file if it begins with \`"$schema": "./turnpike.schema.json"\`, the path of that file in this
repository.

Keys marked _own_ are extensions of Turnpike to version 1.0 of the configuration. A key marked _not available yet_ can be
set. Turnpike ignores such a key with a warning if nothing depends on it. If ignoring it would weaken protection, the file is
refused. This configuration serves one upstream, with a price on \`/reports/\`:
`;

const HEADING = ["Key", "Type", "Default", "Meaning"];

interface Section {
  readonly heading: string;
  readonly schema: JsonSchema;
  readonly path: string;
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
  return range === "" ? (schema.type ?? "any") : `${schema.type ?? "any"}, ${range}`;
}

function rangeOf({ minimum, maximum }: JsonSchema): string {
  // The largest integer and the longest timer are limits of the machine, so the reference omits them.
  const isTold = maximum !== undefined && maximum < 2_000_000;
  if (minimum === undefined) return "";
  return isTold ? `${minimum}..${maximum}` : `from ${minimum}`;
}

function defaultText(schema: JsonSchema, isRequired: boolean): string {
  if (isRequired) return "required";
  if (schema.default === undefined) return "none";
  if (schema.default === "") return "empty";
  if (Array.isArray(schema.default) && schema.default.length === 0) return "empty";
  if (JSON.stringify(schema.default) === "{}") return "its defaults";
  return `\`${typeof schema.default === "string" ? schema.default : JSON.stringify(schema.default)}\``;
}

function meaning(schema: JsonSchema): string {
  const text = [schema.description ?? "", schema.ours === true ? "_Own._" : ""];
  return text.filter(Boolean).join(" ").replaceAll("|", "\\|");
}

/** A table of keys, to be placed under a heading. */
function keyTable(rows: readonly (readonly string[])[]): string {
  return markdownTable([HEADING, ...rows]);
}

function keyRow(path: string, schema: JsonSchema, isRequired: boolean): string[] {
  const key = path.slice(path.lastIndexOf(".") + 1);
  return [`\`${key}\``, typeName(schema), defaultText(schema, isRequired), meaning(schema)];
}

function sectionTable({ schema, path }: Section): string {
  const isRequired = (key: string): boolean => schema.required?.includes(key) ?? false;
  const keys = Object.entries(schema.properties ?? {});
  return keyTable(keys.map(([key, value]) => keyRow(`${path}.${key}`, value, isRequired(key))));
}

/**
 * The sections of one schema: the schema itself, then its nested sections. A schema with `oneOf` has one section for
 * each type.
 */
function sections({ heading, schema, path }: Section): Section[] {
  if (schema.items !== undefined) return sections({ heading: `${heading}[]`, schema: schema.items, path: `${path}[]` });
  if (schema.oneOf !== undefined) {
    return schema.oneOf.flatMap((option) => {
      const type = option.properties?.["type"]?.const ?? "";
      return sections({ heading: `${heading} (${type})`, schema: withoutOwnDepth(option), path: `${path}(${type})` });
    });
  }
  if (schema.properties === undefined) return [];
  const nested = Object.entries(schema.properties)
    .filter(([, value]) => isNested(value) || (value.items !== undefined && isNested(value.items)))
    .flatMap(([key, value]) => sections({ heading: `${heading}.${key}`, schema: value, path: `${path}.${key}` }));
  return [{ heading, schema, path }, ...nested];
}

/** Removes the methods inside a chain, because the reference describes each method beside the chain. */
function withoutOwnDepth(option: JsonSchema): JsonSchema {
  const methods = option.properties?.["methods"];
  if (methods === undefined) return option;
  const flat: JsonSchema = { ...methods, items: { type: "object" } };
  return { ...option, properties: { ...option.properties, methods: flat } };
}

function render(section: Section, depth: number): string {
  const note = meaning(section.schema);
  return `${"#".repeat(depth)} ${section.heading}\n\n${note === "" ? "" : `${note}\n\n`}${sectionTable(section)}\n`;
}

/** The text of `docs/configuration.md`: a table for every section of the schema. */
export function reference(): string {
  const { properties = {} } = describedSchema();
  const parts = [INTRODUCTION, `\`\`\`json\n${JSON.stringify(EXAMPLE, undefined, 2)}\n\`\`\`\n`];
  const scalars: Record<string, JsonSchema> = {};
  for (const [key, schema] of Object.entries(properties)) {
    const found = sections({ heading: key, schema, path: key });
    if (found.length === 0) scalars[key] = schema;
    else parts.push(...found.map((section, i) => render(section, i === 0 ? 2 : 3)));
  }
  const rows = Object.entries(scalars).map(([key, schema]) => keyRow(key, schema, false));
  parts.push(`## Other keys\n\n${keyTable(rows)}\n`);
  return parts.join("\n");
}
