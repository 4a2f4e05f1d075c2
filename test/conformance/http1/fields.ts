/** RFC 9112 §5 and RFC 9110 §5 to §7: fields, and their treatment by an intermediary. */
import { expect } from "bun:test";
import { type Message, valuesOf } from "../../support/message.ts";
import { responses, chunked, refused, request, type Rule, served } from "./rule.ts";

function has(message: Message | undefined, name: string): string[] {
  return valuesOf(message ?? { fields: [] }, name);
}

const passesNot =
  (...names: readonly string[]) =>
  (message: Message | undefined): void => {
    for (const name of names) expect([name, ...has(message, name)]).toEqual([name]);
  };

const passes =
  (name: string, ...values: readonly string[]) =>
  (message: Message | undefined): void =>
    expect(has(message, name)).toEqual([...values]);

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n";

export const FIELD_RULES: readonly Rule[] = [
  refused(["9112 §5", "a name is a token"], request("GET /x", "Bad[Name: value")),
  refused(["9112 §5", "and not empty"], request("GET /x", ": value")),
  refused(["9112 §5", "a tab is in no token"], request("GET /x", "Content\tLength: 5")),
  refused(["9112 §5", "a byte over 127 is in no token"], request("GET /x", "X-T\xc3\xabst: value")),
  refused(["9112 §5", "a line has a colon"], request("GET /x", "NoColonHere")),
  refused(["9112 §5.1", "no white space before the colon"], request("GET /x", "X-Test : value")),
  refused(["9112 §5.1", "nor a tab"], request("GET /x", "X-Test\t: value")),
  refused(["9112 §5.2", "a folded value"], request("GET /x", "X-Test: value", " continued")),
  refused(["9112 §5.2", "a value folded with a tab"], request("GET /x", "X-Test: value", "\tcontinued")),
  served(["9110 §5.1", "names keep their case"], request("GET /x", "x-OdD: v"), {
    upstream: (head) => expect(head?.fields.map(([name]) => name)).toContain("x-OdD"),
  }),
  served(["9110 §5.3", "lines of one name keep their order"], request("GET /x", "X: 1", "Y: 2", "x: 3"), {
    upstream: passes("x", "1", "3"),
  }),
  refused(["9110 §5.4", "a field too large is a 4xx"], request("GET /x", `X: ${"y".repeat(100_000)}`), 431),
  refused(["9110 §5.4", "a name too large is a 4xx"], request("GET /x", `${"X".repeat(100_000)}: y`), 431),
  refused(
    ["9110 §5.4", "ten thousand fields are a 4xx"],
    request("GET /x", ...Array.from({ length: 10_000 }, (_, i) => `X-${i}: y`)),
    431,
  ),
  refused(["9110 §5.5", "no NUL in a value"], request("GET /x", "X: a\0b")),
  refused(["9110 §5.5", "no CR in a value"], request("GET /x", "X: a\rb")),
  refused(["9110 §5.5", "no LF in a value"], request("GET /x", "X: a\nb")),
  refused(["9110 §5.5", "no other control character in a value"], request("GET /x", "X: a\x07\x08\x0bb")),
  refused(["9110 §5.5", "no DEL in a value"], request("GET /x", "X: a\x7fb")),
  served(["9110 §5.5", "bytes over 127 are opaque"], request("GET /x", "X: \xe9\xff"), {
    upstream: passes("x", "\xe9\xff"),
  }),
  served(["9110 §5.5", "a value may be empty"], request("GET /x", "X:"), { upstream: passes("x", "") }),
  served(
    ["9110 §5.6.3", "white space around a value is a tab or a space"],
    request("GET /x", "Connection:\t close \t"),
    {
      stays: false,
    },
  ),
  refused(
    ["9110 §5.3", "only one Content-Type, because it is not a list"],
    `${request("POST /x", "Content-Type: text/plain", "Content-Type: text/html", "Content-Length: 5")}hello`,
  ),
  served(
    ["9110 §5.3", "the same value twice is accepted"],
    `${request("POST /x", "Content-Type: text/plain", "Content-Type: text/plain", "Content-Length: 5")}hello`,
    { upstream: (head) => expect(head?.body).toBe("hello") },
  ),

  served(
    ["9110 §6.5.1", "trailers that frame or route a message are not forwarded"],
    chunked("0\r\nContent-Length: 50\r\nHost: b\r\nTransfer-Encoding: x\r\nX: y\r\n\r\n"),
    {
      upstream: (head) => expect(head?.trailers).toEqual([["X", "y"]]),
    },
  ),
  served(["9110 §6.5.2", "trailers stay trailers"], chunked("5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"), {
    upstream: (head) => {
      passesNot("x-sum")(head);
      expect(head?.trailers).toEqual([["X-Sum", "1"]]);
    },
  }),
  served(["9110 §6.6.1", "a response without Date gets one, as IMF-fixdate"], request("GET /x"), {
    reply: responses(`${OK}\r\nok`),
    response: (head) =>
      expect(has(head, "date").join()).toMatch(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/),
  }),
  served(["9110 §6.6.1", "a response's own Date is kept"], request("GET /x"), {
    reply: responses(`${OK}Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nok`),
    response: passes("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
  }),

  served(
    ["9110 §7.6.1", "Connection and the fields that it names are not forwarded"],
    request("GET /x", "Connection: X-Hop, keep-alive", "X-Hop: 1", "X-End: 2"),
    {
      upstream: (head) => {
        passesNot("connection", "x-hop", "keep-alive")(head);
        passes("x-end", "2")(head);
      },
    },
  ),
  served(
    ["9110 §7.6.1", "nor are the hop-by-hop fields of older clients"],
    request(
      "GET /x",
      "Keep-Alive: timeout=5",
      "Proxy-Connection: keep-alive",
      "TE: trailers",
      "Upgrade: x",
      "Trailer: Y",
    ),
    {
      upstream: passesNot("keep-alive", "proxy-connection", "te", "upgrade", "trailer"),
    },
  ),
  served(["9110 §7.6.1", "nor are those of a response"], request("GET /x"), {
    reply: responses(
      `${OK}Connection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nProxy-Connection: close\r\nX-End: 2\r\n\r\nok`,
    ),
    response: (head) => {
      passesNot("connection", "x-hop", "keep-alive", "proxy-connection")(head);
      passes("x-end", "2")(head);
    },
  }),
  served(
    ["9110 §7.6.1", "naming Host or Content-Length in Connection removes neither"],
    `${request("POST /x", "Connection: Host, Content-Length", "Content-Length: 5")}hello`,
    {
      upstream: (head) => {
        passes("host", "a.test")(head);
        expect(head?.body).toBe("hello");
      },
    },
  ),
  served(["9110 §7.6.2", "Max-Forwards of OPTIONS is decremented"], request("OPTIONS /x", "Max-Forwards: 3"), {
    method: "OPTIONS",
    upstream: passes("max-forwards", "2"),
  }),
  served(["9110 §7.6.2", "and the gateway responds itself at 0"], request("OPTIONS /x", "Max-Forwards: 0"), {
    method: "OPTIONS",
    status: 204,
    upstream: (head) => expect(head).toBeUndefined(),
  }),
  served(
    ["9110 §7.6.2", "Max-Forwards of other methods is forwarded unchanged"],
    request("GET /x", "Max-Forwards: 0"),
    {
      upstream: passes("max-forwards", "0"),
    },
  ),
  served(["9110 §7.6.3", "the request has the gateway in Via"], request("GET /x", "Via: 1.0 fred"), {
    upstream: (head) => expect(has(head, "via").join(", ")).toMatch(/^1\.0 fred, 1\.1 \S+$/),
  }),
  served(
    ["9110 §7.6.3", "with the client's HTTP version"],
    "GET /x HTTP/1.0\r\nHost: a.test\r\nConnection: keep-alive\r\n\r\n",
    { upstream: (head) => expect(has(head, "via").join()).toMatch(/^1\.0 \S+$/) },
  ),
  served(
    ["9110 §7.7", "a request's fields are not changed"],
    request("GET /x", 'Accept: a/b;q="x, y" , c/d', "Cookie: a=b;c=d"),
    {
      upstream: (head) => {
        passes("accept", 'a/b;q="x, y" , c/d')(head);
        passes("cookie", "a=b;c=d")(head);
      },
    },
  ),
  served(
    ["9110 §7.8", "an unknown upgrade is ignored, and not forwarded"],
    request("GET /x", "Connection: Upgrade", "Upgrade: made-up/1.0"),
    {
      upstream: passesNot("upgrade", "connection"),
    },
  ),
  served(
    ["9110 §7.8", "Upgrade without its connection option is ignored"],
    request("GET /x", "Upgrade: websocket", "Sec-WebSocket-Version: 13"),
    {
      upstream: passesNot("upgrade"),
    },
  ),
  served(
    ["9110 §7.8", "so is one in HTTP/1.0"],
    "GET /x HTTP/1.0\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    {
      stays: false,
      upstream: passesNot("upgrade"),
    },
  ),
  served(
    ["6455 §4.2.2", "a handshake in an unknown version is 426, with a known version"],
    request("GET /x", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 99"),
    {
      status: 426,
      stays: false,
      upstream: (head) => expect(head).toBeUndefined(),
      response: (head) => {
        passes("upgrade", "websocket")(head);
        passes("connection", "upgrade", "close")(head);
        passes("sec-websocket-version", "13")(head);
      },
    },
  ),
  served(["9110 §7.8", "a 101 without an upgrade request is a bad response"], request("GET /x"), {
    reply: responses("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
    status: 502,
  }),

  served(
    ["3875 §4.1.18", "a name with underscores in place of hyphens has no meaning, and is not forwarded"],
    `${request("POST /x", "Content-Length: 5", "Content_Length: 99", "Transfer_Encoding: chunked", "X_Forwarded_For: 6.6.6.6")}hello`,
    {
      upstream: (head) => {
        expect(head?.body).toBe("hello");
        passesNot("content_length", "transfer_encoding", "x_forwarded_for")(head);
      },
    },
  ),
];
