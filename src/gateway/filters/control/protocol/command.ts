/** Maximum number of bytes of a filter's command. */
const MAX_COMMAND_BYTES = 4095;

const LF = 0x0a;
const CR = 0x0d;
/** Ends the output of a reply. */
export const RECORD_SEPARATOR = 0x1e;
const SPACE = 0x20;
const TAB = 0x09;
const UNDERSCORE = 0x5f;

/**
 * The reason if a filter's bytes are not a valid command for the control socket; otherwise undefined. A command is one
 * line. Commands that begin with two underscores are reserved for the gateway.
 */
export function commandError(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return "it is empty";
  if (bytes.length > MAX_COMMAND_BYTES) return `it has more than ${MAX_COMMAND_BYTES} bytes`;
  if (bytes.includes(LF) || bytes.includes(CR)) return "it has a line break in it";
  if (bytes.includes(RECORD_SEPARATOR)) return "it has the byte 0x1e in it";
  const start = bytes.findIndex((byte) => byte !== SPACE && byte !== TAB);
  if (start === -1) return "it is blank";
  if (bytes[start] === UNDERSCORE && bytes[start + 1] === UNDERSCORE) return "it begins with __";
  return undefined;
}
