/** A command of a filter may have this many bytes. */
const MAX_COMMAND_BYTES = 4095;

const LF = 0x0a;
const CR = 0x0d;
/** Ends the output of a reply. */
export const RECORD_SEPARATOR = 0x1e;
const SPACE = 0x20;
const TAB = 0x09;
const UNDERSCORE = 0x5f;

/**
 * Why a filter's bytes are no command for the control socket; undefined where they are one. A command is one line, and what
 * begins with two underscores is the gateway's own.
 */
export function commandFault(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return "it is empty";
  if (bytes.length > MAX_COMMAND_BYTES) return `it has more than ${MAX_COMMAND_BYTES} bytes`;
  if (bytes.includes(LF) || bytes.includes(CR)) return "it has a line break in it";
  if (bytes.includes(RECORD_SEPARATOR)) return "it has the byte 0x1e in it";
  const start = bytes.findIndex((byte) => byte !== SPACE && byte !== TAB);
  if (start === -1) return "it is blank";
  if (bytes[start] === UNDERSCORE && bytes[start + 1] === UNDERSCORE) return "it begins with __";
  return undefined;
}
