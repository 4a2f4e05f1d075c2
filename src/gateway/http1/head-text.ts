import { latin1Text } from "../../lib/latin1.ts";
import { type HeadFault } from "../refusal.ts";

/** Bytes looked at first for a head's end. Nearly all heads are shorter, and text of a whole 64 KiB read costs as much as relaying it. */
const FIRST_LOOK_BYTES = 2048;

/**
 * The latin1 text in which a head's end is to be looked for: what came before, and the chunk from `offset` on, no more of
 * it than is needed and than makes `limit` characters.
 */
export function headText(partial: string, chunk: Buffer, offset: number, limit: number): string {
  const most = Math.min(chunk.length, offset + limit - partial.length);
  const first = Math.min(most, offset + FIRST_LOOK_BYTES);
  const text = partial === "" ? latin1Text(chunk, offset, first) : partial + latin1Text(chunk, offset, first);
  // An empty line before the head is not its end.
  const from = Math.max(text.startsWith("\r\n") ? 2 : 0, partial.length - 3);
  if (first === most || text.includes("\r\n\r\n", from)) return text;
  return text + latin1Text(chunk, first, most);
}

/** What no head can hold: looked for in one that has not ended, so that it is refused at once and not when time is up. */
const HOPELESS = /(?:^|[^\r])\n|\r[^\n]|[^\t\r\n\x20-\x7e\x80-\xff]/g;

/**
 * Why a request head that is not whole, or longer than `limit` bytes, is refused; undefined where it may still become
 * one. It begins at `start` of the text, its end was found at `end` (-1: not yet), and `seen` characters came before.
 */
export function unfinishedHeadFault(
  text: string,
  { start, end, seen, limit }: { start: number; end: number; seen: number; limit: number },
): HeadFault | undefined {
  if (text.length - start > limit) {
    const lineEnd = text.indexOf("\r\n", start);
    const isLongLine = lineEnd === -1 ? end === -1 : lineEnd - start > limit;
    const detail = `the request line is longer than ${limit} bytes`;
    const isLongMethod = isLongLine && !text.slice(start, start + limit).includes(" ");
    if (isLongLine) return { code: isLongMethod ? "bad-request" : "uri-too-long", detail };
    return { code: "head-too-large", detail: `the request head is larger than ${limit} bytes` };
  }
  // What came before was looked through then: else 16 KiB that come byte by byte cost 260 ms of CPU and not 150.
  HOPELESS.lastIndex = Math.max(0, seen - 1);
  return HOPELESS.test(text) ? { code: "bad-request", detail: "malformed request head" } : undefined;
}
