import { isObject } from "../../../lib/is-object.ts";
import { type Steps } from "../../../lib/slices.ts";
import { listName } from "../../config/secrets.ts";
import { isSame } from "../../../lib/is-same.ts";

/** `next` with equal sections and items of `before`, so that kept results of those objects count for both. */
export function* sharedSteps(next: unknown, before: unknown): Steps<unknown> {
  if (!isObject(next) || !isObject(before)) return next;
  const sections: [string, unknown][] = [];
  for (const [key, value] of Object.entries(next)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (Array.isArray(value) && Array.isArray(old)) sections.push([key, yield* sharedItems(value, old)]);
    else sections.push([key, isSame(value, old) ? old : value]);
  }
  return Object.fromEntries(sections);
}

/** Compares the items at the same index, and then those with the same name. */
function* sharedItems(items: readonly unknown[], before: readonly unknown[]): Steps<readonly unknown[]> {
  let byName: Map<string | undefined, unknown> | undefined;
  const shared: unknown[] = [];
  for (const [i, item] of items.entries()) {
    yield;
    let old = before[i];
    if (!isSame(item, old)) {
      byName ??= new Map(before.map((known) => [listName(known), known]));
      old = byName.get(listName(item));
    }
    shared.push(isSame(item, old) ? old : item);
  }
  const isWhole = shared.length === before.length && shared.every((item, i) => item === before[i]);
  return isWhole ? before : shared;
}
