import { type Json } from "../../../../lib/json-schema/json.ts";
import { isObject } from "../../../../lib/is-object.ts";

/** Steps of a JSON pointer (RFC 6901). */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a pointer; undefined without such a value. */
export function valueAt(body: Json | undefined, steps: readonly string[]): Json | undefined {
  let value = body;
  for (const step of steps) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d{0,8})$/.test(step) ? value[Number(step)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** The number that a value stands for: itself, or the length of an array. */
export function numberOf(value: Json | undefined): number | undefined {
  if (Array.isArray(value)) return value.length;
  return typeof value === "number" ? value : undefined;
}
