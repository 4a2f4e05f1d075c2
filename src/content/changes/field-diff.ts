import { isObject } from "../../lib/is-object.ts";

/** Changed fields that are reported. @operator Further ones are left out, and the report is marked as truncated. */
const MAX_FIELDS = 500;
/** Objects and arrays within each other that are compared by their members; deeper ones are compared as a whole. */
const MAX_DEPTH = 32;

/** A member of a JSON text that has changed. `before` or `after` is absent if the member is. */
export interface FieldChange {
  /** A JSON Pointer (RFC 6901); empty for the whole text. */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The members that differ between two JSON values. */
export function fieldDiff(
  before: unknown,
  after: unknown,
): { readonly fields: FieldChange[]; readonly isCut: boolean } {
  const fields: FieldChange[] = [];
  let isCut = false;
  const compare = (path: string, old: unknown, now: unknown, depth: number): void => {
    if (Bun.deepEquals(old, now, true)) return;
    const members = depth < MAX_DEPTH ? membersOf(old, now) : undefined;
    if (members === undefined) {
      if (fields.length >= MAX_FIELDS) isCut = true;
      else {
        fields.push({
          path,
          ...(old === undefined ? {} : { before: old }),
          ...(now === undefined ? {} : { after: now }),
        });
      }
      return;
    }
    for (const [name, one, other] of members) {
      if (isCut) return;
      compare(`${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, one, other, depth + 1);
    }
  };
  compare("", before, after, 0);
  return { fields, isCut };
}

/** The members of two objects or two arrays by their names. Undefined for other values. */
function membersOf(old: unknown, now: unknown): [name: string, old: unknown, now: unknown][] | undefined {
  if (Array.isArray(old) && Array.isArray(now)) {
    return Array.from({ length: Math.max(old.length, now.length) }, (_, at) => [String(at), old[at], now[at]]);
  }
  if (!isObject(old) || !isObject(now)) return undefined;
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].map((name) => [name, old[name], now[name]]);
}
