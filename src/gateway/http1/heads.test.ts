import { describe, expect, setSystemTime, test } from "bun:test";
import fc from "fast-check";
import { normalisePath } from "../../lib/http/url-path.ts";
import { isHeadError, parseRequestHead } from "./request-head.ts";
import { headValue, headValues, removeFields } from "../exchange/head-fields.ts";
import { isProofOf, parseResponseHead } from "./response-head.ts";
import { refuse } from "./refusal.ts";

function parse(text: string, maxCount = 100): ReturnType<typeof parseRequestHead> {
  const bytes = Buffer.from(`${text}\r\n`, "latin1");
  return parseRequestHead(bytes, { from: 0, end: text.length }, { scheme: "http", isRequest: true, maxCount });
}

function head(line: string, fields = "Host: h\r\n"): ReturnType<typeof parseRequestHead> {
  return parse(`${line}\r\n${fields}`);
}

function codeOf(result: ReturnType<typeof parseRequestHead>): string {
  return isHeadError(result) ? result.code : "sound";
}

describe("a request head", () => {
  test.each([
    ["/", "h", "/", ""],
    ["/a/b?c=d?e", "h", "/a/b", "?c=d?e"],
    ["/!?!~", "h", "/!", "?!~"],
    ["/a/../b/./c//d", "h", "/b/c/d", ""],
    ["/%7Ea%2e%2E/b", "h", "/~a../b", ""],
    ["/a/%2e%2e/b", "h", "/b", ""],
    ["/a%3f%c3%a9", "h", "/a%3F%C3%A9", ""],
    ["/?a=../../x%2F", "h", "/", "?a=../../x%2F"],
    ["http://other:81/a?b", "other:81", "/a", "?b"],
    ["HTTPS://other", "other", "/", ""],
    ["http://other?q", "other", "/", "?q"],
    ["http://[::1]:80/", "[::1]:80", "/", ""],
  ])("for %p names %p, %p and %p", (target, authority, path, query) => {
    const result = head(`GET ${target} HTTP/1.1`);
    if (isHeadError(result)) throw new Error(result.detail);
    expect([result.head.authority, result.head.path, result.head.query]).toEqual([authority, path, query]);
  });

  test("has the normalised path of every target of five characters", () => {
    let targets = ["/"];
    for (let length = 1; length < 5; length++)
      targets = targets.flatMap((start) => ["/", ".", ";", "a", "%", "?"].map((next) => start + next));
    for (const target of targets) {
      const result = head(`GET ${target} HTTP/1.1`);
      const [path = ""] = target.split("?");
      expect(isHeadError(result) ? undefined : result.head.path, target).toBe(normalisePath(path));
    }
  });

  test.each([
    ["GET  / HTTP/1.1", "bad-request"],
    ["GET /", "bad-request"],
    ["GET / HTTP/1.1 ", "bad-request"],
    ["GET / http/1.1", "bad-request"],
    ["GET / HTTP/11", "bad-request"],
    ["GET / HTTP/1.1x", "bad-request"],
    ["GET /\tHTTP/1.1", "bad-request"],
    ["G(T / HTTP/1.1", "bad-request"],
    [" GET / HTTP/1.1", "bad-request"],
    ["GET /a#b HTTP/1.1", "bad-request"],
    ["GET /\u00e9 HTTP/1.1", "bad-request"],
    ["GET a HTTP/1.1", "bad-request"],
    ["GET * HTTP/1.1", "bad-request"],
    ["GET http:// HTTP/1.1", "bad-request"],
    ["GET http://u@h/ HTTP/1.1", "bad-request"],
    ["GET http://h:65536/ HTTP/1.1", "bad-request"],
    ["GET ftp://h/ HTTP/1.1", "bad-request"],
    ["GET /%2f HTTP/1.1", "bad-path"],
    ["GET /%5c HTTP/1.1", "bad-path"],
    ["GET /a\\b HTTP/1.1", "bad-path"],
    ["GET /%00 HTTP/1.1", "bad-path"],
    ["GET /%zz HTTP/1.1", "bad-path"],
    ["GET /% HTTP/1.1", "bad-path"],
    ["GET / HTTP/2.0", "version-not-supported"],
    ["GET / HTTP/1.2", "version-not-supported"],
    ["CONNECT h:443 HTTP/1.1", "not-implemented"],
    ["CONNECT [::1]:443 HTTP/1.1", "not-implemented"],
    ["CONNECT h HTTP/1.1", "bad-request"],
    ["CONNECT /a HTTP/1.1", "bad-request"],
    ["CONNECT u@h:443 HTTP/1.1", "bad-request"],
    ["TRACE /a HTTP/1.1", "not-implemented"],
    ["get / HTTP/1.1", "not-implemented"],
    ["GET / XTTP/1.1", "bad-request"],
    ["GET / HTTP/1.1HTTP/1.1", "bad-request"],
    ["OPTIONS * HTTP/1.1", "sound"],
  ])("%p is %s", (line, code) => {
    expect(codeOf(head(line))).toBe(code);
  });

  test.each([
    ["", "bad-request"],
    ["Host: a\r\nHost: a\r\n", "bad-request"],
    ["Host: a b\r\n", "bad-request"],
    ["Host: a/b\r\n", "bad-request"],
    ["Host: a@b\r\n", "bad-request"],
    ["Host: \r\n", "bad-request"],
    ["Host: a:b\r\n", "bad-request"],
    ["Host: a:99999\r\n", "bad-request"],
    ["Host: [::1\r\n", "bad-request"],
    ["Host: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n", "bad-request"],
    ["Host: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n", "bad-request"],
    ["Host: h\r\nTransfer-Encoding: chunked, chunked\r\n", "bad-request"],
    ["Host: h\r\nTransfer-Encoding: chunked, identity\r\n", "bad-request"],
    ["Host: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding:\r\n", "bad-request"],
    ["Host: h\r\nTransfer-Encoding: gzip, chunked\r\n", "not-implemented"],
    ["Host: h\r\nTransfer-Encoding: xchunked\r\n", "not-implemented"],
    ["Host: h\r\nTransfer-Encoding: \x0bchunked\r\n", "bad-request"],
    ["Host: h\r\nTransfer-Encoding: \xa0chunked\r\n", "not-implemented"],
    ["Host: h\r\nExpect: 200-ok\r\n", "expectation-failed"],
    [`Host: h\r\n${"A: b\r\n".repeat(100)}`, "head-too-large"],
    ["Host: h\r\nTransfer-Encoding: \tCHUNKED \r\n", "sound"],
  ])("with %p is %s", (fields, code) => {
    expect(codeOf(head("POST / HTTP/1.1", fields))).toBe(code);
  });

  test.each([
    [
      "GET / HTTP/1.1",
      "Connection: upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 99\r\n",
      "upgrade-required",
    ],
    ["GET / HTTP/1.1", "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n", "sound"],
    ["GET / HTTP/1.1", "Connection: upgrade\r\nUpgrade: websocket\r\n", "sound"],
    ["GET / HTTP/1.1", "Connection: upgrade\r\nUpgrade: other\r\nSec-WebSocket-Version: 99\r\n", "sound"],
    ["GET / HTTP/1.1", "Upgrade: websocket\r\nSec-WebSocket-Version: 99\r\n", "sound"],
    ["POST / HTTP/1.1", "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 99\r\n", "sound"],
    ["GET / HTTP/1.0", "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 99\r\n", "sound"],
  ])("%s with %p is %s", (line, fields, code) => {
    expect(codeOf(head(line, `Host: h\r\n${fields}`))).toBe(code);
  });

  const HANDSHAKE = "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n";
  const KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  test.each([
    ["GET / HTTP/1.1", HANDSHAKE + KEY, "websocket"],
    ["GET / HTTP/1.1", HANDSHAKE.replace("13", "8") + KEY, "websocket"],
    ["GET / HTTP/1.1", HANDSHAKE.replace("WebSocket", "other, websocket") + KEY, "websocket"],
    ["GET / HTTP/1.1", `${HANDSHAKE}Content-Length: 0\r\n${KEY}`, "websocket"],
    ["GET / HTTP/1.1", HANDSHAKE, ""],
    ["GET / HTTP/1.1", HANDSHAKE.replace("keep-alive, Upgrade", "keep-alive") + KEY, ""],
    ["GET / HTTP/1.1", HANDSHAKE.replace("WebSocket", "websockets") + KEY, ""],
    ["GET / HTTP/1.1", `${HANDSHAKE}Content-Length: 1\r\n${KEY}`, ""],
    ["GET / HTTP/1.1", `${HANDSHAKE}Transfer-Encoding: chunked\r\n${KEY}`, ""],
    ["POST / HTTP/1.1", HANDSHAKE + KEY, ""],
    ["GET / HTTP/1.0", HANDSHAKE + KEY, ""],
  ])("%s with %p asks to go on in %p", (line, fields, upgrade) => {
    const result = head(line, `Host: h\r\n${fields}`);
    expect(isHeadError(result) ? result.detail : result.head.upgrade).toBe(upgrade);
  });

  test.each([
    "Sec-WebSocket-Key: \r\n",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=\r\n",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQAA\r\n",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j!Q==\r\n",
    `${KEY}${KEY}`,
  ])("a handshake with %p is refused", (fields) => {
    expect(codeOf(head("GET / HTTP/1.1", `Host: h\r\n${HANDSHAKE}${fields}`))).toBe("bad-request");
  });

  test.each([
    ["OPTIONS *", "h", "*", ""],
    ["OPTIONS http://other", "other", "*", ""],
    ["GET http://other/a/../b%41?q", "other", "/bA", "?q"],
    ["OPTIONS http://other/", "other", "/", ""],
    ["OPTIONS http://other?q", "other", "/", "?q"],
    ["GET http://other", "other", "/", ""],
  ])("of %p asks %p for %p with %p", (start, authority, path, query) => {
    expect(head(`${start} HTTP/1.1`)).toMatchObject({ head: { authority, path, query } });
  });

  test("gives the meaning of its fields for the body, the connection and the log", () => {
    const fields = "Host: h\r\nExpect: 100-Continue\r\nTransfer-Encoding: chunked\r\nX-Request-Id: r\r\nVia: v\r\n";
    expect(head("POST /a?b HTTP/1.1", `${fields}X-Forwarded-For: f\r\nA: 1\r\n`)).toMatchObject({
      head: {
        method: "POST",
        scheme: "http",
        authority: "h",
        path: "/a",
        query: "?b",
        fields: "A: 1\r\n",
        payment: "",
        bodyLength: -1,
        expectContinue: true,
        via: "v",
        forwardedFor: "f",
        isGrpc: false,
        upgrade: "",
      },
      requestId: "r",
      http10: false,
      keepAlive: true,
    });
    expect(head("POST / HTTP/1.1")).toMatchObject({ head: { expectContinue: false, bodyLength: 0 } });
    expect(head("PUT / HTTP/1.1", "Host: h\r\nContent-Length: 7\r\n")).toMatchObject({
      head: { method: "PUT", bodyLength: 7 },
    });
  });

  test.each([
    ["1.1", "", true],
    ["1.1", "Connection: close\r\n", false],
    ["1.1", "Connection: keep-alive, close\r\n", false],
    ["1.0", "", false],
    ["1.0", "Connection: keep-alive\r\n", true],
    ["1.0", "Connection: keep-alive\r\nConnection: close\r\n", false],
  ])("of HTTP/%s with %p keeps the connection: %p", (version, fields, keepAlive) => {
    const result = head(`GET / HTTP/${version}`, `Host: h\r\n${fields}`);
    expect(!isHeadError(result) && result.keepAlive).toBe(keepAlive);
  });

  test("of HTTP/1.0 may have no host, expects nothing and has no transfer coding", () => {
    const result = head("POST / HTTP/1.0", "Expect: 100-continue\r\nContent-Length: 3\r\n");
    expect(result).toMatchObject({ head: { authority: "", expectContinue: false, bodyLength: 3 } });
    expect(codeOf(head("POST / HTTP/1.0", "Transfer-Encoding: chunked\r\n"))).toBe("bad-request");
  });

  test("never throws, and a valid one can be sent on as a request line and field lines", () => {
    const piece = fc.constantFrom(
      "GET",
      " ",
      "/",
      "HTTP/1.1",
      "\r\n",
      "Host: h",
      ":",
      "a",
      "%41",
      "%",
      "..",
      "?",
      "#",
      "\\",
      "\0",
      "\xff",
      "*",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.boolean(), (pieces, framed) => {
        const text = framed ? `GET /${pieces.join("")} HTTP/1.1\r\nHost: h\r\n` : `${pieces.join("")}\r\n`;
        const result = parse(text);
        if (isHeadError(result)) return;
        const { method, path, query, authority, fields } = result.head;
        expect(`${method} ${path}${query} ${authority}`).toMatch(/^[!-~]+ (?:\/[!-~]*|\*) [!-~]*$/);
        expect(path).not.toMatch(/\\|\/\.\.?(?:\/|$)|\/\//);
        expect(fields).toMatch(/^(?:[!-9;-~]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/);
      }),
      { numRuns: 2000 },
    );
  });
});

function response(text: string): ReturnType<typeof parseResponseHead> {
  const bytes = Buffer.from(`${text}\r\n`, "latin1");
  return parseResponseHead(bytes, { from: 0, end: text.length }, { isRequest: false, maxCount: 100 });
}

test("a field is not taken for another one whose name begins with its name", () => {
  const result = head(
    "GET / HTTP/1.1",
    "Host: h\r\nAccept-Encoding: gzip\r\nAccept: a\r\nX-B: 1\r\nX-B-C: 2\r\nX: 3\r\nX^: 4\r\n",
  );
  if (isHeadError(result)) throw new Error(result.detail);
  const { head: own } = result;
  expect([headValue(own, "accept"), headValues(own, "x"), headValue(own, "accep")]).toEqual(["a", ["3"], undefined]);
  removeFields(own, ["x-b", "accept", "x~"]);
  // In ASCII, these characters differ as capitals do from small letters.
  expect([headValue(own, "x~"), headValue(own, "x^")]).toEqual([undefined, "4"]);
  expect(own.fields).toBe("Accept-Encoding: gzip\r\nX-B-C: 2\r\nX: 3\r\nX^: 4\r\n");
});

test.each([
  ["abc", "websocket", "Sec-WebSocket-Accept: abc\r\n", true],
  ["", "websocket", "Sec-WebSocket-Accept:\r\n", false],
  ["", "websocket", "", false],
  ["abc", "h2c", "Sec-WebSocket-Accept: abc\r\n", false],
  ["abc", "websocket", "Sec-WebSocket-Accept: other\r\n", false],
  ["abc", "websocket", "", false],
])("with the expected proof %j, a 101 to %s with %j is a tunnel: %p", (accept, protocol, fields, expected) => {
  const switched = response(`HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: ${protocol}\r\n${fields}`);
  expect(typeof switched !== "string" && isProofOf(accept, switched)).toBe(expected);
});

describe("a response head", () => {
  test("gets the date of each second if the upstream sends none", () => {
    const moments = ["2026-11-20T21:37:44Z", "2026-11-20T21:37:45Z"];
    const heads = moments.map((moment) => {
      setSystemTime(new Date(moment));
      return Array.from({ length: 3 }, () => response("HTTP/1.1 200 OK\r\nX: y\r\n")).at(-1);
    });
    setSystemTime();
    expect(heads).toMatchObject([
      { head: { fields: expect.stringContaining("21:37:44") } },
      { head: { fields: expect.stringContaining("21:37:45") } },
    ]);
  });

  test.each([
    ["HTTP/1.1 200 OK\r\n", 200, "OK"],
    ["HTTP/1.1 200 \r\n", 200, ""],
    ["HTTP/1.1 200\r\n", 200, ""],
    ["HTTP/1.0 404 Not  Found\r\n", 404, "Not  Found"],
    ["HTTP/1.1 599 \xe9\r\n", 599, "\xe9"],
    ["HTTP/1.1 100 Continue\r\n", 100, "Continue"],
  ])("%p is %p %p", (text, status, reason) => {
    expect(response(text)).toMatchObject({ head: { status, reason } });
  });

  test.each([
    ["HTTP/1.1 099 x\r\n"],
    ["HTTP/1.1 600 x\r\n"],
    ["HTTP/1.1 20 x\r\n"],
    ["HTTP/1.1 1e2 x\r\n"],
    // Read as digits, these would make a status between 100 and 599.
    ["HTTP/1.1 1:0 x\r\n"],
    ["HTTP/1.1 3/0 x\r\n"],
    ["HTTP/1.1 30/ x\r\n"],
    ["HTTP/1.1 +20 x\r\n"],
    ["HTTP/1.1 2000 x\r\n"],
    ["HTTP/1.1  200 x\r\n"],
    ["HTTP/1.1 200x\r\n"],
    ["HTTP/1.2 200 x\r\n"],
    ["HTTP/1.1 200 a\0b\r\n"],
    ["ICY 200 OK\r\n"],
  ])("%p is refused", (text) => {
    expect(response(text)).toBe("malformed status line");
  });

  test("gets a date if the upstream sent no date, but not an interim one", () => {
    expect(response("HTTP/1.1 200 OK\r\nA: b\r\n")).toMatchObject({
      head: { fields: expect.stringMatching(/^A: b\r\nDate: \w+, \d+ \w+ \d+ [\d:]+ GMT\r\n$/) },
    });
    expect(response("HTTP/1.1 103 x\r\nA: b\r\n")).toMatchObject({ head: { fields: "A: b\r\n" } });
  });

  test.each([
    ["HTTP/1.1 200 OK\r\n", true],
    ["HTTP/1.1 200 OK\r\nConnection: close\r\n", false],
    ["HTTP/1.0 200 OK\r\n", false],
    ["HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n", true],
    ["HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n", false],
  ])("%p keeps the connection: %p", (text, keepAlive) => {
    expect(response(text)).toMatchObject({ keepAlive });
  });
});

test("a refusal is a complete response that closes, and repeats only a valid request id", () => {
  const connection = { scheme: "http", clientAddress: "127.0.0.1" } as const;
  const error = { code: "bad-request", detail: "no" } as const;
  const { text } = refuse({ ...error, requestId: "abc" }, "GET / HTTP/1.1", connection);
  const [, body = ""] = text.split("\r\n\r\n");
  expect(text).toContain(`Content-Length: ${body.length}\r\nConnection: close\r\n`);
  expect(JSON.parse(body)).toMatchObject({ status: 400, instance: "abc" });
  expect(refuse(error, "HEAD / HTTP/1.1", connection).text).toEndWith("\r\n\r\n");
  expect(refuse({ ...error, requestId: "a b\xff" }, "", connection).text).not.toContain("a b");
});

test("a refused request is logged as far as it was read, up to a limit", () => {
  const connection = { scheme: "http", clientAddress: "192.0.2.1" } as const;
  const { request } = refuse({ code: "bad-request", detail: "no" }, "GET /a%2Fb HTTP/1.0", connection);
  expect(request).toMatchObject({
    status: 400,
    clientAddress: "192.0.2.1",
    protocol: "HTTP/1.0",
    bytesReceived: 0,
  });
  expect(request.head).toMatchObject({ method: "GET", path: "/a%2Fb" });
  for (const before of ["", "\r\n"]) {
    const lines = `${before}PUT /b HTTP/1.0\r\nHost: h\r\n`;
    const refused = refuse({ code: "bad-request", detail: "no" }, lines, connection).request;
    expect([refused.protocol, refused.head.method, refused.head.path]).toEqual(["HTTP/1.0", "PUT", "/b"]);
  }
  const long = refuse({ code: "uri-too-long", detail: "no" }, `GET /${"a".repeat(50_000)}`, connection).request;
  expect(long.head.path.length).toBeLessThanOrEqual(1024);
});
