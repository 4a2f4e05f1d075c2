import { describe, expect, test } from "bun:test";
import { parseProxyRequest, rewriteResponseHead } from "./proxy-head.ts";

describe("a tunnel", () => {
  test.each([
    ["a.test:1", "a.test", 1],
    ["a.test:443", "a.test", 443],
    ["a.test:65535", "a.test", 65_535],
    ["[::1]:80", "[::1]", 80],
  ])("goes to %s", (target, host, port) => {
    const request = parseProxyRequest(`CONNECT ${target} HTTP/1.1\r\nHost: b\r\n`);
    expect(request).toEqual({ tunnel: true, host, port, head: "" });
  });

  test.each([
    "a.test",
    "a.test:",
    "a.test:0",
    "a.test:65536",
    "a.test:123456",
    ":80",
    "u@a.test:80",
    "a.test:80/",
    "::1:80",
  ])("does not go to %s", (target) => {
    expect(parseProxyRequest(`CONNECT ${target} HTTP/1.1`)).toBeUndefined();
  });
});

describe("a plain request", () => {
  test.each([
    ["http://a.test/x?y=%20|z", "/x?y=%20|z", "a.test", 80],
    ["http://a.test", "/", "a.test", 80],
    ["http://a.test?q", "/?q", "a.test", 80],
    ["http://a.test:8080/x#f", "/x", "a.test", 8080],
    ["http://[::1]:81/", "/", "[::1]", 81],
  ])("of %s asks for %s", (target, path, host, port) => {
    const head = `GET ${path} HTTP/1.1\r\nHost: h\r\nA: 1\r\nConnection: close\r\n\r\n`;
    expect(parseProxyRequest(`GET ${target} HTTP/1.1\r\nHost: h\r\nA: 1\r`)).toEqual({
      tunnel: false,
      host,
      port,
      head,
    });
  });

  test("has no fields of the connection to the proxy", () => {
    const fields = [
      "Proxy-Authorization: x",
      "CONNECTION: x",
      "keep-alive : 5",
      "Upgrade:h2c",
      "TE: trailers",
      "Test: 1",
    ];
    expect(parseProxyRequest(["POST http://a.test/ HTTP/1.1", ...fields].join("\n"))?.head).toBe(
      "POST / HTTP/1.1\r\nTest: 1\r\nConnection: close\r\n\r\n",
    );
  });

  test.each([
    "",
    "GET",
    "GET http://a.test/",
    "GET http://a.test/ HTTP/1.0",
    "GET http://a.test/ HTTP/1.1 x",
    "GET https://a.test/ HTTP/1.1",
    "GET http://[/ HTTP/1.1",
    "GET /x HTTP/1.1",
  ])("is not %j", (text) => {
    expect(parseProxyRequest(text)).toBeUndefined();
  });
});

describe("a response", () => {
  test.each([
    ["HTTP/1.1 100 Continue", true],
    ["HTTP/1.0 199 x", true],
    ["HTTP/1.1 200", false],
    ["HTTP/1.1 204 No Content", false],
    ["HTTP/1.1 511 x", false],
  ])("%s tells whether it is an interim one", (line, interim) => {
    expect(rewriteResponseHead(`${line}\r\nA: 1\r\nKeep-Alive: 5\r`)).toEqual({
      interim,
      head: `${line}\r\nA: 1\r\nConnection: close\r\n\r\n`,
    });
  });

  test.each(["", "HTTP/2 200", "HTTP/1.1 20", "ICY 200 OK", "A: 1\r\nHTTP/1.1 200 OK"])("is not %j", (text) => {
    expect(() => rewriteResponseHead(text)).toThrow("it is not an HTTP/1 response");
  });
});
