import { isObject, type JsonRecord } from "../../../lib/is-object.ts";
import { knowsKeyAt } from "../../config/known-keys.ts";
import { listName } from "../../config/secrets.ts";
import { pairsOf } from "./text/json-difference.ts";

type Path = readonly (string | number)[];

/**
 * The document with the keys that another program has added to the file. Such keys are unknown to the configuration,
 * and were not in the file when it was last read or written (`saved`). Values that the document already has stay.
 */
export function withAddedKeys(document: unknown, theirs: unknown, saved: unknown, path: Path = []): unknown {
  if (isObject(document) && isObject(theirs)) return withKeysOf(document, theirs, isObject(saved) ? saved : {}, path);
  if (!Array.isArray(document) || !Array.isArray(theirs) || !areNamed(document) || !areNamed(theirs)) return document;
  const pairedWith = (list: readonly unknown[]): unknown[] => pairsOf(list, document).map((at) => list[at]);
  const [there, before] = [pairedWith(theirs), pairedWith(Array.isArray(saved) ? saved : [])];
  return document.map((item: unknown, i) => withAddedKeys(item, there[i], before[i], [...path, i]));
}

// oxlint-disable-next-line eslint/max-params -- three documents and their place
function withKeysOf(document: JsonRecord, theirs: JsonRecord, saved: JsonRecord, path: Path): JsonRecord {
  const merged: Record<string, unknown> = { ...document };
  for (const [key, value] of Object.entries(theirs)) {
    const isAdded = !Object.hasOwn(saved, key) && !knowsKeyAt(path, key);
    if (Object.hasOwn(document, key)) merged[key] = withAddedKeys(document[key], value, saved[key], [...path, key]);
    else if (isAdded) merged[key] = value;
  }
  return merged;
}

/** After a change of the list, items without names cannot be matched. */
function areNamed(list: readonly unknown[]): boolean {
  return list.every((item) => listName(item) !== undefined);
}
