import { eachField, fieldLine, type Fields, fieldValue } from "../../../lib/fields.ts";

/** RFC 9110 §8.8.3: a weak one, and the strong one in it. */
const WEAK_TAG = /W\/("[!\x23-\x7e\x80-\xff]*")/g;

/**
 * The weak tags that a client has from us may be strong ones of the upstream, which we weakened: its If-Match and
 * If-None-Match ask for both forms. Each comparison of RFC 9110 §8.8.3.2 then finds what it would find in plain bytes; a tag
 * that is weak at the upstream still never satisfies If-Match.
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

/** Whether a client's If-None-Match has the weak form of `tag`, a strong one: then what it has stored came from us compressed. */
export function hasWeakForm(requestFields: Fields, tag: string): boolean {
  return fieldValue(requestFields, "if-none-match")?.includes(`W/${tag}`) === true;
}

/** Every ETag line as a weak one: the bytes are no longer the upstream's (RFC 9110 §8.8.1). */
export function weakened(fields: Fields): Fields {
  return fields.replace(/(^|\n)(etag:[\t ]*)(?=")/gi, "$1$2W/");
}
