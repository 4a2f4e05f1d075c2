/** Buffers have these methods in Node and in Bun, but the types do not include them. */
interface Latin1Methods {
  readonly latin1Slice: (this: Uint8Array, start: number, end: number) => string;
  readonly latin1Write: (this: Uint8Array, text: string, offset: number) => number;
}

// `toString("latin1")` and `write(…, "latin1")` do the same more slowly (bench http1).
const { latin1Slice, latin1Write } = Buffer.prototype as unknown as Latin1Methods;

/** The bytes from `start` to `end` as text, one character a byte. */
export function latin1Text(bytes: Uint8Array, start: number, end: number): string {
  return latin1Slice.call(bytes, start, end);
}

/** True if `text` is at `start` of the bytes. */
export function isLatin1At(bytes: Uint8Array, start: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Up to this length, a loop over characters beats a call of the runtime, of 20 ns and cold code (bench http1). */
const SHORT = 40;

/** Writes latin1 text at `offset`. The text must fit. Returns the bytes written. */
export function writeLatin1(bytes: Uint8Array, text: string, offset: number): number {
  const { length } = text;
  if (length > SHORT) return latin1Write.call(bytes, text, offset);
  for (let i = 0; i < length; i++) bytes[offset + i] = text.charCodeAt(i);
  return length;
}

/** True if each character is ASCII. */
export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
