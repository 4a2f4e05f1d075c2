import { type Json, type JsonObject } from "../api/shapes.ts";
import { isJsonObject } from "./merge-patch.ts";

/** The part of JSON Schema that the configuration's schema uses. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly maxItems?: number;
  readonly oneOf?: readonly SchemaNode[];
  readonly additionalProperties?: boolean | SchemaNode;
  /** A secret: it can be set, but the gateway never returns it. */
  readonly writeOnly?: boolean;
}

export type Path = readonly (string | number)[];

/** Stands for a secret in responses. In a change, it keeps the stored secret. */
export const SECRET = "<secret>";

export type Kind =
  | "text"
  | "number"
  | "boolean"
  | "choice"
  | "list"
  | "items"
  | "object"
  | "union"
  /** A value of any shape, typed as JSON. */
  | "json";

export function kindOf(node: SchemaNode): Kind {
  if (node.enum !== undefined) return "choice";
  if (node.oneOf !== undefined) return "union";
  if (node.type === "object") return node.properties === undefined ? "json" : "object";
  if (node.type !== "array") return PLAIN[node.type ?? ""] ?? "json";
  const inner = node.items === undefined ? "json" : kindOf(node.items);
  if (inner === "object" || inner === "union") return "items";
  return inner === "text" || inner === "number" || inner === "choice" ? "list" : "json";
}

const PLAIN: Readonly<Record<string, Kind>> = {
  string: "text",
  integer: "number",
  number: "number",
  boolean: "boolean",
};

/** The text for a plain value; other values as JSON. */
export function fieldText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The variants of a union, by the value of the key that selects them. */
export function variantsOf(node: SchemaNode): ReadonlyMap<string, SchemaNode> {
  const found = (node.oneOf ?? []).map((variant): [string, SchemaNode] => [
    fieldText(variant.properties?.["type"]?.const),
    variant,
  ]);
  return new Map(found.filter(([name]) => name !== ""));
}

/** A path as in the gateway's messages: `auth.keys[0].name`. */
export function pathText(path: Path): string {
  return path.map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`)).join("");
}

export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let found: Json | undefined = value;
  for (const part of path) {
    if (typeof part === "number") found = Array.isArray(found) ? (found[part] as Json | undefined) : undefined;
    else found = isJsonObject(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  }
  return found;
}

/** The value with `put` at the path; undefined removes the key or item. */
export function withValue(value: Json | undefined, path: Path, put: Json | undefined): Json | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return put;
  if (typeof first === "number") {
    const items: readonly Json[] = Array.isArray(value) ? value : [];
    const made = withValue(items[first], rest, put);
    if (made === undefined) return items.filter((_, at) => at !== first);
    return first < items.length ? items.map((item, at) => (at === first ? made : item)) : [...items, made];
  }
  const object: JsonObject = isJsonObject(value) ? value : {};
  const made = withValue(object[first], rest, put);
  if (made !== undefined) return { ...object, [first]: made };
  const { [first]: _, ...left } = object;
  return left;
}

/** The initial value of a new list item, or of a part that is switched on: its required keys, empty. */
export function emptyValue(node: SchemaNode): Json {
  const kind = kindOf(node);
  if (kind === "text" || kind === "number") return "";
  if (kind === "choice") return node.enum?.[0] ?? "";
  if (kind === "boolean") return false;
  if (kind === "list" || kind === "items") return [];
  if (kind === "union") {
    const [name = ""] = variantsOf(node).keys();
    return { type: name };
  }
  const lists = (node.required ?? []).filter((key) => node.properties?.[key]?.type === "array");
  return Object.fromEntries(lists.map((key) => [key, []]));
}

/** The default in a few words; undefined if there is no default. */
export function defaultText(node: SchemaNode): string | undefined {
  const value = node.default;
  if (value === undefined || value === null || value === "" || isJsonObject(value)) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(fieldText).join(", ");
  return fieldText(value);
}

/** The bounds of a number as "1 to 65,535"; undefined if they are only those of the number format. */
export function boundsText({ minimum, maximum }: SchemaNode): string | undefined {
  const format = new Intl.NumberFormat("en");
  const hasTop = maximum !== undefined && maximum < 2_147_483_647;
  if (minimum !== undefined && hasTop) return `${format.format(minimum)} to ${format.format(maximum)}`;
  if (hasTop) return `${format.format(maximum)} at most`;
  return minimum !== undefined && minimum > 0 ? `${format.format(minimum)} at least` : undefined;
}
