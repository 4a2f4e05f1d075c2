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
  refused(["9112 §2.2", "a bare LF ends no line"], "GET / HTTP/1.1\nHost: a.test\n\n"),
  refused(["9112 §2.2", "a bare CR is no line end and no space"], "GET / HTTP/1.1\rHost: a.test\r\n\r\n"),
  refused(["9112 §2.2", "white space between start line and fields"], "GET / HTTP/1.1\r\n \r\nHost: a.test\r\n\r\n"),
  refused(["9112 §2.2", "white space alone is no request"], "   \r\n\r\n"),
  refused(["9112 §2.2", "bytes that are no HTTP at all"], "\x00\x01\xfe\xff\x16\x03\x01\r\n\r\n"),
  served(["9112 §2.2", "one empty line before the request line is passed over"], `\r\n${request("GET /x")}`),
  served(["9112 §2.2", "so is the CRLF that old clients send behind a body"], `${request("POST /x")}\r\n`),

  served(
    ["9112 §2.3", "the gateway speaks 1.1 to the origin, whatever the client speaks"],
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
  refused(["9112 §2.3", "no space stands in it"], "GET / HTTP/ 1.1\r\nHost: a.test\r\n\r\n"),
  refused(["9112 §2.3", "a request line without version is HTTP/0.9, which is not spoken"], "GET /\r\n\r\n"),
  refused(["9110 §2.5", "another major version is 505"], "GET / HTTP/9.9\r\nHost: a.test\r\n\r\n", 505),
  refused(["9110 §2.5", "HTTP/2 is not spoken in the clothes of 1.1"], "GET / HTTP/2.0\r\nHost: a.test\r\n\r\n", 505),

  refused(["9112 §3", "one space before the target"], "GET  / HTTP/1.1\r\nHost: a.test\r\n\r\n"),
  refused(["9112 §3", "a space and not a tab"], "GET\t/ HTTP/1.1\r\nHost: a.test\r\n\r\n"),
  refused(["9112 §3", "one space before the version"], "GET /  HTTP/1.1\r\nHost: a.test\r\n\r\n"),
  refused(["9112 §3", "nothing behind the version"], "GET / HTTP/1.1 \r\nHost: a.test\r\n\r\n"),
  refused(["9112 §3", "a target"], "GET HTTP/1.1\r\nHost: a.test\r\n\r\n"),
  served(["9112 §3", "a request line of 8000 octets"], request(`GET /${"a".repeat(7985)}`)),
  refused(["9112 §3", "a longer one than is served is 414"], request(`GET /${"a".repeat(100_000)}`), 414),
  refused(["9112 §3", "a method without end is no request line"], request(`${"A".repeat(100_000)} /`)),
  refused(["9112 §3.1", "a method is a token"], request("G@T /x")),
  refused(["9112 §3.1", "and not empty"], request(" /x")),
  refused(["9110 §9.1", "a method in small letters is another one"], request("get /x"), 501),
  refused(["9110 §9.1", "an unknown method is 501"], request("FROB /x"), 501),
  served(["9110 §9.1", "a registered one is the origin's business"], request("PROPFIND /x"), {
    upstream: (head) => expect(head?.startLine).toBe("PROPFIND /x HTTP/1.1"),
  }),

  refused(["9112 §3.2", "no space in a target"], request("GET /pa th")),
  refused(["9112 §3.2", "no fragment in a target"], request("GET /path#frag")),
  refused(["9112 §3.2", "no byte over 127 in a target"], request("GET /caf\xc3\xa9")),
  refused(["9112 §3.2", "no NUL in a target"], request("GET /\0test")),
  refused(["9112 §3.2", "a request of HTTP/1.1 has a Host"], "GET / HTTP/1.1\r\n\r\n"),
  refused(["9112 §3.2", "and one alone"], request("GET /x", "Host: b.test")),
  refused(["9112 §3.2", "even where both are equal"], request("GET /x", "Host: a.test")),
  refused(["9112 §3.2", "a Host with user info is invalid"], "GET / HTTP/1.1\r\nHost: user@a.test\r\n\r\n"),
  refused(["9112 §3.2", "a Host with a path is invalid"], "GET / HTTP/1.1\r\nHost: a.test/path\r\n\r\n"),
  refused(["9112 §3.2", "a Host with two names is invalid"], "GET / HTTP/1.1\r\nHost: a.test, b.test\r\n\r\n"),
  refused(["9112 §3.2", "an http URI has a host, so its Host is not empty"], "GET / HTTP/1.1\r\nHost: \r\n\r\n"),
  served(["9112 §3.2", "HTTP/1.0 needs no Host, and the origin gets one all the same"], "GET /x HTTP/1.0\r\n\r\n", {
    stays: false,
    upstream: (head) => {
      expect(valuesOf(head ?? { fields: [] }, "host").join()).toMatch(/^127\.0\.0\.1:\d+$/);
      expect(valuesOf(head ?? { fields: [] }, "x-forwarded-host")).toEqual([]);
    },
  }),

  served(["9112 §3.2.1", "origin form goes on as it is, with an empty query"], request("GET /a/b?"), {
    upstream: target("/a/b?"),
  }),
  served(["9112 §3.2.2", "absolute form is understood"], request("GET http://a.test/x?y"), {
    upstream: target("/x?y"),
  }),
  served(["9112 §3.2.2", "and its host wins over Host, which is sent on anew"], request("GET http://b.test/x"), {
    upstream: (head) => expect(valuesOf(head ?? { fields: [] }, "host")).toEqual(["b.test"]),
  }),
  refused(["9112 §3.2.2", "absolute form needs a Host all the same"], "GET http://a.test/x HTTP/1.1\r\n\r\n"),
  refused(["9112 §3.2.3", "authority form is CONNECT's alone"], request("GET a.test:80")),
  refused(["9110 §9.3.6", "CONNECT is not served"], "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n", 501),
  refused(["9112 §3.2.4", "asterisk form is OPTIONS' alone"], request("GET *")),
  served(["9112 §3.2.4", "OPTIONS * asks this server, and gets its response"], request("OPTIONS *"), {
    method: "OPTIONS",
    status: 204,
    upstream: nothing,
  }),
  served(["9112 §3.2.4", "so does OPTIONS of a URI without path and query"], request("OPTIONS http://a.test"), {
    method: "OPTIONS",
    status: 204,
    upstream: nothing,
  }),
  served(["9112 §3.2.4", "OPTIONS of a path goes to the origin"], request("OPTIONS http://a.test/"), {
    method: "OPTIONS",
    upstream: target("/"),
  }),

  served(["9112 §4", "the reason is passed on as it is"], request("GET /x"), {
    reply: responses("HTTP/1.1 299 Odd, but \xe9\xff allowed\r\nContent-Length: 0\r\n\r\n"),
    status: 299,
    response: (head) => expect(head.startLine).toBe("HTTP/1.1 299 Odd, but \xe9\xff allowed"),
  }),
  served(["9112 §4", "a status line may lack its reason"], request("GET /x"), {
    reply: responses("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"),
  }),
];
