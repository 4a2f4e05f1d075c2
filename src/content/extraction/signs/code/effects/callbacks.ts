import { type Value } from "../values/value.ts";

/** The arguments of a callback, as far as they are known: `elements.forEach((element) => …)`. */
export function callbackArguments(object: Value, key: string, args: readonly Value[], index: number): readonly Value[] {
  const [first] = args;
  if (object.is === "elements" && /^(?:forEach|map|filter|some|every|find)$/.test(key)) return [object];
  return index === 1 && first?.is === "elements" && key === "call" ? [first] : [];
}

/** The arguments of a call. The elements of the list at the index `spread` are all the same. */
export function spreadArguments(args: readonly Value[], spread: number): readonly Value[] {
  const inner = args[spread];
  return inner === undefined ? args : [...args.slice(0, spread), inner, inner, inner];
}
