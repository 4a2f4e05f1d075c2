import { describedSchema, type JsonSchema } from "./json-schema.ts";

/** The keys that the schema has for the object at `path`, from all alternatives of the object. */
export function knownKeysAt(path: readonly PropertyKey[]): ReadonlySet<string> {
  return new Set(schemasAt(path).flatMap(({ properties }) => Object.keys(properties ?? {})));
}

/** False if the schema has keys at `path`, and `key` is not one of them. */
export function knowsKeyAt(path: readonly PropertyKey[], key: string): boolean {
  const schemas = schemasAt(path);
  return schemas.every(({ properties }) => properties === undefined) || schemas.some((s) => below(s, key).length > 0);
}

function schemasAt(path: readonly PropertyKey[]): JsonSchema[] {
  const root = describedSchema();
  let schemas = alternatives(root, root);
  for (const part of path) schemas = schemas.flatMap((s) => below(s, part)).flatMap((s) => alternatives(root, s));
  return schemas;
}

/** The schema itself and all schemas that it refers to or combines, each once. */
function alternatives(root: JsonSchema, schema: JsonSchema, seen = new Set<JsonSchema>()): JsonSchema[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const name = /^#\/\$defs\/(.+)$/.exec(schema.$ref ?? "")?.[1];
  const target = schema.$ref === "#" ? root : name === undefined ? undefined : root.$defs?.[name];
  const others = [...(target === undefined ? [] : [target]), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return [schema, ...others.flatMap((other) => alternatives(root, other, seen))];
}

function below({ properties, items, additionalProperties }: JsonSchema, part: PropertyKey): JsonSchema[] {
  if (typeof part === "number") return items === undefined ? [] : [items];
  const named = Object.hasOwn(properties ?? {}, part) ? properties?.[String(part)] : undefined;
  if (named !== undefined) return [named];
  return typeof additionalProperties === "object" ? [additionalProperties] : [];
}
