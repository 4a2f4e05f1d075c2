import { UNKNOWN, type Value } from "../values/value.ts";

/** The arguments of a callback, as far as they are known: `elements.forEach((element) => …)`. */
export function callbackArguments(object: Value, key: string, args: readonly Value[], index: number): readonly Value[] {
  const [first] = args;
  if (object.is === "elements") {
    if (/^(?:forEach|map|filter|some|every|find)$/.test(key)) return [object];
    if (key === "each") return [UNKNOWN, object];
  }
  if (index === 1 && first?.is === "elements") {
    if (key === "call") return [first];
    if (key === "each") return [UNKNOWN, first];
  }
  return key === "then" && object.is === "made" ? [object] : [];
}

/** The arguments of a call. The elements of the list at the index `spread` are all the same. */
export function spreadArguments(args: readonly Value[], spread: number): readonly Value[] {
  const inner = args[spread];
  return inner === undefined ? args : [...args.slice(0, spread), inner, inner, inner];
}
