/** Bits of CLASS: the elements that a byte may be part of (RFC 9110 §5.6.2 and §5.5, RFC 3986 §2). */
const TOKEN = 1;
const VALUE = 2;
const TARGET = 4;

const HASH = 0x23;
const PERCENT = 0x25;
const DOT = 0x2e;
const SLASH = 0x2f;
const SEMICOLON = 0x3b;
const QUESTION_MARK = 0x3f;
const BACKSLASH = 0x5c;

const CLASS = new Uint8Array(256);
CLASS.fill(VALUE, 0x20);
CLASS.fill(VALUE | TARGET, 0x21, 0x7f);
CLASS[0x7f] = 0;
CLASS[0x09] = VALUE;
CLASS[HASH] = VALUE;
for (const char of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  CLASS[char.charCodeAt(0)] = (CLASS[char.charCodeAt(0)] ?? 0) | TOKEN;
}

/**
 * All scanned bytes end with CRLF. No class contains these characters, so the loop ends before the end of the bytes. A
 * single read beyond it would make the engine compile the whole function for the rare case, ten times as slow (bench
 * http1).
 */
function skip(bytes: Uint8Array, from: number, bit: number): number {
  let i = from;
  while (((CLASS[bytes[i] ?? 0] ?? 0) & bit) !== 0) i++;
  return i;
}

/** True for the code of a token character (RFC 9110 §5.6.2). */
export function isTokenCode(code: number): boolean {
  return ((CLASS[code] ?? 0) & TOKEN) !== 0;
}

/** The index of the first character from `from` on that is not a token character. */
export function skipToken(bytes: Uint8Array, from: number): number {
  return skip(bytes, from, TOKEN);
}

/** The result of `scanTarget`, valid until the next call. `#` ends a target, because a target cannot contain it. */
export const targetScan = { end: 0, pathEnd: 0, isRegular: true };

/**
 * Scans the request target at `from`. Finds the end of the target and of its path, and whether the path is already
 * normalised.
 */
export function scanTarget(bytes: Uint8Array, from: number): void {
  let i = from;
  let isRegular = true;
  for (;;) {
    const code = bytes[i] ?? 0;
    if (code === QUESTION_MARK || ((CLASS[code] ?? 0) & TARGET) === 0) break;
    if (code === SLASH) {
      const next = bytes[i + 1] ?? 0;
      if (next === SLASH || next === SEMICOLON || (next === DOT && !isNamedBehindDot(bytes[i + 2] ?? 0)))
        isRegular = false;
    } else if (code === PERCENT || code === BACKSLASH) isRegular = false;
    i++;
  }
  targetScan.pathEnd = i;
  targetScan.isRegular = isRegular;
  targetScan.end = skip(bytes, i, TARGET);
}

/** True if a segment that begins with a dot and this character is a name, as `.well-known` is. */
function isNamedBehindDot(code: number): boolean {
  return code !== DOT && isTokenCode(code);
}

/** The index of the first control character except tab from `from` on. */
export function fieldValueEnd(bytes: Uint8Array, from: number): number {
  return skip(bytes, from, VALUE);
}
