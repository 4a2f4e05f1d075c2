/** RFC 9113 §8: requests and responses. */
import { expect } from "bun:test";
import { fieldOf, get, post, requestFields } from "../../support/http2-client.ts";
import * as h2 from "../../support/http2-frames.ts";
import { block, type HeaderList } from "../../support/http2-hpack.ts";
import { responded, bytesOf, type Case, HOLD, script, served, streamError } from "./case.ts";

const METHOD = [":method", "GET"] as const;
const SCHEME = [":scheme", "http"] as const;
const PATH = [":path", "/x"] as const;
const AUTHORITY = [":authority", "a.test"] as const;

function request(...list: HeaderList): Buffer {
  return h2.frame(h2.HEADERS, h2.END_BOTH, 1, block(list));
}

/** A valid request with one more field. */
function withField(name: string, value: string): Buffer {
  return get(1, "/x", [[name, value]]);
}

function malformed(section: string, rule: string, ...frames: readonly Buffer[]): Case {
  return streamError([`9113 §${section}`, rule], h2.PROTOCOL_ERROR, ...frames);
}

function trailers(streamId: number, flags: number, ...list: HeaderList): Buffer {
  return h2.frame(h2.HEADERS, flags | h2.END_HEADERS, streamId, block(list));
}

const LENGTH_5: HeaderList = [["content-length", "5"]];

export const MESSAGE_CASES: readonly Case[] = [
  script(["9113 §8.1", "a request with a body, and its response"], async (client) => {
    client.send(post(1), h2.data(1, "hello", h2.END_STREAM));
    const { status, body } = await client.response(1);
    expect([status, body.toString()]).toEqual([200, "POST /x hello"]);
  }),
  script(["9113 §8.1", "HEAD has no body, and keeps its length"], async (client) => {
    client.send(h2.frame(h2.HEADERS, h2.END_BOTH, 1, block(requestFields("/x", "HEAD"))));
    const { status, body, fields } = await client.response(1);
    expect([status, body.length, fieldOf(fields, "content-length")]).toEqual([200, 0, "7"]);
  }),
  script(["9113 §8.1", "204 and 304 have no body either"], async (client) => {
    client.send(get(1, "/status/204"), get(3, "/status/304"));
    for (const [streamId, status] of [
      [1, 204],
      [3, 304],
    ] as const) {
      const response = await client.response(streamId);
      expect([response.status, response.body.length]).toEqual([status, 0]);
    }
  }),
  script(["9113 §8.1", "interim responses come before the final one"], async (client) => {
    client.send(get(1, "/early"));
    const { status, interim } = await client.response(1);
    expect([interim, status]).toEqual([[103], 200]);
  }),
  script(["9113 §8.1", "a client's trailers are forwarded after the body"], async (client) => {
    client.send(post(1, "/trailers"), h2.data(1, "hello"), trailers(1, h2.END_STREAM, ["x-sum", "1"]));
    expect((await client.response(1)).body.toString()).toBe("x-sum: 1");
  }),
  script(["9113 §8.1", "an origin's trailers reach the client"], async (client) => {
    client.send(get(1, "/answer-trailers"));
    expect((await client.response(1)).trailers).toEqual([["x-sum", "1"]]);
  }),
  malformed(
    "8.1",
    "trailers that do not end the stream",
    post(1, HOLD),
    h2.data(1, "x"),
    trailers(1, 0, ["x-sum", "1"]),
  ),
  malformed("8.1", "a second head in the middle of a body", post(1, HOLD), h2.data(1, "x"), post(1, HOLD)),
  malformed("8.1", "pseudo-header fields in trailers", post(1, HOLD), trailers(1, h2.END_STREAM, PATH)),
  malformed("8.1", "names in capitals in trailers", post(1, HOLD), trailers(1, h2.END_STREAM, ["X-Sum", "1"])),
  script(
    ["9113 §8.1", "a response before the body's end is complete, and the rest of the body is not read"],
    async (client) => {
      client.send(post(1, "/at-once"), h2.data(1, "some"));
      expect((await client.response(1)).status).toBe(200);
      expect(await client.resetCode(1)).toBe(h2.NO_ERROR);
    },
  ),
  script(["9113 §8.1", "a response that breaks off is reset"], async (client) => {
    client.send(get(1, "/broken"));
    expect(await client.resetCode(1)).not.toBe(h2.NO_ERROR);
    client.send(get(3));
    expect((await client.response(3)).status).toBe(200);
  }),

  malformed("8.1.1", "a body shorter than its length", post(1, HOLD, LENGTH_5), h2.data(1, "hell", h2.END_STREAM)),
  malformed("8.1.1", "a body longer than its length", post(1, HOLD, LENGTH_5), h2.data(1, "hello!", h2.END_STREAM)),
  malformed(
    "8.1.1",
    "several frames longer than the length",
    post(1, HOLD, LENGTH_5),
    h2.data(1, "hell"),
    h2.data(1, "o!", h2.END_STREAM),
  ),
  malformed("8.1.1", "no body although there is a length", get(1, "/x", LENGTH_5)),
  malformed(
    "8.1.1",
    "a body shorter than its length before trailers",
    post(1, HOLD, LENGTH_5),
    h2.data(1, "hell"),
    trailers(1, h2.END_STREAM, ["t", "1"]),
  ),
  malformed(
    "8.1.1",
    "two lengths that differ",
    post(1, HOLD, [
      ["content-length", "5"],
      ["content-length", "6"],
    ]),
  ),
  malformed("8.1.1", "a length that is not a number", post(1, HOLD, [["content-length", "+5"]])),
  served(["9113 §8.1.1", "a body of its length"], post(1, "/x", LENGTH_5), h2.data(1, "hello", h2.END_STREAM)),
  served(["9113 §8.1.1", "a length of 0 without a body"], get(1, "/x", [["content-length", "0"]])),

  malformed("8.2.1", "a name in capitals", withField("X-Test", "ok")),
  malformed("8.2.1", "an empty name", withField("", "ok")),
  ...["a b", "a\0", "a\x1f", "a\x7f", "a\xe9", "a(b", "a,b"].map((name) =>
    malformed("8.2.1", `the name ${JSON.stringify(name)}`, withField(name, "ok")),
  ),
  malformed("8.2.1", "a colon inside a name", withField("x:y", "ok")),
  ...["a\0b", "a\rb", "a\nb", " a", "a ", "\ta", "a\t", "a\x7fb", "a\x01b"].map((value) =>
    malformed("8.2.1", `the value ${JSON.stringify(value)}`, withField("x-test", value)),
  ),
  served(["9113 §8.2.1", "bytes over 127 in a value"], withField("x-test", "caf\xc3\xa9")),
  served(["9113 §8.2.1", "an empty value"], withField("x-test", "")),
  ...["connection", "proxy-connection", "keep-alive", "upgrade"].map((name) =>
    malformed("8.2.2", `the field ${name}`, withField(name, "x")),
  ),
  malformed("8.2.2", "the field transfer-encoding", withField("transfer-encoding", "chunked")),
  malformed("8.2.2", "TE that is not `trailers`", withField("te", "trailers, deflate")),
  served(["9113 §8.2.2", "TE: trailers"], withField("te", "trailers")),
  script(
    ["9113 §8.2.2", "a response has no connection-specific fields, and only names in lower case"],
    async (client) => {
      client.send(get(1, "/hop"));
      const { fields } = await client.response(1);
      const names = fields.map(([name]) => name);
      expect(names.filter((name) => /^(connection|keep-alive|transfer-encoding|upgrade|x-hop)$/i.test(name))).toEqual(
        [],
      );
      expect(names.filter((name) => name !== name.toLowerCase())).toEqual([]);
      expect(fieldOf(fields, "x-mixed")).toBe("Value");
    },
  ),
  script(["9110 §7.6.3", "Via tells the origin that the request came by HTTP/2"], async (client) => {
    client.send(get(1, "/via", [["via", "1.1 fred"]]));
    expect((await client.response(1)).body.toString()).toMatch(/^1\.1 fred, 2\.0 \S+$/);
  }),
  script(["9113 §8.2.3", "several Cookie fields become one"], async (client) => {
    client.send(
      get(1, "/cookie", [
        ["cookie", "a=b"],
        ["x", "y"],
        ["cookie", "c=d"],
      ]),
    );
    expect((await client.response(1)).body.toString()).toBe("a=b; c=d");
  }),

  malformed("8.3", "an unknown pseudo-header field", request(METHOD, SCHEME, PATH, AUTHORITY, [":test", "ok"])),
  malformed("8.3", "a response's pseudo-header field", request(METHOD, SCHEME, PATH, AUTHORITY, [":status", "200"])),
  malformed(
    "8.3",
    "a pseudo-header field behind another field",
    request(METHOD, SCHEME, PATH, ["x-test", "ok"], AUTHORITY),
  ),
  malformed("8.3.1", "no :method", request(SCHEME, PATH, AUTHORITY)),
  malformed("8.3.1", "no :scheme", request(METHOD, PATH, AUTHORITY)),
  malformed("8.3.1", "no :path", request(METHOD, SCHEME, AUTHORITY)),
  malformed("8.3.1", "an empty :path", request(METHOD, SCHEME, [":path", ""], AUTHORITY)),
  malformed("8.3.1", "an empty :method", request([":method", ""], SCHEME, PATH, AUTHORITY)),
  malformed("8.3.1", "two :method", request(METHOD, METHOD, SCHEME, PATH, AUTHORITY)),
  malformed("8.3.1", "two :scheme", request(METHOD, SCHEME, SCHEME, PATH, AUTHORITY)),
  malformed("8.3.1", "two :path", request(METHOD, SCHEME, PATH, PATH, AUTHORITY)),
  malformed("8.3.1", "two :authority", request(METHOD, SCHEME, PATH, AUTHORITY, AUTHORITY)),
  malformed("8.3.1", "a :path without a slash", request(METHOD, SCHEME, [":path", "x"], AUTHORITY)),
  malformed(
    "8.3.1",
    "a :path of * with a method other than OPTIONS",
    request(METHOD, SCHEME, [":path", "*"], AUTHORITY),
  ),
  malformed("8.3.1", "a space in :path", request(METHOD, SCHEME, [":path", "/x HTTP/1.1"], AUTHORITY)),
  malformed("8.3.1", "CR and LF in :path", request(METHOD, SCHEME, [":path", "/x\r\nHost: b"], AUTHORITY)),
  malformed(
    "8.3.1",
    "a :method that is not a token",
    request([":method", "GET /y HTTP/1.1\r\n"], SCHEME, PATH, AUTHORITY),
  ),
  malformed("8.3.1", ":authority and Host that differ", request(METHOD, SCHEME, PATH, AUTHORITY, ["host", "b.test"])),
  served(
    ["9113 §8.3.1", ":authority and Host that are equal"],
    request(METHOD, SCHEME, PATH, AUTHORITY, ["host", "a.test"]),
  ),
  served(["9113 §8.3.1", "Host in place of :authority"], request(METHOD, SCHEME, PATH, ["host", "a.test"])),
  responded(["9113 §8.3.1", "neither is a 400"], 400, request(METHOD, SCHEME, PATH)),
  responded(
    ["9113 §8.3.1", "user info in :authority is a 400"],
    400,
    request(METHOD, SCHEME, PATH, [":authority", "user@a.test"]),
  ),
  responded(
    ["9113 §8.3.1", "the gateway responds to OPTIONS *"],
    204,
    request([":method", "OPTIONS"], SCHEME, [":path", "*"], AUTHORITY),
  ),
  responded(["9110 §9.3.8", "TRACE is not served"], 501, request([":method", "TRACE"], SCHEME, PATH, AUTHORITY)),
  malformed("8.5", "CONNECT with :path", request([":method", "CONNECT"], SCHEME, PATH, AUTHORITY)),
  malformed("8.5", "CONNECT without :authority", request([":method", "CONNECT"])),
  responded(["9113 §8.5", "CONNECT is not served"], 501, request([":method", "CONNECT"], [":authority", "a.test:443"])),
  responded(["9110 §15.5.18", "an unknown expectation is 417"], 417, withField("expect", "200-ok")),
  responded(
    ["6585 §5", "a list over SETTINGS_MAX_HEADER_LIST_SIZE is 431"],
    431,
    get(1, "/x", [["x-big", "y".repeat(9000)]]),
  ),
  responded(
    ["6585 §5", "too many fields are 431"],
    431,
    get(
      1,
      "/x",
      Array.from({ length: 140 }, (_, i) => [`x${i}`, ""] as const),
    ),
  ),
  responded(["9110 §15.5.1", "an encoded slash in :path is 400"], 400, get(1, "/a%2fb")),

  script(["9113 §8.4", "the server never pushes"], async (client) => {
    client.send(h2.settings([h2.ENABLE_PUSH, 1]), get(1, bytesOf(10)));
    await client.response(1);
    await client.fence();
    expect(client.frames.filter(({ type }) => type === h2.PUSH_PROMISE)).toEqual([]);
  }),
];
