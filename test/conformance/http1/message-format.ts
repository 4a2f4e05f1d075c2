/** RFC 9112 §2 and §3: start line, target forms, versions. */
import { expect } from "bun:test";
import { valuesOf } from "../../support/message.ts";
import { responses, refused, request, type Rule, served } from "./rule.ts";

const target =
  (wanted: string) =>
  (upstream: { readonly startLine: string } | undefined): void =>
    expect(upstream?.startLine.split(" ")[1]).toBe(wanted);

const nothing = (upstream: unknown): void => expect(upstream).toBeUndefined();

export const MESSAGE_FORMAT: readonly Rule[] = [
  refused(["9112 §2.2", "a bare LF does not end a line"], "GET / HTTP/1.1\nHost: a.test\n\n"),
  refused(["9112 §2.2", "a bare CR is neither a line end nor a space"], "GET / HTTP/1.1\rHost: a.test\r\n\r\n"),
  refused(["9112 §2.2", "white space between start line and fields"], "GET / HTTP/1.1\r\n \r\nHost: a.test\r\n\r\n"),
  refused(["9112 §2.2", "white space alone is not a request"], "   \r\n\r\n"),
  refused(["9112 §2.2", "bytes that are not HTTP"], "\x00\x01\xfe\xff\x16\x03\x01\r\n\r\n"),
  served(["9112 §2.2", "one empty line before the request line is ignored"], `\r\n${request("GET /x")}`),
  served(["9112 §2.2", "so is the CRLF that old clients send after a body"], `${request("POST /x")}\r\n`),

  served(
    ["9112 §2.3", "the gateway uses 1.1 to the origin, for any version of the client"],
    "GET /x HTTP/1.0\r\nHost: a.test\r\n\r\n",
    {
      stays: false,
      upstream: (head) => expect(head?.startLine).toBe("GET /x HTTP/1.1"),
      response: (head) => expect(head.startLine).toStartWith("HTTP/1.1 200"),
    },
  ),
  refused(["9112 §2.3", "the version's name is in capitals"], "GET / http/1.1\r\nHost: a.test\r\n\r\n"),
  refused(["9112 §2.3", "the version has a minor number"], "GET / HTTP/1\r\nHost: a.test\r\n\r\n", 400, 505),
  refused(["9112 §2.3", "its numbers have one digit"], "GET / HTTP/01.01\r\nHost: a.test\r\n\r\n", 400, 505),
  refused(["9112 §2.3", "it has no space"], "GET / HTTP/ 1.1\r\nHost: a.test\r\n\r\n"),
  refused(["9112 §2.3", "a request line without version is HTTP/0.9, which is not supported"], "GET /\r\n\r\n"),
  refused(["9110 §2.5", "another major version is 505"], "GET / HTTP/9.9\r\nHost: a.test\r\n\r\n", 505),
  refused(
    ["9110 §2.5", "HTTP/2.0 in the form of a 1.1 request line is refused"],
    "GET / HTTP/2.0\r\nHost: a.test\r\n\r\n",
    505,
  ),

  refused(["9112 §3", "one space before the target"], "GET  / HTTP/1.1\r\nHost: a.test\r\n\r\n"),
  refused(["9112 §3", "a space and not a tab"], "GET\t/ HTTP/1.1\r\nHost: a.test\r\n\r\n"),
  refused(["9112 §3", "one space before the version"], "GET /  HTTP/1.1\r\nHost: a.test\r\n\r\n"),
  refused(["9112 §3", "nothing after the version"], "GET / HTTP/1.1 \r\nHost: a.test\r\n\r\n"),
  refused(["9112 §3", "a target"], "GET HTTP/1.1\r\nHost: a.test\r\n\r\n"),
  served(["9112 §3", "a request line of 8000 octets"], request(`GET /${"a".repeat(7985)}`)),
  refused(["9112 §3", "a longer one is 414"], request(`GET /${"a".repeat(100_000)}`), 414),
  refused(["9112 §3", "an endless method is not a request line"], request(`${"A".repeat(100_000)} /`)),
  refused(["9112 §3.1", "a method is a token"], request("G@T /x")),
  refused(["9112 §3.1", "and not empty"], request(" /x")),
  refused(["9110 §9.1", "a method in lower case is a different method"], request("get /x"), 501),
  refused(["9110 §9.1", "an unknown method is 501"], request("FROB /x"), 501),
  served(["9110 §9.1", "a registered method is forwarded"], request("PROPFIND /x"), {
    upstream: (head) => expect(head?.startLine).toBe("PROPFIND /x HTTP/1.1"),
  }),

  refused(["9112 §3.2", "no space in a target"], request("GET /pa th")),
  refused(["9112 §3.2", "no fragment in a target"], request("GET /path#frag")),
  refused(["9112 §3.2", "no byte over 127 in a target"], request("GET /caf\xc3\xa9")),
  refused(["9112 §3.2", "no NUL in a target"], request("GET /\0test")),
  refused(["9112 §3.2", "a request of HTTP/1.1 has a Host"], "GET / HTTP/1.1\r\n\r\n"),
  refused(["9112 §3.2", "and one alone"], request("GET /x", "Host: b.test")),
  refused(["9112 §3.2", "even if both are equal"], request("GET /x", "Host: a.test")),
  refused(["9112 §3.2", "a Host with user info is invalid"], "GET / HTTP/1.1\r\nHost: user@a.test\r\n\r\n"),
  refused(["9112 §3.2", "a Host with a path is invalid"], "GET / HTTP/1.1\r\nHost: a.test/path\r\n\r\n"),
  refused(["9112 §3.2", "a Host with two names is invalid"], "GET / HTTP/1.1\r\nHost: a.test, b.test\r\n\r\n"),
  refused(["9112 §3.2", "an http URI has a host, so its Host is not empty"], "GET / HTTP/1.1\r\nHost: \r\n\r\n"),
  served(["9112 §3.2", "HTTP/1.0 needs no Host, but the origin gets one"], "GET /x HTTP/1.0\r\n\r\n", {
    stays: false,
    upstream: (head) => {
      expect(valuesOf(head ?? { fields: [] }, "host").join()).toMatch(/^127\.0\.0\.1:\d+$/);
      expect(valuesOf(head ?? { fields: [] }, "x-forwarded-host")).toEqual([]);
    },
  }),

  served(["9112 §3.2.1", "origin form is forwarded unchanged, with an empty query"], request("GET /a/b?"), {
    upstream: target("/a/b?"),
  }),
  served(["9112 §3.2.2", "absolute form is understood"], request("GET http://a.test/x?y"), {
    upstream: target("/x?y"),
  }),
  served(["9112 §3.2.2", "and its host replaces Host"], request("GET http://b.test/x"), {
    upstream: (head) => expect(valuesOf(head ?? { fields: [] }, "host")).toEqual(["b.test"]),
  }),
  refused(["9112 §3.2.2", "absolute form also needs a Host"], "GET http://a.test/x HTTP/1.1\r\n\r\n"),
  refused(["9112 §3.2.3", "authority form is only for CONNECT"], request("GET a.test:80")),
  refused(["9110 §9.3.6", "CONNECT is not served"], "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n", 501),
  refused(["9112 §3.2.4", "asterisk form is only for OPTIONS"], request("GET *")),
  served(["9112 §3.2.4", "the gateway responds to OPTIONS * itself"], request("OPTIONS *"), {
    method: "OPTIONS",
    status: 204,
    upstream: nothing,
  }),
  served(["9112 §3.2.4", "and to OPTIONS of a URI without path and query"], request("OPTIONS http://a.test"), {
    method: "OPTIONS",
    status: 204,
    upstream: nothing,
  }),
  served(["9112 §3.2.4", "OPTIONS of a path goes to the origin"], request("OPTIONS http://a.test/"), {
    method: "OPTIONS",
    upstream: target("/"),
  }),

  served(["9112 §4", "the reason phrase is forwarded unchanged"], request("GET /x"), {
    reply: responses("HTTP/1.1 299 Odd, but \xe9\xff allowed\r\nContent-Length: 0\r\n\r\n"),
    status: 299,
    response: (head) => expect(head.startLine).toBe("HTTP/1.1 299 Odd, but \xe9\xff allowed"),
  }),
  served(["9112 §4", "a status line can be without a reason phrase"], request("GET /x"), {
    reply: responses("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"),
  }),
];
