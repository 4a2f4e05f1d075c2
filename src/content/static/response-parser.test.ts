import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type ResponseHead, ResponseParser } from "./response-parser.ts";

interface Parsed {
  heads: ResponseHead[];
  body: string;
  /** Undefined until the response has ended. */
  reusable: boolean | undefined;
}

/** The parser's events for these pieces. With `closes`, the server then closes the connection. */
function parse(pieces: readonly string[], closes?: "clean" | "torn"): Parsed {
  const parsed: Parsed = { heads: [], body: "", reusable: undefined };
  const parser = new ResponseParser({
    head: (head) => parsed.heads.push(head),
    body: (bytes) => {
      parsed.body += bytes.toString("latin1");
    },
    end: (reusable) => {
      parsed.reusable = reusable;
    },
  });
  for (const piece of pieces) parser.push(Buffer.from(piece, "latin1"));
  if (closes !== undefined) parser.end(closes === "clean");
  return parsed;
}

const failure = (pieces: readonly string[], closes?: "clean" | "torn"): string => {
  try {
    parse(pieces, closes);
    return "none";
  } catch (error) {
    return String(error);
  }
};

const NOT_HTTP = "TurnpikeError: Cannot load the page: its server's response is not HTTP";
const BROKE_OFF = "TurnpikeError: Cannot load the page: its server closed the connection before the end";
const NO_RESPONSE = "TurnpikeError: Cannot load the page: its server closed the connection without a response";

const WHOLE: Readonly<Record<string, readonly [text: string, body: string]>> = {
  "a length": ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"],
  "the same length twice": ["HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\nhello", "hello"],
  "no length but chunks": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n",
    "hello world",
  ],
  "chunks with a trailer": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nContent-Length: 3\r\n\r\n005\r\nhello\r\n0\r\nA: b\r\n\r\n",
    "hello",
  ],
  "bare line feeds": ["HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n", "hello"],
  "interim responses before it": [
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "ok",
  ],
  "no content": ["HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", ""],
  "a status without a reason": ["HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", "x"],
};

describe("a response", () => {
  test.each(Object.entries(WHOLE))("with %s is read in pieces of any size", (_what, [text, body]) => {
    expect(parse([text])).toMatchObject({ body, reusable: true });
    expect(parse(text.split(""))).toMatchObject({ body, reusable: true });
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
        expect(parse(pieces)).toMatchObject({ body, reusable: true });
      }),
    );
    const begun = text.length - 1;
    if (body !== "") expect(failure([text.slice(0, begun)], "clean")).toBe(BROKE_OFF);
  });

  test("without a length ends when its server closes, unless the close is not orderly", () => {
    const text = "HTTP/1.1 200 OK\r\n\r\nall of it";
    expect(parse([text]).reusable).toBeUndefined();
    expect(parse([text], "clean")).toMatchObject({ body: "all of it", reusable: false });
    expect(failure([text], "torn")).toBe(BROKE_OFF);
  });

  test.each([
    ["HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", false],
    ["HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", true],
    ["HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 2\r\n\r\nok", false],
    ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more", false],
    ["HTTP/1.1 204 OK\r\n\r\nand more", false],
  ])("of %j leaves the connection ready: %p", (text, reusable) => {
    expect(parse([text]).reusable).toBe(reusable);
  });

  test("keeps its fields as received, and joins continued lines", () => {
    const [head] = parse([
      "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nset-cookie:b=2 \r\nno colon\r\nX : y\r\nLong: one\r\n two\r\nBad name: z\r\nU: \xe4\r\n\r\n",
    ]).heads;
    expect(head?.headers).toEqual([
      ["Set-Cookie", "a=1"],
      ["set-cookie", "b=2"],
      ["X", "y"],
      ["Long", "one two"],
      ["U", "\xe4"],
    ]);
  });

  test.each([
    "<html><p>HTTP/0.9</p></html>\r\n\r\n",
    "SSH-2.0-OpenSSH_9.2\r\n",
    "\x15\x03\x01\x00\x02\x02\x50",
    "HTTP/2.0 200 OK\r\n\r\n",
    "HTTP/1.1 2000 OK\r\n\r\n",
    "HTTP/1.1 099 OK\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n".repeat(11),
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5e3\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\nhello\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n",
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;${"x".repeat(20_000)}`,
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${"A: b\r\n".repeat(20_000)}`,
  ])("that is not valid is rejected: %.60j", (text) => {
    expect(failure([text])).toBe(NOT_HTTP);
  });

  test("whose head does not end is rejected when it becomes too long", () => {
    const many = Array.from({ length: 300 }, () => `X: ${"y".repeat(1020)}\r\n`);
    expect(failure(["HTTP/1.1 200 OK\r\n", ...many])).toBe(
      "TurnpikeError: Cannot load the page: the head of its response is too long",
    );
  });

  test("that does not come at all is distinguished from one that breaks off", () => {
    expect(failure([], "clean")).toBe(NO_RESPONSE);
    expect(failure(["HTTP/1.1 2"], "clean")).toBe(BROKE_OFF);
    expect(failure(["HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"], "torn")).toBe(BROKE_OFF);
  });
});
