import { latin1Text } from "../../lib/memory/latin1.ts";
import { type HeadError } from "../exchange/refusal.ts";

/** As bytes: for a text, the search takes twice as long. */
const EMPTY_LINE = Buffer.from("\r\n\r\n");
const { indexOf } = Buffer.prototype;

/** The index of the first CRLF and empty line from `from` on; -1 if they are not there. */
export function headEnd(chunk: Buffer, from: number): number {
  return indexOf.call(chunk, EMPTY_LINE, from);
}

/**
 * Bytes that are searched first for the end of a head. Nearly all heads are shorter. Text of a whole read of 64 KiB costs
 * as much as relaying it.
 */
const FIRST_LOOK_BYTES = 2048;

/**
 * The latin1 text in which the end of a head is searched: the earlier part, and the chunk from `offset` on. It has no more
 * of the chunk than necessary, and at most `limit` characters in total.
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

/** Characters that no head may contain. An unfinished head with one of them is refused at once, not only after the timeout. */
const HOPELESS = /(?:^|[^\r])\n|\r[^\n]|[^\t\r\n\x20-\x7e\x80-\xff]/g;

/** Whether a head that is unfinished cannot become valid. The `seen` characters before the rest were searched earlier. */
export function isHopeless(text: string, seen: number): boolean {
  // Otherwise 16 KiB that arrive byte by byte would cost 260 ms of CPU in place of 150.
  HOPELESS.lastIndex = Math.max(0, seen - 1);
  return HOPELESS.test(text);
}

/**
 * Why a request head that is unfinished, or longer than `limit` bytes, is refused. Undefined if it may still become valid.
 * The head begins at `start` of the text and ends at `end` (-1: not yet); `seen` characters were received earlier.
 */
export function unfinishedHeadError(
  text: string,
  { start, end, seen, limit }: { start: number; end: number; seen: number; limit: number },
): HeadError | undefined {
  if (text.length - start > limit) {
    const lineEnd = text.indexOf("\r\n", start);
    const isLongLine = lineEnd === -1 ? end === -1 : lineEnd - start > limit;
    const detail = `the request line is longer than ${limit} bytes`;
    const isLongMethod = isLongLine && !text.slice(start, start + limit).includes(" ");
    if (isLongLine) return { code: isLongMethod ? "bad-request" : "uri-too-long", detail };
    return { code: "head-too-large", detail: `the request head is larger than ${limit} bytes` };
  }
  return isHopeless(text, seen) ? { code: "bad-request", detail: "malformed request head" } : undefined;
}
