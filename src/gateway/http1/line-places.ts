import { type Fields } from "../../lib/http/fields.ts";
import { joined } from "../../lib/memory/flat-text.ts";
import { latin1Text } from "../../lib/memory/latin1.ts";

/** Numbers for the place of a line: its start, the end of its name, and its end. */
export const LINE_NUMBERS = 3;

/** The lines at the first `count` numbers of `places`. */
export function linesText(bytes: Uint8Array, places: readonly number[], count: number): Fields {
  let text = "";
  for (let i = 0; i < count; ) {
    const start = places[i] ?? 0;
    // Lines that follow each other are one text.
    let end = start;
    while (i < count && places[i] === end) {
      end = places[i + 2] ?? 0;
      i += LINE_NUMBERS;
    }
    text = joined(text, latin1Text(bytes, start, end));
  }
  return text;
}

/**
 * The bit of a name with this length. Most names that the gateway looks for are absent. If the bit of such a name is not
 * set, no line has to be read (bench http1).
 */
export function lengthBit(length: number): number {
  return 1 << (length & 31);
}
