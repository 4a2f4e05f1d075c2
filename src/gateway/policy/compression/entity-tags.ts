import { eachField, fieldLine, type Fields, fieldValue } from "../../../lib/http/fields.ts";

/** RFC 9110 §8.8.3: a weak tag, and the strong tag in it. */
const WEAK_TAG = /W\/("[!\x23-\x7e\x80-\xff]*")/g;

/**
 * Adds the strong forms of weak tags to If-Match and If-None-Match, because a weak tag can be one that the gateway has
 * weakened. Each comparison of RFC 9110 §8.8.3.2 then has the same result as for uncompressed bytes. A tag that is weak
 * at the upstream still never satisfies If-Match.
 */
export function withStrongForms(fields: Fields): Fields {
  if (!/(?:^|\n)if-(?:none-)?match:[^\n]*W\//i.test(fields)) return fields;
  let edited = "";
  for (const [name, value] of eachField(fields)) {
    const isCondition = /^if-(?:none-)?match$/i.test(name);
    edited += fieldLine(name, isCondition ? value + strongForms(value) : value);
  }
  return edited;
}

function strongForms(list: string): string {
  let forms = "";
  for (const [, tag] of list.matchAll(WEAK_TAG)) forms += `, ${tag}`;
  return forms;
}

/** True if If-None-Match has the weak form of the strong `tag`: the gateway compressed that response. */
export function hasWeakForm(requestFields: Fields, tag: string): boolean {
  return fieldValue(requestFields, "if-none-match")?.includes(`W/${tag}`) === true;
}

/** Makes every ETag weak, because the bytes are no longer the upstream's (RFC 9110 §8.8.1). */
export function weakened(fields: Fields): Fields {
  return fields.replace(/(^|\n)(etag:[\t ]*)(?=")/gi, "$1$2W/");
}
