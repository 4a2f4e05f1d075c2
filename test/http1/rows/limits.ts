/** Well-formed requests that exceed a limit, or ask for an unsupported feature. */
import { accepted, cut, declined, head, LIMITS, post, refused, type Row, SMUGGLED } from "./row.ts";

const { max_header_bytes: HEAD, max_header_count: COUNT, max_body_bytes: BODY } = LIMITS;

function fields(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `X-${i}: y`);
}

/** A head of `bytes` bytes in all. */
function headOf(bytes: number): string {
  const empty = head("GET /x HTTP/1.1", "X: ").length;
  return head("GET /x HTTP/1.1", `X: ${"y".repeat(bytes - empty)}`);
}

export const LIMIT_ROWS: readonly Row[] = [
  refused("a request line over the limit", head(`GET /${"x".repeat(HEAD)} HTTP/1.1`), 414),
  refused("a request line over the limit that never ends", `GET /${"x".repeat(HEAD * 2)}`, 414),
  refused("a query over the limit", head(`GET /x?${"y".repeat(HEAD)} HTTP/1.1`), 414),
  refused("a value over the limit", headOf(HEAD * 2), 431),
  refused(
    "a value over the limit that never ends",
    `GET /x HTTP/1.1\r\nHost: a.test\r\nX: ${"y".repeat(HEAD * 2)}`,
    431,
  ),
  refused("a name over the limit", head("GET /x HTTP/1.1", `${"X".repeat(HEAD)}: y`), 431),
  refused(
    "many small fields over the limit",
    head("GET /x HTTP/1.1", ...fields(COUNT - 2).map((f) => f + "z".repeat(150))),
    431,
  ),
  refused("one field too many", head("GET /x HTTP/1.1", ...fields(COUNT)), 431),
  refused("far too many fields", head("GET /x HTTP/1.1", ...fields(COUNT * 8)), 431),
  accepted("the maximum number of fields", head("GET /x HTTP/1.1", ...fields(COUNT - 1)), "GET /x"),
  accepted("a head a little under the limit", headOf(HEAD - 64), "GET /x"),
  declined("a length over the limit", post([`Content-Length: ${BODY + 1}`], "x".repeat(BODY + 1)), 413),
  declined("a length far over the limit", post(["Content-Length: 999999999999"], ""), 413),
  declined("a length of 2^53 - 1", post(["Content-Length: 9007199254740991"], ""), [400, 413]),
  cut(
    "one chunk over the limit",
    post(
      ["Transfer-Encoding: chunked"],
      `${(BODY + 1).toString(16)}\r\n${"x".repeat(BODY + 1)}\r\n0\r\n\r\n${SMUGGLED}`,
    ),
    413,
  ),
  cut(
    "many chunks over the limit",
    post(["Transfer-Encoding: chunked"], `${"1\r\nx\r\n".repeat(BODY + 1)}0\r\n\r\n${SMUGGLED}`),
    413,
  ),
  accepted(
    "a body of exactly the limit",
    post([`Content-Length: ${BODY}`], "x".repeat(BODY)),
    `POST /x ${"x".repeat(BODY)}`,
  ),
  accepted(
    "chunks of exactly the limit",
    post(["Transfer-Encoding: chunked"], `${BODY.toString(16)}\r\n${"x".repeat(BODY)}\r\n0\r\n\r\n`),
    `POST /x ${"x".repeat(BODY)}`,
  ),
  declined("an unknown expectation", head("GET /x HTTP/1.1", "Expect: tea"), 417),
  declined(
    "an unknown expectation beside the known one",
    post(["Expect: 100-continue, tea", "Content-Length: 5"], "hello"),
    417,
  ),
];
