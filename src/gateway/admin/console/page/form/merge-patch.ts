import { isObject } from "../../../../../lib/is-object.ts";
import { isSame } from "../../../../../lib/is-same.ts";
import { type Json, type JsonObject } from "../api/shapes.ts";

/** Like `isObject` of any value, for JSON. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}

/** The JSON merge patch (RFC 7396) that turns `from` into `to`. */
export function mergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const patch: Record<string, Json> = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch[key] = null;
  for (const [key, value] of Object.entries(to)) {
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    if (isSame(before, value)) continue;
    patch[key] = isJsonObject(before) && isJsonObject(value) ? mergePatch(before, value) : value;
  }
  return patch;
}
