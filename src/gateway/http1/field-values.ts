import { isOws, MAX_LENGTH_DIGITS, parseContentLength, parseRequestLength, trimOws } from "../../lib/http/fields.ts";
import { latin1Text } from "../../lib/memory/latin1.ts";
import { RecurringTexts } from "../../lib/memory/recurring-texts.ts";

/**
 * Like `parseContentLength`, for the value between `start` and `end`; the usual form needs no slice. `isRequest`: like
 * `parseRequestLength`.
 */
export function lengthAt(bytes: Uint8Array, start: number, end: number, isRequest: boolean): number {
  const from = bytes[start] === 0x20 ? start + 1 : start;
  const isPlain = end > from && end - from <= MAX_LENGTH_DIGITS && (bytes[from] !== 0x30 || end === from + 1);
  if (!isPlain) return unusualLength(latin1Text(bytes, from, end), isRequest);
  let length = 0;
  for (let i = from; i < end; i++) {
    const digit = (bytes[i] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return unusualLength(latin1Text(bytes, from, end), isRequest);
    length = length * 10 + digit;
  }
  return length;
}

const hosts = new RecurringTexts();

/** The host between `start` and `end`, without the white space around it. */
export function hostAt(bytes: Uint8Array, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isOws(bytes[from])) from++;
  while (to > from && isOws(bytes[to - 1])) to--;
  return hosts.text(bytes, from, to);
}

function unusualLength(text: string, isRequest: boolean): number {
  const value = trimOws(text);
  return isRequest ? parseRequestLength(value) : parseContentLength(value);
}
