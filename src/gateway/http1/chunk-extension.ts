import { isTokenCode } from "./head-bytes.ts";

/** The position of the next byte within a chunk's extensions. */
export type ExtensionState = number;

/** After white space that follows a size or a complete extension: only another extension may follow. */
const BEFORE_SEMICOLON = 0;
const NAME_START = 1;
const NAME = 2;
const BEFORE_EQUALS = 3;
const VALUE_START = 4;
const VALUE = 5;
const QUOTED = 6;
const ESCAPED = 7;
const QUOTE_CLOSED = 8;
/** The byte is not allowed at its position. */
export const BAD_EXTENSION = -1;

/** The states after a semicolon, and after white space in its place. */
export const EXTENSION_BEGINS: ExtensionState = NAME_START;
export const EXTENSION_AWAITED: ExtensionState = BEFORE_SEMICOLON;

const TAB = 0x09;
const SPACE = 0x20;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The state after one more byte of a chunk's extensions (RFC 9112 §7.1.1). CR is not part of them.
 *
 *   *( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )
 */
export function nextExtensionState(state: ExtensionState, code: number): ExtensionState {
  const isSpace = code === SPACE || code === TAB;
  switch (state) {
    case BEFORE_SEMICOLON:
      return isSpace ? BEFORE_SEMICOLON : semicolon(code);
    case NAME_START:
      if (isSpace) return NAME_START;
      return isTokenCode(code) ? NAME : BAD_EXTENSION;
    case NAME:
      if (isTokenCode(code)) return NAME;
      return isSpace ? BEFORE_EQUALS : equalsOrSemicolon(code);
    case BEFORE_EQUALS:
      return isSpace ? BEFORE_EQUALS : equalsOrSemicolon(code);
    case VALUE_START:
      if (isSpace) return VALUE_START;
      if (code === QUOTE) return QUOTED;
      return isTokenCode(code) ? VALUE : BAD_EXTENSION;
    case VALUE:
      if (isTokenCode(code)) return VALUE;
      return isSpace ? BEFORE_SEMICOLON : semicolon(code);
    case QUOTED:
      if (code === QUOTE) return QUOTE_CLOSED;
      return code === BACKSLASH ? ESCAPED : QUOTED;
    case ESCAPED:
      return QUOTED;
    default:
      return isSpace ? BEFORE_SEMICOLON : semicolon(code);
  }
}

function semicolon(code: number): ExtensionState {
  return code === SEMICOLON ? NAME_START : BAD_EXTENSION;
}

function equalsOrSemicolon(code: number): ExtensionState {
  return code === EQUALS ? VALUE_START : semicolon(code);
}

/** True if the line may end in this state. */
export function isExtensionEnd(state: ExtensionState): boolean {
  return state === NAME || state === VALUE || state === QUOTE_CLOSED;
}
