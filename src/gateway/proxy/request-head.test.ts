import { describe, expect, test } from "bun:test";
import { TextPieces } from "../../lib/memory/text-pieces.ts";
import { type RequestHead } from "../exchange/exchange.ts";
import { type Endpoint } from "../wire/tcp.ts";
import { addHttp1Head, http2Request, mayGather } from "./request-head.ts";
import { type OwnOrigin } from "./subrequest.ts";
import { type ForwardTarget } from "./target.ts";
import { TestClient } from "./testing/test-client.ts";

const SERVER: Endpoint = { address: "10.0.0.1", port: 8080 };
const TARGET = {
  rewrite: undefined,
  extraNames: [],
  extraFields: "",
  host: undefined,
  tellsClient: true,
  serviceName: "turnpike",
} as const;

function targetOf(change: object): ForwardTarget {
  // No other members are read.
  return { ...TARGET, ...change } as unknown as ForwardTarget;
}

function http1(
  head: Partial<RequestHead>,
  change: object = {},
  { endpoint = SERVER, ...origin }: Partial<OwnOrigin> & { readonly endpoint?: Endpoint } = {},
): string {
  const pieces = new TextPieces().begin();
  addHttp1Head(pieces, new TestClient(head, origin).exchange, targetOf(change), endpoint);
  return pieces.join();
}

/** The lines about the client of the usual request. */
const ABOUT =
  "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: a.test\r\nX-Real-IP: 192.0.2.1\r\n";

describe("the head of an upstream request", () => {
  test("has the target, the Host, the lines about the client, the client's fields and the id", () => {
    expect(http1({ path: "/a", query: "?b=1", fields: "X: 1\r\n" })).toBe(
      `GET /a?b=1 HTTP/1.1\r\nHost: a.test\r\n${ABOUT}Via: 1.1 turnpike\r\nX: 1\r\nX-Request-Id: id-1\r\n`,
    );
  });

  test.each<[string, Parameters<typeof http1>, string, boolean]>([
    [
      "a rewritten path",
      [{ path: "/a", query: "?q" }, { rewrite: (path: string) => `/new${path}` }],
      "GET /new/a?q HTTP/1.1\r\n",
      true,
    ],
    ["the host of the route", [{}, { host: "own.test" }], "Host: own.test\r\nX-Forwarded-For: 192.0.2.1\r\n", true],
    ["the server without a host", [{ authority: "" }], "Host: 10.0.0.1:8080\r\n", true],
    ["no host of its client", [{ authority: "" }], "X-Forwarded-Host", false],
    ["localhost for a socket", [{ authority: "" }, {}, { endpoint: { unix: "/run/a" } }], "Host: localhost\r\n", true],
    [
      "the route's fields",
      [{ fields: "X: 1\r\nY: 2\r\n" }, { extraNames: ["x"], extraFields: "X: own\r\n" }],
      "turnpike\r\nY: 2\r\nX: own\r\nX-Request-Id",
      true,
    ],
    [
      "the addresses of earlier proxies",
      [{ forwardedFor: "1.1.1.1" }],
      "X-Forwarded-For: 1.1.1.1, 192.0.2.1\r\n",
      true,
    ],
    ["the address that a trusted proxy names", [{}, {}, { clientAddress: "1.1.1.1" }], "X-Real-IP: 1.1.1.1\r\n", true],
    ["earlier hops", [{ via: "1.0 old" }], "Via: 1.0 old, 1.1 turnpike\r\n", true],
    ["the client's version", [{}, {}, { protocol: "HTTP/2.0" }], "Via: 2.0 turnpike\r\n", true],
    ["the client's old version", [{}, {}, { protocol: "HTTP/1.0" }], "Via: 1.0 turnpike\r\n", true],
    ["the scheme", [{ scheme: "https" }], "X-Forwarded-Proto: https\r\n", true],
    ["no expectation without a body", [{ expectContinue: true }], "Expect", false],
    ["an expectation with a body", [{ expectContinue: true, bodyLength: 1 }], "Expect: 100-continue\r\n", true],
    [
      "an expectation with a body of unknown length",
      [{ expectContinue: true, bodyLength: -1 }],
      "Expect: 100-continue\r\n",
      true,
    ],
    ["no expectation of others", [{ bodyLength: 1 }], "Expect", false],
  ])("has %s", (_what, args, text, isPart) => {
    expect(http1(...args).includes(text)).toBe(isPart);
  });

  test("tells nothing about the client if the route does not", () => {
    const text = http1({ forwardedFor: "1.1.1.1" }, { tellsClient: false }, { clientAddress: "1.1.1.1" });
    expect(text).not.toMatch(/192\.0\.2\.1|1\.1\.1\.1|X-Real-IP|X-Forwarded-For/);
    expect(text).toContain("X-Forwarded-Host: a.test\r\n");
  });

  test("keeps the lines about the client for the same host, client and route only", () => {
    const client = new TestClient().exchange;
    const linesFor = (change: object, head: Partial<RequestHead> = {}): string => {
      Object.assign(client.head, { forwardedFor: "", via: "", authority: "a.test" }, head);
      const pieces = new TextPieces().begin();
      addHttp1Head(pieces, client, targetOf(change), SERVER);
      return pieces.join();
    };
    const usual = linesFor({});
    const kept = Reflect.get(client, "clientLines") as { lines: string };
    expect(usual).toContain(kept.lines);
    expect(linesFor({})).toBe(usual);
    expect(Reflect.get(client, "clientLines")).toBe(kept);
    expect(linesFor({ host: "b.test" })).toContain("Host: b.test\r\n");
    expect(linesFor({ serviceName: "other" })).toContain("Via: 1.1 other\r\n");
    expect(linesFor({ tellsClient: false })).not.toContain("X-Forwarded-For");
    expect(linesFor({})).toBe(usual);
    expect(linesFor({}, { authority: "c.test" })).toContain("X-Forwarded-Host: c.test\r\n");
    expect(linesFor({}, { via: "1.0 old" })).toContain("Via: 1.0 old, ");
    expect(linesFor({}, { forwardedFor: "1.1.1.1" })).toContain("For: 1.1.1.1, ");
    expect(linesFor({})).toBe(usual);
    client.clientAddress = "1.1.1.1";
    expect(linesFor({})).toContain("X-Real-IP: 1.1.1.1\r\n");
  });
});

describe("the same for HTTP/2", () => {
  test("has the same fields", () => {
    const head = { path: "/a", query: "?q", fields: "X: 1\r\nY: 2\r\n", bodyLength: 3, expectContinue: true };
    const target = targetOf({ rewrite: (path: string) => `/new${path}`, extraNames: ["x"], extraFields: "Z: 3\r\n" });
    expect(http2Request(new TestClient(head).exchange, target, SERVER, "https")).toEqual({
      method: "GET",
      scheme: "https",
      authority: "a.test",
      path: "/new/a?q",
      fields: `${ABOUT}Via: 1.1 turnpike\r\nY: 2\r\nZ: 3\r\n`,
      ownFields: "X-Request-Id: id-1\r\nExpect: 100-continue\r\n",
      bodyLength: 3,
    });
  });

  test("has the route's host, and te only for calls of gRPC", () => {
    const call = http2Request(new TestClient({ isGrpc: true }).exchange, targetOf({ host: "b.test" }), SERVER, "http");
    expect([call.authority, call.fields.endsWith("te: trailers\r\n")]).toEqual(["b.test", true]);
    expect(http2Request(new TestClient().exchange, targetOf({}), SERVER, "http").fields).not.toContain("te:");
  });
});

test.each<[Partial<RequestHead>, boolean]>([
  [{ bodyLength: 1 }, true],
  [{ bodyLength: -1 }, true],
  [{ bodyLength: 0 }, false],
  [{ bodyLength: 1, isGrpc: true }, false],
  [{ bodyLength: -1, upgrade: "websocket" }, false],
  [{ bodyLength: 10, expectContinue: true }, true],
  [{ bodyLength: 11, expectContinue: true }, false],
  [{ bodyLength: 11 }, true],
])("a body of %j may be gathered up to 10 bytes: %p", (head, expected) => {
  expect(mayGather(new TestClient(head).exchange.head, 10)).toBe(expected);
});
