/**
 * The difference of two JSON values as a short JSON Patch (RFC 6902). Items of lists are matched by name if they have
 * names.
 */
import { isObject, type JsonRecord } from "../../../lib/is-object.ts";
import { listName } from "../../config/secrets.ts";
import { type JsonPatchOperation } from "./running-config.ts";

type Path = readonly (string | number)[];

/** Returns the value to show in place of `value`; `path` is its place. */
export type Show = (value: unknown, path: Path) => unknown;

/** The operations that turn `before` into `after`. */
export function jsonDifference(before: unknown, after: unknown, show: Show): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  new Comparison(show, operations).values(before, after, []);
  return operations;
}

/** `["routes", 2, "a/b"]` becomes `/routes/2/a~1b` (RFC 6901). */
export function pointerTo(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

class Comparison {
  readonly #show: Show;
  readonly #operations: JsonPatchOperation[];

  constructor(show: Show, operations: JsonPatchOperation[]) {
    this.#show = show;
    this.#operations = operations;
  }

  values(before: unknown, after: unknown, path: Path): void {
    if (Object.is(before, after)) return;
    if (isObject(before) && isObject(after)) this.#records(before, after, path);
    else if (Array.isArray(before) && Array.isArray(after)) this.#lists(before, after, path);
    else this.#put("replace", after, path);
  }

  #put(op: "add" | "replace", value: unknown, path: Path): void {
    this.#operations.push({ op, path: pointerTo(path), value: this.#show(value, path) });
  }

  #remove(path: Path): void {
    this.#operations.push({ op: "remove", path: pointerTo(path) });
  }

  #records(before: JsonRecord, after: JsonRecord, path: Path): void {
    for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) this.#remove([...path, key]);
    for (const [key, value] of Object.entries(after)) {
      if (Object.hasOwn(before, key)) this.values(before[key], value, [...path, key]);
      else this.#put("add", value, [...path, key]);
    }
  }

  #lists(before: readonly unknown[], after: readonly unknown[], path: Path): void {
    const pairs = pairsOf(before, after);
    const stays = new Set(longestRise(pairs));
    for (let i = before.length - 1; i >= 0; i--) if (!stays.has(i)) this.#remove([...path, i]);
    for (const [i, old] of pairs.entries()) {
      if (stays.has(old)) this.values(before[old], after[i], [...path, i]);
      else this.#put("add", after[i], [...path, i]);
    }
  }
}

/** For each item of a list, its index in the list before; -1 if it is new. */
export function pairsOf(before: readonly unknown[], after: readonly unknown[]): number[] {
  const indexes = indexesOf(before);
  if (indexes === undefined || indexesOf(after) === undefined) return pairsByIndex(before, after);
  return after.map((item) => indexes.get(listName(item) ?? "") ?? -1);
}

/** Matches equal items at the start and the end. The items between them are matched in their order. */
function pairsByIndex(before: readonly unknown[], after: readonly unknown[]): number[] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && isSame(before[head], after[head])) head++;
  let tail = 0;
  while (tail < most - head && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const shift = before.length - after.length;
  return after.map((_, i) => {
    if (i >= after.length - tail) return i + shift;
    return i < before.length - tail ? i : -1;
  });
}

/** The indexes of items by name; undefined if an item has no name, or two items have the same name. */
function indexesOf(items: readonly unknown[]): ReadonlyMap<string, number> | undefined {
  const indexes = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const name = listName(item);
    if (name === undefined || indexes.has(name)) return undefined;
    indexes.set(name, i);
  }
  return indexes;
}

/** The longest increasing subsequence of a list of distinct numbers. -1 is left out. */
function longestRise(numbers: readonly number[]): number[] {
  /** The last number of the best subsequence of each length. */
  const ends: number[] = [];
  const before = new Map<number, number | undefined>();
  for (const number of numbers) {
    if (number < 0) continue;
    let low = 0;
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((ends[middle] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    before.set(number, ends[low - 1]);
    ends[low] = number;
  }
  const rise: number[] = [];
  for (let last = ends.at(-1); last !== undefined; last = before.get(last)) rise.push(last);
  return rise;
}

/** True if two JSON values are equal. The order of keys does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}
