import { isObject, type JsonRecord, ownMember } from "../../lib/is-object.ts";

export interface FieldsPage {
  readonly url: string;
  readonly fields: JsonRecord;
}

interface Merged {
  readonly data: JsonRecord;
  /** The pages with each field of the top, in the order of `pages`. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
}

/**
 * The fields of several pages as one object: of a list, the different items of all pages; of another field, the value of the
 * first page that has one. Members of objects are merged in the same way.
 */
export function merged(pages: readonly FieldsPage[]): Merged {
  const data = pages.reduce<JsonRecord>((all, { fields }) => objectOf(all, fields), {});
  const sources = Object.keys(data).map((name) => {
    const having = pages.filter(({ fields }) => hasValue(ownMember(fields, name)));
    return [name, having.map(({ url }) => url)] as const;
  });
  return { data, sources: Object.fromEntries(sources.filter(([, urls]) => urls.length > 0)) };
}

function objectOf(a: JsonRecord, b: JsonRecord): JsonRecord {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, valueOf(ownMember(a, name), ownMember(b, name))]));
}

function valueOf(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) return distinct([...a, ...b]);
  if (isObject(a) && isObject(b)) return objectOf(a, b);
  return hasValue(a) ? a : (b ?? a ?? null);
}

function distinct(items: readonly unknown[]): unknown[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** Whether a page states the field. In an object, fields that the page does not state are null. */
function hasValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.values(value).some(hasValue);
  return value !== null && value !== undefined;
}
