/** Content-Length and Transfer-Encoding: the end of a body (RFC 9112 §6). */
import { accepted, head, post, refused, type Row, SMUGGLED } from "./row.ts";

const CHUNKED = "5\r\nhello\r\n0\r\n\r\n";

function length(value: string): string {
  return post([`Content-Length:${value}`], "hello");
}

function coding(line: string): string {
  return post([line], CHUNKED + SMUGGLED);
}

export const FRAMING: readonly Row[] = [
  // Both fields: the classic case of request smuggling.
  refused("Content-Length, then Transfer-Encoding", post(["Content-Length: 5", "Transfer-Encoding: chunked"], CHUNKED)),
  refused("Transfer-Encoding, then Content-Length", post(["Transfer-Encoding: chunked", "Content-Length: 5"], CHUNKED)),
  refused(
    "CL.TE: a length that covers a hidden request behind the last chunk",
    post([`Content-Length: ${5 + SMUGGLED.length}`, "Transfer-Encoding: chunked"], `0\r\n\r\n${SMUGGLED}`),
  ),
  refused(
    "TE.CL: a short length before a chunk that holds a request",
    post(
      ["Transfer-Encoding: chunked", "Content-Length: 4"],
      `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`,
    ),
  ),
  refused(
    "Content-Length of 0 beside Transfer-Encoding",
    post(["Content-Length: 0", "Transfer-Encoding: chunked"], CHUNKED),
  ),
  refused(
    "Content-Length beside an empty Transfer-Encoding",
    post(["Content-Length: 5", "Transfer-Encoding:"], "hello"),
  ),
  refused(
    "Content-Length beside an unknown coding",
    post(["Content-Length: 5", "Transfer-Encoding: x"], "hello"),
    [400, 501],
  ),
  refused(
    "Content-Length beside `identity`",
    post(["Content-Length: 5", "Transfer-Encoding: identity"], "hello"),
    [400, 501],
  ),

  // Values of Transfer-Encoding that only some servers read as chunked.
  refused("an unknown transfer coding", coding("Transfer-Encoding: xchunked"), 501),
  refused("a coding that is known but not served", coding("Transfer-Encoding: gzip, chunked"), 501),
  refused("a coding without chunked", coding("Transfer-Encoding: gzip"), [400, 501]),
  refused("chunked that is not last", coding("Transfer-Encoding: chunked, identity"), [400, 501]),
  refused("identity before chunked", coding("Transfer-Encoding: identity, chunked"), [400, 501]),
  refused("chunked twice in one line", coding("Transfer-Encoding: chunked, chunked")),
  refused("chunked in two lines", coding("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked")),
  refused(
    "chunked, then another line with identity",
    coding("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
    [400, 501],
  ),
  refused("chunked with a parameter", coding("Transfer-Encoding: chunked;q=1"), [400, 501]),
  refused("chunked in quotes", coding('Transfer-Encoding: "chunked"'), [400, 501]),
  refused("two codings without a comma", coding("Transfer-Encoding: chunked chunked"), [400, 501]),
  refused("an empty Transfer-Encoding", coding("Transfer-Encoding:"), [400, 501]),
  refused("a vertical tab before chunked", coding("Transfer-Encoding:\vchunked")),
  refused("a vertical tab behind chunked", coding("Transfer-Encoding: chunked\v")),
  refused("a form feed before chunked", coding("Transfer-Encoding:\fchunked")),
  refused("a no-break space before chunked", coding("Transfer-Encoding:\xa0chunked"), [400, 501]),
  refused("a NUL behind chunked", coding("Transfer-Encoding: chunked\0")),
  refused("a space before the colon of Transfer-Encoding", coding("Transfer-Encoding : chunked")),
  refused("a tab before the colon of Transfer-Encoding", coding("Transfer-Encoding\t: chunked")),
  refused("a Transfer-Encoding that is folded", coding("Transfer-Encoding:\r\n chunked")),
  refused("a Transfer-Encoding hidden in a folded line", coding("X: y\r\n Transfer-Encoding: chunked")),
  refused(
    "Transfer-Encoding in HTTP/1.0",
    `POST /x HTTP/1.0\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED}`,
  ),
  accepted("chunked in capitals", post(["Transfer-Encoding: CHUNKED"], CHUNKED), "POST /x hello"),
  accepted(
    "a tab before chunked, which is legal space",
    post(["Transfer-Encoding:\tchunked"], CHUNKED),
    "POST /x hello",
  ),
  accepted("spaces and tabs around chunked", post(["transfer-encoding: \t chunked \t "], CHUNKED), "POST /x hello"),

  // Content-Length.
  accepted(
    "two equal Content-Length lines",
    post(["Content-Length: 5", "Content-Length: 5"], "hello"),
    "POST /x hello",
  ),
  accepted("a list of equal lengths", length(" 5, 5"), "POST /x hello"),
  accepted("two spaces before the length", length("  5"), "POST /x hello"),
  accepted("a tab before the length", length("\t5"), "POST /x hello"),
  accepted("a space behind the length", length(" 5 "), "POST /x hello"),
  accepted("blanks on both sides of the length", length(" \t 5\t \t"), "POST /x hello"),
  refused("blanks around a zero before the length", length("\t05 ")),
  refused("only blanks as the length", length(" \t ")),
  refused("a no-break space behind the length", length(" 5\xa0")),
  accepted("no space before the length", length("5"), "POST /x hello"),
  refused("zeros before the length", length(" 0005")),
  refused("a zero before a length that is not an octal number", length(" 08")),
  refused("two zeros as the length", post(["Content-Length: 00"], "")),
  accepted("a length of 0", post(["Content-Length: 0"], ""), "POST /x"),
  accepted("no length and no coding: no body", head("POST /x HTTP/1.1"), "POST /x"),
  accepted("a body on GET", head("GET /x HTTP/1.1", "Content-Length: 5") + "hello", "GET /x hello"),
  refused("two differing lengths", post(["Content-Length: 5", "Content-Length: 6"], "hello!")),
  refused("a length and a shorter one behind it", post(["Content-Length: 45", "Content-Length: 0"], SMUGGLED)),
  refused("a list of differing lengths", length(" 5, 6")),
  refused("an empty length", length("")),
  refused("an empty list member in the lengths", length(" 5,")),
  refused("a length with a plus", length(" +5")),
  refused("a negative length", length(" -1")),
  refused("a length of minus zero", length(" -0")),
  refused("a hexadecimal length", length(" 0x5")),
  refused("a length with letters behind", length(" 5a")),
  refused("a length with a space inside", length(" 5 5")),
  refused("a fractional length", length(" 5.0")),
  refused("a length with an exponent", length(" 1e1")),
  refused("a length in quotes", length(' "5"')),
  refused("a length in digits that are not ASCII", length(" \xb2")),
  refused("a length with an underscore", length(" 1_0")),
  refused("a vertical tab behind the length", length(" 5\v")),
  refused("a length over 2^64", length(" 18446744073709551621"), [400, 413]),
  refused("a length of 400 digits", length(` ${"9".repeat(400)}`), [400, 413]),
  refused("a space before the colon of Content-Length", length(" 5").replace("Length:", "Length :")),
  refused("a folded Content-Length", length("\r\n 5")),
  refused("a folded Content-Length with a second value", length(" 1\r\n 5")),
];
