import { latin1Text } from "../../lib/latin1.ts";

/** Bytes looked at first for a head's end. Nearly all heads are shorter, and text of a whole 64 KiB read costs as much as relaying it. */
const FIRST_LOOK_BYTES = 2048;

/**
 * The latin1 text in which a head's end is to be looked for: what came before, and the chunk from `from` on, no more of
 * it than is needed and than makes `limit` characters.
 */
export function headText(partial: string, chunk: Buffer, from: number, limit: number): string {
  const most = Math.min(chunk.length, from + limit - partial.length);
  const first = Math.min(most, from + FIRST_LOOK_BYTES);
  const text = partial === "" ? latin1Text(chunk, from, first) : partial + latin1Text(chunk, from, first);
  if (first === most || text.includes("\r\n\r\n", partial.length - 3)) return text;
  return text + latin1Text(chunk, first, most);
}
