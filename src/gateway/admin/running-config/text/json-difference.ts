/** The difference of two JSON values as a short JSON Patch (RFC 6902). Named items of lists match by name. */
import { isObject, type JsonRecord } from "../../../../lib/is-object.ts";
import { type Steps } from "../../../../lib/slices.ts";
import { listName } from "../../../config/secrets.ts";
import { type PatchOperation } from "../../shapes/common.ts";

type Path = readonly (string | number)[];

/** Returns the value to show in place of `value`; `path` is its place. */
export type Show = (value: unknown, path: Path) => unknown;

/** Operations of one difference between two configurations. The others are left out. */
const MAX_DIFFERENCE = 1000;
/** Characters of the operations of one difference as JSON. The first one beyond them, and all after it, are left out. */
const MAX_DIFFERENCE_TEXT = 1_048_576;

/** The operations that turn `before` into `after`, up to MAX_DIFFERENCE and MAX_DIFFERENCE_TEXT. */
export function* differenceSteps(before: unknown, after: unknown, show: Show): Steps<PatchOperation[]> {
  const operations: PatchOperation[] = [];
  yield* new Comparison(show, operations).values(before, after, []);
  return operations;
}

/** `["routes", 2, "a/b"]` becomes `/routes/2/a~1b` (RFC 6901). */
export function pointerTo(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

class Comparison {
  readonly #show: Show;
  readonly #operations: PatchOperation[];
  #room = MAX_DIFFERENCE_TEXT;

  constructor(show: Show, operations: PatchOperation[]) {
    this.#show = show;
    this.#operations = operations;
  }

  *values(before: unknown, after: unknown, path: Path): Steps<void> {
    if (Object.is(before, after) || this.#isFull) return;
    yield;
    if (isObject(before) && isObject(after)) yield* this.#records(before, after, path);
    else if (Array.isArray(before) && Array.isArray(after)) yield* this.#lists(before, after, path);
    else this.#put("replace", after, path);
  }

  get #isFull(): boolean {
    return this.#operations.length >= MAX_DIFFERENCE || this.#room <= 0;
  }

  #put(op: "add" | "replace", value: unknown, path: Path): void {
    if (!this.#isFull) this.#tell({ op, path: pointerTo(path), value: this.#show(value, path) });
  }

  #remove(path: Path): void {
    if (!this.#isFull) this.#tell({ op: "remove", path: pointerTo(path) });
  }

  #tell(operation: PatchOperation): void {
    this.#room -= JSON.stringify(operation).length;
    if (this.#room >= 0) this.#operations.push(operation);
  }

  *#records(before: JsonRecord, after: JsonRecord, path: Path): Steps<void> {
    for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) this.#remove([...path, key]);
    for (const [key, value] of Object.entries(after)) {
      if (Object.hasOwn(before, key)) yield* this.values(before[key], value, [...path, key]);
      else this.#put("add", value, [...path, key]);
    }
  }

  *#lists(before: readonly unknown[], after: readonly unknown[], path: Path): Steps<void> {
    const { head, tail } = sharedEnds(before, after);
    const [old, next] = [before, after].map((list) => list.slice(head, list.length - tail)) as [unknown[], unknown[]];
    const pairs = pairsOf(old, next);
    yield;
    const stays = new Set(longestRise(pairs));
    for (let i = old.length - 1; i >= 0; i--) if (!stays.has(i)) this.#remove([...path, head + i]);
    for (const [i, from] of pairs.entries()) {
      if (stays.has(from)) yield* this.values(old[from], next[i], [...path, head + i]);
      else this.#put("add", next[i], [...path, head + i]);
    }
  }
}

/** The numbers of unchanged items at the start and at the end of two lists. */
function sharedEnds(
  before: readonly unknown[],
  after: readonly unknown[],
): { readonly head: number; readonly tail: number } {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && Object.is(before[head], after[head])) head++;
  let tail = 0;
  while (tail < most - head && Object.is(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  return { head, tail };
}

/** For each item of a list, its index in the list before; -1 if it is new. */
export function pairsOf(before: readonly unknown[], after: readonly unknown[]): number[] {
  const pairs = after.map(() => -1);
  const free = new Set(before.keys());
  // Equal items first, because several items can have one name.
  for (const keyOf of [(item: unknown) => JSON.stringify(item), listName]) {
    const indexes = Map.groupBy(free, (i) => keyOf(before[i]));
    for (const [i, item] of after.entries()) {
      const key = pairs[i] === -1 ? keyOf(item) : undefined;
      const index = key === undefined ? undefined : indexes.get(key)?.shift();
      if (index === undefined) continue;
      pairs[i] = index;
      free.delete(index);
    }
  }
  // An item without a name is a change of the item that follows the same neighbour.
  for (const i of after.keys()) {
    const next = (pairs[i - 1] ?? -1) + 1;
    const isUnnamed = listName(after[i]) === undefined && listName(before[next]) === undefined;
    if (pairs[i] === -1 && isUnnamed && free.delete(next)) pairs[i] = next;
  }
  return pairs;
}

/** The longest increasing subsequence of a list of distinct numbers. -1 is left out. */
export function longestRise(numbers: readonly number[]): number[] {
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
