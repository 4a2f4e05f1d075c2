import { isUtf8 } from "node:buffer";
import { eachField, fieldLine, type Fields } from "../../../../lib/http/fields.ts";

const BEYOND_ASCII = /[\x80-\xff]/;

/** The clients' values of fields that filters see in another form, by the form that filters see. */
export type Originals = ReadonlyMap<string, string>;

/**
 * Converts every value to valid UTF-8, as latin1 text. Filters of the Rust SDK trap on any other value, which ends all
 * requests of their instance. So one byte from one client would end the requests of others.
 */
export function asUtf8(fields: Fields): { readonly fields: Fields; readonly originals: Originals } {
  const originals = new Map<string, string>();
  let sound = "";
  for (const [name, value] of eachField(fields)) {
    const safe = utf8Of(value);
    if (safe !== value) originals.set(safe, value);
    sound += fieldLine(name, safe);
  }
  return { fields: sound, originals };
}

/** The value itself if its bytes are UTF-8. Otherwise each byte becomes its latin1 character. */
function utf8Of(value: string): string {
  if (!BEYOND_ASCII.test(value) || isUtf8(Buffer.from(value, "latin1"))) return value;
  return Buffer.from(value, "utf8").toString("latin1");
}
