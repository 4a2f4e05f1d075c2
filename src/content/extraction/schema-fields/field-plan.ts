import { isObject } from "../../../lib/is-object.ts";
import { compileSchema, type Schema, SchemaError } from "../../../lib/json-schema/compile-schema.ts";
import { type Json, type JsonObject, pointerStep, valueAt } from "../../../lib/json-schema/json.ts";
import { type FieldNames, namesOf } from "./names.ts";

/** Characters of a schema as JSON, its fields, and levels of objects and lists. */
const MAX_SCHEMA_LENGTH = 50_000;
const MAX_FIELDS = 200;
const MAX_DEPTH = 8;
/** References that one schema follows to another one. */
const MAX_REFERENCES = 20;

type Kind = "string" | "number" | "integer" | "boolean";

export interface LeafPlan {
  readonly kind: "leaf";
  readonly names: FieldNames;
  /** The types that its schema accepts, the first is tried first. */
  readonly types: readonly Kind[];
  readonly format: string | undefined;
  readonly choices: readonly (string | number | boolean)[] | undefined;
  readonly description: string;
  readonly fits: (value: Json) => boolean;
}

export interface ListPlan {
  readonly kind: "list";
  readonly names: FieldNames;
  readonly items: FieldPlan;
  readonly max: number;
}

export interface ObjectPlan {
  readonly kind: "object";
  readonly names: FieldNames;
  readonly members: ReadonlyMap<string, FieldPlan>;
  readonly required: ReadonlySet<string>;
}

export type FieldPlan = LeafPlan | ListPlan | ObjectPlan;

export interface SchemaPlan {
  readonly root: ObjectPlan;
  readonly schema: Schema;
}

/** Keywords that decide which value a field has, or whether a value is valid. */
const MEANT = new Set(
  (
    "$anchor $comment $defs $id $ref $schema additionalProperties allOf anyOf const default definitions deprecated description " +
    "enum examples exclusiveMaximum exclusiveMinimum format items maxItems maxLength maxProperties maximum minItems minLength " +
    "minProperties minimum multipleOf oneOf pattern properties readOnly required title type uniqueItems writeOnly"
  ).split(" "),
);

/** Items of a list for which the schema states no maximum. @operator */
const MAX_ITEMS = 1_000;

/** Reads a schema. Throws a SchemaError, which has the place, if it is not valid or has keywords without a meaning here. */
export function planOf(given: unknown): SchemaPlan {
  if (!isObject(given)) throw new SchemaError("", "must be an object");
  if (JSON.stringify(given).length > MAX_SCHEMA_LENGTH) {
    throw new SchemaError("", `must be at most ${MAX_SCHEMA_LENGTH} characters as JSON`);
  }
  // A parsed body is a JSON value. Older drafts give the keywords that are read here the same meaning.
  const { $schema: _, ...source } = given as JsonObject;
  const schema = compileSchema(source, { checksFormats: true });
  const root = new Planner(source).plan(source, "", [], "");
  if (root.kind !== "object") throw new SchemaError("", "must describe an object: a list is one of its properties");
  return { root, schema };
}

class Planner {
  readonly #root: JsonObject;
  #fields = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** `around` has the names of the objects around the field, `name` its own. */
  plan(given: Json, pointer: string, around: readonly string[], name: string): FieldPlan {
    const schema = this.#merged(given, pointer, 0);
    this.#fields += 1;
    if (this.#fields > MAX_FIELDS) throw new SchemaError(pointer, `is one of more than ${MAX_FIELDS} fields`);
    if (around.length > MAX_DEPTH) throw new SchemaError(pointer, `is more than ${MAX_DEPTH} levels deep`);
    const title = typeof schema["title"] === "string" ? schema["title"] : undefined;
    const types = typesOf(schema);
    const { description, format = "" } = schema;
    const isDate = typeof format === "string" && /^(?:date|date-time|time)$/.test(format);
    const names = namesOf(name, {
      title,
      description: typeof description === "string" ? description : undefined,
      around,
      type: isDate
        ? "date"
        : types.every((type) => type === "number" || type === "integer") && types.length > 0
          ? "number"
          : types.includes("string")
            ? "text"
            : undefined,
    });
    if (types.includes("object")) return this.#object(schema, { pointer, around, name, names });
    if (types.includes("array")) {
      const { items, maxItems } = schema;
      if (items === undefined || items === true) throw new SchemaError(pointer, "must have the schema of its items");
      const max = typeof maxItems === "number" ? Math.min(maxItems, MAX_ITEMS) : MAX_ITEMS;
      return { kind: "list", names, items: this.plan(items, `${pointer}/items`, around, name), max };
    }
    return this.#leaf(schema, names, types);
  }

  #object(
    schema: JsonObject,
    { pointer, around, name, names }: { pointer: string; around: readonly string[]; name: string; names: FieldNames },
  ): ObjectPlan {
    const { properties, required } = schema;
    if (!isObject(properties) || Object.keys(properties).length === 0) {
      throw new SchemaError(pointer, "must have properties, because fields are found by their names");
    }
    const inside = name === "" ? around : [...around, name];
    const members = Object.entries(properties).map(([key, value]) => {
      const place = `${pointer}/properties${pointerStep(key)}`;
      return [key, this.plan(value, place, inside, key)] as const;
    });
    const requiredNames = Array.isArray(required) ? required.filter((one) => typeof one === "string") : [];
    return { kind: "object", names, members: new Map(members), required: new Set(requiredNames) };
  }

  #leaf(schema: JsonObject, names: FieldNames, types: readonly string[]): LeafPlan {
    const kinds = types.filter((type): type is Kind => LEAVES.has(type));
    const { format, enum: choices, const: only, description } = schema;
    const own = compileSchema(schema, { checksFormats: true });
    return {
      kind: "leaf",
      names,
      types: kinds.length === 0 ? ["string", "number", "boolean"] : kinds,
      format: typeof format === "string" ? format : undefined,
      choices: choicesOf(only === undefined ? choices : [only]),
      description: typeof description === "string" ? description : "",
      fits: (value) => own.problemsOf(value).length === 0,
    };
  }

  /** The schema with the schemas that it refers to, and with the one alternative that is not null. */
  #merged(given: Json, pointer: string, depth: number): JsonObject {
    if (given === true) return {};
    if (!isObject(given)) throw new SchemaError(pointer, "must be a schema that a value can fit");
    if (depth > MAX_REFERENCES) throw new SchemaError(pointer, "refers to itself, or to too many schemas");
    for (const keyword of Object.keys(given)) {
      if (!MEANT.has(keyword) && !keyword.startsWith("x-")) {
        throw new SchemaError(pointer + pointerStep(keyword), "has no meaning for fields of a page");
      }
    }
    const { $ref: reference, allOf, anyOf, oneOf, ...own } = given;
    let schema: JsonObject = own;
    if (typeof reference === "string") {
      schema = { ...this.#merged(this.#resolve(reference, pointer), pointer, depth + 1), ...schema };
    }
    for (const one of Array.isArray(allOf) ? allOf : []) {
      const part = this.#merged(one, `${pointer}/allOf`, depth + 1);
      schema = { ...part, ...schema, ...mergedObjects(part, schema) };
    }
    for (const [keyword, list] of Object.entries({ anyOf, oneOf })) {
      if (!Array.isArray(list)) continue;
      const others = list.filter((one) => !isObject(one) || one["type"] !== "null");
      const parts = others.map((one) => this.#merged(one, `${pointer}/${keyword}`, depth + 1));
      const types = parts.flatMap((part) => part["type"] ?? []);
      if (parts.length > 1 && parts.some((part) => typesOf(part).some((type) => !LEAVES.has(type)))) {
        throw new SchemaError(`${pointer}/${keyword}`, "must have only one alternative that is an object or a list");
      }
      schema = parts.length === 1 ? { ...parts[0], ...schema } : { ...schema, type: types, [keyword]: parts };
    }
    return schema;
  }

  #resolve(reference: string, pointer: string): Json {
    if (reference === "#") throw new SchemaError(`${pointer}/$ref`, "must not refer to the whole schema");
    if (!reference.startsWith("#/")) throw new SchemaError(`${pointer}/$ref`, "must refer to a place in the schema");
    const found = valueAt(this.#root, decodeURIComponent(reference.slice(1)));
    if (found === undefined) throw new SchemaError(`${pointer}/$ref`, "refers to nothing");
    return found as Json; // Each part of a JSON value is a JSON value.
  }
}

const LEAVES: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean"]);

function choicesOf(values: Json | undefined): LeafPlan["choices"] {
  return Array.isArray(values)
    ? values.filter((one) => typeof one === "string" || typeof one === "number" || typeof one === "boolean")
    : undefined;
}

function mergedObjects(part: JsonObject, schema: JsonObject): JsonObject {
  const { properties: a, required: r = [] } = part;
  const { properties: b, required: s = [] } = schema;
  if (!isObject(a) || !isObject(b)) return {};
  return { properties: { ...a, ...b }, required: [...(Array.isArray(r) ? r : []), ...(Array.isArray(s) ? s : [])] };
}

function typesOf(schema: JsonObject): readonly string[] {
  const { type, properties, items } = schema;
  const named = [type].flat().filter((one) => typeof one === "string");
  if (named.length > 0) return named.filter((one) => one !== "null");
  if (properties !== undefined) return ["object"];
  return items === undefined ? [] : ["array"];
}
