/** RFC 9112 §6 and §7, RFC 9110 §8.6: the end of a message. */
import { expect } from "bun:test";
import { type Message, valuesOf } from "../../support/message.ts";
import { responses, brokenBody, chunked, refused, request, type Rule, served } from "./rule.ts";

const HELLO = "5\r\nhello\r\n0\r\n\r\n";

function post(...lines: readonly string[]): string {
  return request("POST /x", ...lines);
}

const body =
  (text: string) =>
  (message: Message | undefined): void =>
    expect(message?.body).toBe(text);

function length(value: string, content = "hello"): string {
  return post(`Content-Length:${value}`) + content;
}

function size(text: string): string {
  return chunked(`${text}\r\nhello\r\n0\r\n\r\n`);
}

export const FRAMING_RULES: readonly Rule[] = [
  refused(
    ["9112 §6.1", "Content-Length beside Transfer-Encoding"],
    post("Content-Length: 5", "Transfer-Encoding: chunked") + HELLO,
  ),
  refused(
    ["9112 §6.1", "Transfer-Encoding beside Content-Length"],
    post("Transfer-Encoding: chunked", "Content-Length: 30") + HELLO,
  ),
  refused(
    ["9112 §6.1", "Transfer-Encoding in HTTP/1.0"],
    `POST /x HTTP/1.0\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n${HELLO}`,
  ),
  refused(["9112 §6.1", "a coding that is not understood is 501"], post("Transfer-Encoding: gzip"), 501),
  refused(["9112 §6.1", "also before chunked"], post("Transfer-Encoding: gzip, chunked") + HELLO, 501),
  refused(["9112 §6.1", "`identity` is not a coding any more"], post("Transfer-Encoding: identity"), 400, 501),
  refused(["9112 §6.1", "chunked twice"], post("Transfer-Encoding: chunked, chunked") + HELLO),
  refused(["9112 §6.1", "an empty Transfer-Encoding"], post("Transfer-Encoding: "), 400, 501),
  refused(["9112 §6.3", "chunked that is not last"], post("Transfer-Encoding: chunked, gzip") + HELLO),
  refused(["9112 §7", "chunked has no parameters"], post("Transfer-Encoding: chunked;ext=val") + HELLO, 400, 501),
  served(["9112 §7", "codings are read in any case"], post("Transfer-Encoding: Chunked") + HELLO, {
    upstream: body("hello"),
  }),
  served(["9112 §6.1", "a name in capitals has the same meaning"], post("TRANSFER-ENCODING: chunked") + HELLO, {
    upstream: body("hello"),
  }),

  served(["9112 §6.2", "Content-Length is the body's length"], length(" 5"), { upstream: body("hello") }),
  served(["9112 §6.2", "be it zero"], length(" 0", ""), { upstream: body("") }),
  served(["9112 §6.3", "without either there is no body"], post(), { upstream: body("") }),
  served(["9110 §8.6", "a length that is repeated in one value is accepted"], length(" 5, 5"), {
    upstream: (head) => expect(valuesOf(head ?? { fields: [] }, "content-length")).toEqual(["5"]),
  }),
  ...["  5", "\t5", " 5 ", "5\t", " \t 5 \t "].map((value) =>
    served(["9112 §5.1", `a length in blanks, ${JSON.stringify(value)}`], length(value), {
      upstream(message) {
        body("hello")(message);
        expect(valuesOf(message ?? { fields: [] }, "content-length")).toEqual(["5"]);
      },
    }),
  ),
  served(["9110 §9.3.1", "a body on GET belongs to it"], `${request("GET /x", "Content-Length: 5")}hello`, {
    upstream: body("hello"),
  }),
  ...[
    "+5",
    "-1",
    "-0",
    "0x5",
    "0o5",
    "abc",
    "5a",
    "1 0",
    "1_0",
    "5.0",
    "1e1",
    "",
    "5,",
    ",5",
    "5, 6",
    "\xb2",
    "5;",
    "005",
    "00",
    " ",
    "5\xa0",
  ].map((value) => refused(["9112 §6.3", `a length of ${JSON.stringify(value)}`], length(` ${value}`))),
  refused(["9112 §6.3", "a length over 2^64"], length(" 99999999999999999999"), 400, 413),
  refused(["9112 §6.3", "two lengths that differ"], post("Content-Length: 5", "Content-Length: 10") + "helloworld"),
  refused(["9110 §15.5.14", "a body over the limit is 413, before any of it is read"], length(" 999999999"), 413),

  served(["9112 §7.1", "chunks are joined"], chunked("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"), {
    upstream: body("hello world"),
  }),
  served(["9112 §7.1", "a size in capitals"], chunked("A\r\nhelloworld\r\n0\r\n\r\n"), {
    upstream: body("helloworld"),
  }),
  served(["9112 §7.1", "no chunk but the last"], chunked("0\r\n\r\n"), { upstream: body("") }),
  ...["", "g", "-5", "+5", "0x5", "1_0", " 5", "5 ", "5\t", "5\0", "5.0", "5,5", "FFFFFFFFFFFFFFFF5"].map((text) =>
    brokenBody(["9112 §7.1", `a size of ${JSON.stringify(text)}`], size(text), 400, 413),
  ),
  brokenBody(["9112 §7.1", "a size that ends in a bare LF"], chunked("5\nhello\r\n0\r\n\r\n")),
  brokenBody(["9112 §7.1", "a size that ends in a bare CR"], chunked("5\rhello\r\n0\r\n\r\n")),
  brokenBody(["9112 §7.1", "data longer than its size"], chunked("5\r\nhello!!\r\n0\r\n\r\n")),
  brokenBody(["9112 §7.1", "data without its CRLF"], chunked("5\r\nhello0\r\n\r\n")),
  brokenBody(["9112 §7.1", "data that ends in a bare LF"], chunked("5\r\nhello\n0\r\n\r\n")),
  ...["name", "name=value", 'name="a; \\"b\\""', "a;b=c"].map((extension) =>
    served(["9112 §7.1.1", `the extension ;${extension} is ignored, and stays here`], size(`5;${extension}`), {
      upstream: (head) => {
        body("hello")(head);
        expect(head?.raw).not.toContain("name");
      },
    }),
  ),
  served(["9112 §7.1.1", "white space around an extension's separators is ignored"], size("5 ; a = b"), {
    upstream: body("hello"),
  }),
  ...[";", ";a;", ";=b", ";a=", ";bad[=x", ';a="b', ";a b", ";a\0", ";a\x01", ";a\nb", ";a\rb", ";a=b "].map(
    (extension) => brokenBody(["9112 §7.1.1", `the extension ${JSON.stringify(extension)}`], size(`5${extension}`)),
  ),
  brokenBody(["9112 §7.1.1", "extensions of 64 KiB"], size(`5;a=${"b".repeat(65_536)}`), 400, 413, 431),
  brokenBody(["9112 §7.1.2", "a trailer section that ends in a bare LF"], chunked("5\r\nhello\r\n0\r\n\n")),
  brokenBody(["9112 §7.1.2", "a trailer that is not a field line"], chunked("0\r\nX Y: z\r\n\r\n")),
  brokenBody(
    ["9112 §7.1.2", "a trailer section over the limit of a head"],
    chunked(`0\r\nX: ${"y".repeat(65_536)}\r\n\r\n`),
    400,
    431,
  ),

  served(
    ["9112 §6.3", "a response body that ends with its connection reaches the client with framing"],
    request("GET /x"),
    {
      reply: (_request, connection) => connection.end("HTTP/1.0 200 OK\r\n\r\nuntil the end"),
      response: (head) => expect([head.body, head.framing]).toEqual(["until the end", "chunked"]),
    },
  ),
  served(["9112 §6.3", "a response with differing lengths is a 502"], request("GET /x"), {
    reply: responses("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokk"),
    status: 502,
  }),
  served(["9112 §6.3", "so is one with both framings"], request("GET /x"), {
    reply: responses("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    status: 502,
  }),
  served(["9112 §7.1", "a response's chunks reach the client completely"], request("GET /x"), {
    reply: responses("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nok\r\n0\r\nT: 1\r\n\r\n"),
    response: (head) => expect([head.body, head.trailers]).toEqual(["ok", [["T", "1"]]]),
  }),
];
