/** One request as bytes, and its allowed results. */
export interface Row {
  readonly name: string;
  /** latin1: one character for each byte. */
  readonly bytes: string;
  /** Several if the RFCs allow a choice. */
  readonly status: number | readonly number[];
  /**
   * "either" if neither the design nor the RFCs require one. In any case the connection must not lose synchronization.
   */
  readonly closed: boolean | "either";
  /**
   * The requests that reached the origin completely, as `METHOD target body`. "nothing": no byte arrived. "incomplete":
   * bytes may have been forwarded before the error, but no complete request.
   */
  readonly reached: readonly string[] | "nothing" | "incomplete";
  /** Bytes that the origin must not receive. */
  readonly never?: string;
}

/** The bytes that an attacker appends to a request, hoping that a server reads them as the next request. */
export const SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: a.test\r\n\r\n";

/** Refused because of the head: no byte reaches the origin, and the connection closes. */
export function refused(name: string, bytes: string, status: number | readonly number[] = 400): Row {
  return { name, bytes, status, closed: true, reached: "nothing" };
}

/** Refused with sound framing, so that the connection can continue. */
export function declined(name: string, bytes: string, status: number | readonly number[] = 400): Row {
  return { name, bytes, status, closed: "either", reached: "nothing" };
}

/** Refused in the body, after a part of it may have been forwarded. */
export function cut(name: string, bytes: string, status: number | readonly number[] = 400): Row {
  return { name, bytes, status, closed: true, reached: "incomplete", never: "/smuggled" };
}

export function accepted(name: string, bytes: string, reached: string): Row {
  return { name, bytes, status: 200, closed: false, reached: [reached] };
}

/** A request head with a Host. `fields` are whole lines without their CRLF. */
export function head(startLine: string, ...fields: readonly string[]): string {
  return `${[startLine, "Host: a.test", ...fields].join("\r\n")}\r\n\r\n`;
}

export function post(fields: readonly string[], body: string): string {
  return head("POST /x HTTP/1.1", ...fields) + body;
}

/** The limits of the gateway under test: small, so that rows that exceed them are short. */
export const LIMITS = { max_header_bytes: 4096, max_header_count: 32, max_body_bytes: 1024 };
