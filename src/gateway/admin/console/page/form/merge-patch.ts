import { type Json, type JsonObject } from "../api/shapes.ts";

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item: Json, at) => isSame(item, b[at] as Json | undefined));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

/** The JSON merge patch (RFC 7396) that turns `from` into `to`. */
export function mergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const patch: Record<string, Json> = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch[key] = null;
  for (const [key, value] of Object.entries(to)) {
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    if (isSame(before, value)) continue;
    patch[key] = isObject(before) && isObject(value) ? mergePatch(before, value) : value;
  }
  return patch;
}

/** `target` with a JSON merge patch applied. */
export function applyMergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else {
      const before = result[key];
      result[key] = isObject(value) ? applyMergePatch(isObject(before) ? before : {}, value) : value;
    }
  }
  return result;
}
