/** One request, as bytes, and all that may come of it. */
export interface Row {
  readonly name: string;
  /** latin1: one character a byte. */
  readonly bytes: string;
  /** Several where the RFCs leave the choice. */
  readonly status: number | readonly number[];
  /** "either" where neither the design nor the RFCs ask for one; the connection must be in step all the same. */
  readonly closed: boolean | "either";
  /**
   * The requests that reached the origin in full, as `METHOD target body`; "nothing": not a byte did; "incomplete":
   * bytes may have been passed on before the fault, but no request was completed.
   */
  readonly reached: readonly string[] | "nothing" | "incomplete";
  /** Bytes that the origin must not have seen. */
  readonly never?: string;
}

/** What an attacker puts behind a request in the hope that someone takes it for the next one. */
export const SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: a.test\r\n\r\n";

/** Refused from the head alone: not a byte reaches the origin, and the connection is of no more use. */
export function refused(name: string, bytes: string, status: number | readonly number[] = 400): Row {
  return { name, bytes, status, closed: true, reached: "nothing" };
}

/** Refused, where the framing is sound, so that the connection may go on. */
export function declined(name: string, bytes: string, status: number | readonly number[] = 400): Row {
  return { name, bytes, status, closed: "either", reached: "nothing" };
}

/** Refused in the body, part of which may have been passed on by then. */
export function cut(name: string, bytes: string, status: number | readonly number[] = 400): Row {
  return { name, bytes, status, closed: true, reached: "incomplete", never: "/smuggled" };
}

export function accepted(name: string, bytes: string, reached: string): Row {
  return { name, bytes, status: 200, closed: false, reached: [reached] };
}

/** A request head with a Host: `fields` are whole lines without their CRLF. */
export function head(startLine: string, ...fields: readonly string[]): string {
  return `${[startLine, "Host: a.test", ...fields].join("\r\n")}\r\n\r\n`;
}

export function post(fields: readonly string[], body: string): string {
  return head("POST /x HTTP/1.1", ...fields) + body;
}

/** The limits of the gateway under test: small, so that rows that break them are short. */
export const LIMITS = { max_header_bytes: 4096, max_header_count: 32, max_body_bytes: 1024 };
