import { describedSchema, type JsonSchema } from "./json-schema.ts";

/** The keys that the configuration knows in the object at `path`, of every alternative that the object may be. */
export function knownKeysAt(path: readonly PropertyKey[]): ReadonlySet<string> {
  const root = describedSchema();
  let places = [root];
  for (const part of path)
    places = places.flatMap((schema) => alternatives(root, schema)).flatMap((s) => below(s, part));
  return new Set(
    places.flatMap((schema) => alternatives(root, schema)).flatMap((s) => Object.keys(s.properties ?? {})),
  );
}

/** The schema itself and all that it refers to or combines, each once. */
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
