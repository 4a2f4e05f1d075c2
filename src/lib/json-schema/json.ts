import { isObject } from "../is-object.ts";

/** A JSON value. Objects that `readJson` creates have no prototype. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/**
 * A text that is equal for two values exactly if JSON Schema considers the values equal: the order of members does not
 * matter. `spend` is called for each value within.
 */
export function canonical(value: Json, spend: (steps: number) => void): string {
  spend(1);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, spend)).join()}]`;
  if (!isObject(value)) {
    if (typeof value === "string") spend(value.length >> 4);
    // Minus zero is zero.
    return JSON.stringify(value === 0 ? 0 : value);
  }
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null, spend)}`).join()}}`;
}

/** A text unchanged, any other value as an empty text: the metaschema has already checked it. */
export function jsonText(value: Json): string {
  return typeof value === "string" ? value : "";
}

/** One step of a JSON pointer (RFC 6901). */
export function pointerStep(step: string | number): string {
  return `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The value at a JSON pointer, through own members only; undefined if it does not exist. */
export function valueAt(root: unknown, pointer: string): unknown {
  let at = root;
  for (const step of pointer.split("/").slice(1).map(fromPointerStep)) {
    at = Array.isArray(at) ? at[Number(step)] : isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at;
}

/** The name or index that one step of a JSON pointer stands for: the reverse of `pointerStep`, without its slash. */
export function fromPointerStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
