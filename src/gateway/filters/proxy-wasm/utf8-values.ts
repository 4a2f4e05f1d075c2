import { isUtf8 } from "node:buffer";
import { eachField, fieldLine, type Fields } from "../../../lib/fields.ts";

const BEYOND_ASCII = /[\x80-\xff]/;

/** Values that filters see in another form than clients have sent them in: by the form that filters see. */
export type Originals = ReadonlyMap<string, string>;

const NONE: Originals = new Map();

/**
 * The fields with every value in valid UTF-8, as latin1 text. Filters of the Rust SDK trap on any other, with all requests that
 * their instance has: so one byte of a client's would end the requests of others.
 */
export function asUtf8(fields: Fields): { readonly fields: Fields; readonly originals: Originals } {
  if (!BEYOND_ASCII.test(fields)) return { fields, originals: NONE };
  const originals = new Map<string, string>();
  let sound = "";
  for (const [name, value] of eachField(fields)) {
    const safe = utf8Of(value);
    if (safe !== value) originals.set(safe, value);
    sound += fieldLine(name, safe);
  }
  return { fields: sound, originals };
}

/** The value itself where its bytes are UTF-8; else each of its bytes as the character that it is in latin1. */
function utf8Of(value: string): string {
  if (!BEYOND_ASCII.test(value) || isUtf8(Buffer.from(value, "latin1"))) return value;
  return Buffer.from(value, "utf8").toString("latin1");
}
