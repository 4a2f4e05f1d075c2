import type * as Zod from "zod";
import { configSchema } from "./config.ts";
import { madeByZod } from "./schema/recorded-schema.ts";
import { type FileRole, type SecretKind } from "./schema/kinds.ts";

/** The part of JSON Schema 2020-12 that the configuration uses. */
export interface JsonSchema {
  $schema?: string;
  $id?: string;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  title?: string;
  description?: string;
  type?: string;
  default?: unknown;
  enum?: unknown[];
  const?: string;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  required?: string[];
  items?: JsonSchema;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  /** True for a key that other implementations do not have. It is not in the published file. */
  ours?: boolean;
  /** The way in which the key's value is hidden in responses. It is not in the published file. */
  secret?: SecretKind;
  /** The role of a file that the value names. It is not in the published file. */
  file?: FileRole;
  /** JSON Schema's keyword for a value that is sent and never shown. */
  writeOnly?: boolean;
}

/** Loaded when it is used (`recorded-schema.ts`). */
const zod = (): typeof Zod => require("zod");

let described: JsonSchema | undefined;

/** The schema of a configuration file, with descriptions and defaults, made once. Turnpike's own keys have `ours`. */
export function describedSchema(): JsonSchema {
  return (described ??= madeSchema());
}

function madeSchema(): JsonSchema {
  // JsonSchema has the keywords that zod writes for the kinds of schema used here. zod's own type is far wider.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return zod().toJSONSchema(madeByZod(configSchema), { target: "draft-2020-12", io: "input" }) as JsonSchema;
}

function publish(schema: JsonSchema, path: string): JsonSchema {
  const { ours, secret, file: _, ...rest } = schema;
  const notes = [rest.description, ours === true ? "Turnpike's own key." : ""].filter(Boolean);
  const published: JsonSchema = { ...rest, ...(secret === "whole" ? { writeOnly: true } : {}) };
  if (notes.length > 0) published.description = notes.join(" ");
  if (rest.properties !== undefined) {
    published.properties = Object.fromEntries(
      Object.entries(rest.properties).map(([key, value]) => [
        key,
        publish(value, path === "" ? key : `${path}.${key}`),
      ]),
    );
  }
  if (rest.oneOf !== undefined) published.oneOf = rest.oneOf.map((alternative) => publish(alternative, path));
  if (rest.items !== undefined) published.items = publish(rest.items, `${path}[]`);
  return published;
}

/** The schema for editors. A file can name it in `$schema`. */
export function publishedSchema(): JsonSchema {
  const { $schema, ...schema } = publish(describedSchema(), "");
  return {
    ...($schema === undefined ? {} : { $schema }),
    title: "Turnpike configuration",
    ...schema,
    properties: { $schema: { type: "string", description: "This schema, for editors." }, ...schema.properties },
  };
}
