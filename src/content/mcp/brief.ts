import { type ApiSchema } from "../api/api-document.ts";

/** A schema of an object as tools have it. */
export interface ObjectSchema {
  readonly type: "object";
  readonly [key: string]: unknown;
}

/** Characters of a description in the short form. */
const MAX_DESCRIPTION = 200;

/** The first sentence of a text. */
export function firstSentence(text: string): string {
  const [sentence = ""] = text.split(/(?<=\.)\s|;\s/, 1);
  return sentence.slice(0, MAX_DESCRIPTION).replace(/[.;]$/, "");
}

/** The types, choices and names of a schema, without its bounds, defaults and descriptions. */
function briefSchema({ type, enum: choices, items, anyOf, properties, required, ...rest }: ApiSchema): ApiSchema {
  const { additionalProperties: others } = rest;
  return {
    ...(type === undefined ? {} : { type }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(items === undefined ? {} : { items: briefSchema(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(briefSchema) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, briefSchema(value)])),
        }),
    ...(required === undefined ? {} : { required }),
    ...(typeof others === "object" ? { additionalProperties: briefSchema(others) } : {}),
  };
}

/** Options that many tools have, and those that the short form leaves out. */
interface BriefRules {
  readonly isCommon: (name: string, schema: ApiSchema) => boolean;
  readonly isLeftOut: (name: string) => boolean;
}

/**
 * A tool's input in the short form. A property keeps the first sentence of its description. Of options that many tools have,
 * only the type and the choices are left.
 */
export function briefInput(
  { properties = {}, required = [] }: ApiSchema,
  { isCommon, isLeftOut }: BriefRules = { isCommon: () => false, isLeftOut: () => false },
): ObjectSchema {
  const told = Object.entries(properties).filter(([name]) => !isLeftOut(name));
  const isWhole = told.length === Object.keys(properties).length;
  const brief = told.map(([name, schema]) => {
    const { description, type, enum: choices } = schema;
    if (isCommon(name, schema))
      return [name, briefSchema({ ...(type && { type }), ...(choices && { enum: choices }) })];
    const text = description === undefined ? {} : { description: firstSentence(description) };
    return [name, { ...briefSchema(schema), ...text }];
  });
  const shape = { properties: Object.fromEntries(brief), required };
  return { type: "object", ...shape, ...(isWhole ? { additionalProperties: false } : {}) };
}

/** The members that a challenge has, and no output. */
const CHALLENGE = { required: ["x402Version", "accepts"] };

/**
 * The structured content of a tool whose response has one of these schemas: the types of the members that it always has. It fits a challenge
 * too, because some clients check the content of a result that is an error.
 */
export function outputOf(schemas: readonly ApiSchema[]): ObjectSchema {
  const types = new Map<string, Set<string>>();
  for (const { properties = {}, required = [] } of schemas) {
    for (const [name, { type }] of Object.entries(properties).filter(([key]) => required.includes(key))) {
      types.getOrInsert(name, new Set()).add(JSON.stringify(type === undefined ? {} : { type }));
    }
  }
  const properties = [...types].map(([name, [first = "{}", ...more]]) => [
    name,
    more.length > 0 ? {} : JSON.parse(first),
  ]);
  const anyOf = [...schemas.map(({ required = [] }) => ({ required })), CHALLENGE];
  return { type: "object", properties: Object.fromEntries(properties), anyOf };
}
