export interface StatusLine {
  /** `0` for HTTP/1.0, `1` for HTTP/1.1. */
  readonly minor: "0" | "1";
  /** From 100 to 999. */
  readonly status: number;
}

/**
 * Parses a status line (RFC 9112 §4) without its line end. It is as lenient as browsers: the reason and its space may be
 * absent. Undefined if the line is not one of HTTP/1.
 */
export function parseStatusLine(line: string): StatusLine | undefined {
  const [, minor, digits] = /^HTTP\/1\.([01]) +([1-9]\d{2})(?: |$)/.exec(line) ?? [];
  if (digits === undefined) return undefined;
  return { minor: minor === "0" ? "0" : "1", status: Number(digits) };
}
