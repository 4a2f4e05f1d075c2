import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ClientConnection } from "./client-connection.ts";
import { sendGathered, Outgoing } from "../wire/outgoing.ts";
import { type ClientTunnel } from "./client-tunnel.ts";
import { OK, Owner, Sink } from "./testing/client-peers.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";

let owner: Owner;
let wire: FakeWire;
let connection: ClientConnection;
let sink: Sink;

function open(): void {
  owner = new Owner();
  wire = new FakeWire();
  connection = new ClientConnection(owner);
  wire.onClose = () => connection.onClose();
  connection.attach(wire);
  sink = new Sink();
}

beforeEach(open);

function ask(method = "GET", bodyLength = 0): void {
  connection.request(method, `${method} / HTTP/1.1\r\nHost: h\r\n`, bodyLength, sink);
  sendGathered();
}

function arrive(text: string): void {
  connection.onData(Buffer.from(text, "latin1"));
}

/** Bytes that the chunk of this response still has after the connection has read it. */
function left(response: string): number {
  const chunk = Buffer.from(response, "latin1");
  connection.onData(chunk);
  return chunk.length;
}

describe("requests", () => {
  test.each([
    ["GET", 0, ""],
    ["POST", 0, "Content-Length: 0\r\n"],
    ["PUT", 7, "Content-Length: 7\r\n"],
    ["POST", -1, "Transfer-Encoding: chunked\r\n"],
    ["PUT", 0, "Content-Length: 0\r\n"],
    ["PATCH", 0, "Content-Length: 0\r\n"],
    ["DELETE", 0, ""],
    ["DELETE", 1, "Content-Length: 1\r\n"],
  ])("%s with a body of %p is framed by %p", (method, length, framing) => {
    ask(method, length);
    expect(wire.text).toBe(`${method} / HTTP/1.1\r\nHost: h\r\n${framing}\r\n`);
  });

  test("a body of unknown length is sent in chunks, with its trailers", () => {
    ask("POST", -1);
    connection.data(Buffer.from("hello"));
    connection.data(Buffer.alloc(0));
    connection.end("X-Sum: 1\r\n");
    sendGathered();
    expect(wire.text.split("\r\n\r\n").slice(1).join("\r\n\r\n")).toBe("5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n");
  });

  test("a server that reads slowly pauses the body", () => {
    ask("POST", 300_000);
    let sendable = 0;
    connection.onSendable = () => sendable++;
    wire.takes = [1000];
    expect(connection.data(Buffer.alloc(200_000))).toBe(false);
    expect(sendable).toBe(0);
    connection.onDrain();
    expect(sendable).toBe(1);
    expect(connection.data(Buffer.alloc(100_000))).toBe(true);
  });
});

describe("responses", () => {
  test.each([
    ["a length", OK("hello"), "hello", ""],
    [
      "chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
      "hello",
      "",
    ],
    [
      "chunks and trailers",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\nHost: h\r\n\r\n",
      "hello",
      "X-Sum: 1\r\nHost: h\r\n",
    ],
    ["no body", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "", ""],
    ["a 304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "", ""],
    ["an empty body", OK(""), "", ""],
  ])("a response with %s is complete, and frees the connection, however it is split", (_name, text, body, trailers) => {
    for (const size of [1, 2, 3, 7, 1000]) {
      open();
      ask();
      for (let at = 0; at < text.length; at += size) arrive(text.slice(at, at + size));
      expect([sink.body, sink.ends, sink.errors.length]).toEqual([body, [trailers], 0]);
      expect([owner.freed, owner.gone, wire.closed]).toEqual([1, 0, false]);
    }
  });

  test("a response to HEAD has no body, whatever it announces", () => {
    ask("HEAD");
    arrive("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
    expect([sink.heads[0]?.bodyLength, sink.ends.length, owner.freed]).toEqual([500, 1, 1]);
  });

  test("a response without framing ends with the connection", () => {
    ask();
    arrive("HTTP/1.1 200 OK\r\n\r\nhel");
    arrive("lo");
    connection.onEnd();
    expect([sink.body, sink.ends.length, owner.freed, wire.closed]).toEqual(["hello", 1, 0, true]);
  });

  test.each([
    ["Connection: close", OK("hi", "Connection: close\r\n")],
    ["HTTP/1.0", OK("hi").replace("1.1", "1.0")],
  ])("a connection is not used again after %s", (_name, text) => {
    ask();
    arrive(text);
    expect([sink.ends.length, owner.freed, owner.gone, wire.closed]).toEqual([1, 0, 1, true]);
  });

  test("a connection is not used again if the request was not sent completely", () => {
    ask("POST", 10);
    connection.data(Buffer.from("half"));
    arrive(OK("no"));
    expect([sink.ends.length, owner.freed, wire.closed]).toEqual([1, 0, true]);
    expect(connection.data(Buffer.from("rest"))).toBe(true);
  });

  test("interim responses pass, up to a limit", () => {
    ask();
    for (let i = 0; i < 32; i++) arrive("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
    expect(sink.errors).toEqual([]);
    arrive("HTTP/1.1 103 Early Hints\r\n\r\n");
    expect(sink.errors.map((error) => error.code)).toEqual(["upstream-failed"]);
    expect(wire.closed).toBe(true);
  });

  test("a slow sink pauses the socket, and a reused connection reads again", () => {
    ask();
    sink.room = false;
    arrive(OK("hello").slice(0, -1));
    expect(wire.paused).toBe(true);
    connection.resume();
    expect(wire.paused).toBe(false);
    arrive("o");
    expect([wire.paused, owner.freed]).toEqual([false, 1]);
  });

  test("however a response is split into reads, its body arrives complete and in order", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 60 }), { maxLength: 8 }),
        fc.constantFrom("length", "chunked", "close"),
        fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 20 }),
        (pieces, framing, cuts) => {
          open();
          ask();
          const body = pieces.join("");
          const coded = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("");
          const head = {
            length: `Content-Length: ${body.length}`,
            chunked: "Transfer-Encoding: chunked",
            close: "A: b",
          };
          const text = `HTTP/1.1 200 OK\r\n${head[framing]}\r\n\r\n${framing === "chunked" ? `${coded}0\r\n\r\n` : body}`;
          for (let at = 0, i = 0; at < text.length; i++) {
            const size = cuts[i % cuts.length] ?? 1;
            arrive(text.slice(at, at + size));
            at += size;
          }
          if (framing === "close") connection.onEnd();
          expect([sink.body, sink.ends.length, sink.errors.length]).toEqual([body, 1, 0]);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("a hostile or broken upstream", () => {
  test.each([
    ["another protocol", "SSH-2.0-x\r\n"],
    ["HTTP/2", "HTTP/2 200 OK\r\n\r\n"],
    ["no status", "HTTP/1.1 OK\r\n\r\n"],
    ["a status in other digits", "HTTP/1.1 2e2 OK\r\n\r\n"],
    ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"],
    ["status 99", "HTTP/1.1 099 OK\r\n\r\n"],
    ["status 600", "HTTP/1.1 600 OK\r\n\r\n"],
    ["a CR in the reason", "HTTP/1.1 200 a\rb\r\n\r\n"],
    ["a bare LF in a field", "HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n"],
    ["a folded field", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n"],
    ["a space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"],
    ["length and coding", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"],
    ["an unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"],
    ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"],
    ["an upgrade that was not requested", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
    ["too many fields", `HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(257)}\r\n`],
    ["lines that end with LF alone", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"],
    ["lines that end with CR alone", "HTTP/1.1 200 OK\rContent-Length: 5\r\rhello"],
    ["a control character in an unfinished head", "HTTP/1.1 200 OK\r\nA: b\0"],
    ["an endless head", `HTTP/1.1 200 OK\r\nA: ${"b".repeat(70_000)}`],
  ])("%s ends in one error and a closed connection", (_name, text) => {
    ask();
    arrive(text);
    expect(sink.errors.map((error) => error.code)).toEqual(["upstream-failed"]);
    expect([sink.heads.length, sink.ends.length, owner.freed, owner.gone, wire.closed]).toEqual([0, 0, 0, 1, true]);
    arrive(OK("more"));
    connection.onEnd();
    connection.onClose();
    expect([sink.errors.length, sink.heads.length, owner.gone]).toEqual([1, 0, 1]);
  });

  test.each([
    ["in the head", "HTTP/1.1 200"],
    ["in the body", OK("hello").slice(0, -1)],
    ["in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"],
    ["before the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n"],
    ["before anything", ""],
  ])("an end %s is an error, by FIN and by reset", (_name, text) => {
    for (const way of ["onEnd", "onClose"] as const) {
      open();
      ask();
      arrive(text);
      connection[way]();
      expect([sink.errors.length, sink.ends.length, owner.gone]).toEqual([1, 0, 1]);
    }
  });

  test("a malformed chunked response is aborted after its valid part", () => {
    ask();
    arrive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\nzz\r\n");
    expect([sink.body, sink.errors.length, sink.ends.length, wire.closed]).toEqual(["hel", 1, 0, true]);
  });

  test("unexpected bytes close an idle connection", () => {
    arrive(OK("unasked"));
    expect([wire.closed, owner.gone, sink.heads.length]).toEqual([true, 1, 0]);
  });

  describe("bytes after a response never become the response to the next request", () => {
    const responses: [string, string, string][] = [
      ["a length", "GET", OK("hello")],
      ["an empty body", "GET", OK("")],
      ["chunks", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"],
      ["no body", "GET", "HTTP/1.1 204 No Content\r\n\r\n"],
      ["a HEAD", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"],
    ];
    test.each(responses)("with %s, if the next request waits for the connection", (_name, method, response) => {
      const next = new Sink();
      owner.onReleased = (freed) => freed.request("GET", "GET /next HTTP/1.1\r\n", 0, next);
      ask(method);
      arrive(`${response}${OK("forged")}`);
      expect(sink.ends).toHaveLength(1);
      expect([next.heads.length, owner.freed, wire.closed]).toEqual([0, 0, true]);
    });

    test.each(responses)(
      "with %s, if the end of the first response begins the next request",
      (_name, method, response) => {
        const next = new Sink();
        sink.end = () => {
          if (connection.open) connection.request("GET", "GET /next HTTP/1.1\r\n", 0, next);
        };
        ask(method);
        arrive(`${response}${OK("forged")}`);
        expect([next.heads.length, wire.closed]).toEqual([0, true]);
      },
    );
  });
});

describe("a sink that closes the connection during a call", () => {
  const responses = [
    OK("hello"),
    OK(""),
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  ];
  test("receives nothing more after the head", () => {
    for (const response of responses) {
      open();
      sink.onStart = () => connection.destroy();
      ask();
      arrive(response);
      expect([sink.body, sink.ends.length, sink.errors.length, owner.gone, owner.freed]).toEqual(["", 0, 0, 1, 0]);
    }
  });

  test("receives nothing more after the data", () => {
    for (const response of [responses[0] ?? "", responses[2] ?? ""]) {
      open();
      sink.onData = () => connection.destroy();
      ask();
      arrive(response);
      expect([sink.body, sink.ends.length, sink.errors.length, owner.gone, owner.freed]).toEqual(["hello", 0, 0, 1, 0]);
    }
  });
});

describe("deadlines", () => {
  test("silence for `patienceMs` times out, and every byte restarts the time", () => {
    let timeouts = 0;
    ask();
    connection.timeKeeper = { timedOut: () => timeouts++ };
    connection.waitAtMost(1000, owner.wheel.now() + 100_000);
    for (const text of ["HTTP/1.1 200 OK\r\n", "Content-Length: 5\r\n\r\n", "hel"]) {
      owner.clock.advance(900);
      arrive(text);
    }
    expect(timeouts).toBe(0);
    owner.clock.advance(1100);
    expect(timeouts).toBe(1);
  });

  test("the whole response has a time limit, whatever arrives", () => {
    let timeouts = 0;
    ask();
    connection.timeKeeper = {
      timedOut() {
        timeouts++;
        connection.destroy();
      },
    };
    connection.waitAtMost(1000, owner.wheel.now() + 2000);
    arrive(OK("x".repeat(50)).slice(0, -50));
    for (let i = 0; i < 5; i++) {
      owner.clock.advance(500);
      arrive("x");
    }
    expect(timeouts).toBe(1);
  });

  test("silence does not count while the upstream is paused", () => {
    let timeouts = 0;
    ask();
    connection.timeKeeper = { timedOut: () => timeouts++ };
    connection.waitAtMost(1000, owner.wheel.now() + 10_000);
    sink.room = false;
    arrive(OK("hello").slice(0, -1));
    owner.clock.advance(5000);
    expect(timeouts).toBe(0);
    connection.resume();
    owner.clock.advance(1100);
    expect(timeouts).toBe(1);
  });

  test("an upstream that does not read times out; one that reads slowly or waits for the client does not", () => {
    let timeouts = 0;
    ask("POST", 300_000);
    connection.timeKeeper = { timedOut: () => timeouts++ };
    connection.waitAtMost(1000, owner.wheel.now() + 100_000);
    owner.clock.advance(5000);
    wire.takes = [0, 10, 10, 10];
    connection.data(Buffer.alloc(200_000));
    for (let i = 0; i < 3; i++) {
      expect(connection.awaited).toBe(true);
      owner.clock.advance(900);
      connection.onDrain();
    }
    connection.onDrain();
    expect(connection.awaited).toBe(false);
    owner.clock.advance(5000);
    expect(timeouts).toBe(0);
    wire.takes = [0];
    connection.data(Buffer.alloc(100_000));
    owner.clock.advance(1100);
    expect(timeouts).toBe(1);
  });

  test("an idle connection closes in time, one in use does not, and a closed one keeps no deadline", () => {
    connection.closeAfter(1000);
    ask();
    arrive(OK("a"));
    owner.clock.advance(2000);
    expect(wire.closed).toBe(false);
    connection.closeAfter(1000);
    owner.clock.advance(1100);
    expect([wire.closed, owner.gone, connection.due]).toEqual([true, 1, Number.POSITIVE_INFINITY]);
  });

  test("a connection that was given up before its socket opened closes the socket", () => {
    const late = new FakeWire();
    const given = new ClientConnection(owner);
    given.destroy();
    given.attach(late);
    expect([late.closed, given.open]).toEqual([true, false]);
  });
});

test("what an event makes the sink send to the client has left at the end of the event", () => {
  const RESPONSE = OK("hello");
  const events: [string, () => void][] = [
    ["start data end", () => arrive(RESPONSE)],
    [
      "start data abort",
      () => {
        arrive(RESPONSE.slice(0, -1));
        connection.onEnd();
      },
    ],
    ["abort", () => wire.terminate()],
    ["late", () => owner.clock.advance(1100)],
  ];
  for (const [names, act] of events) {
    open();
    const client = new FakeWire();
    const out = new Outgoing(client, { onBlocked() {} }, owner.buffers);
    const written: string[] = [];
    const write = (name: string): void => {
      out.text(name);
      written.push(name);
    };
    sink.onStart = () => write("start");
    sink.onData = () => write("data");
    sink.end = () => write("end");
    sink.abort = () => write("abort");
    ask();
    connection.timeKeeper = { timedOut: () => write("late") };
    connection.waitAtMost(1000, owner.wheel.now() + 100_000);
    act();
    expect([written.join(" "), client.text]).toEqual([names, names.replaceAll(" ", "")]);
  }
});

function shakeHands(): void {
  connection.begin("GET", 0, sink).add("GET / HTTP/1.1\r\nHost: h\r\n");
  connection.endHead("GET", 0, "dGhlIHNhbXBsZSBub25jZQ==");
  sendGathered();
}

describe("a WebSocket handshake", () => {
  const PROOF =
    "HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

  test("asks for the upgrade, and its tunnel gets the bytes that arrive with the 101 and after it", () => {
    const into = new Sink();
    let tunnel: ClientTunnel | undefined;
    sink.onStart = () => (tunnel = connection.takeTunnel(into, 1000));
    shakeHands();
    expect(wire.text).toBe("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
    connection.timeKeeper = { timedOut: () => connection.destroy() };
    connection.waitAtMost(1000, owner.wheel.now() + 100_000);
    arrive(`${PROOF}early`);
    expect([sink.statuses, sink.heads[0]?.bodyLength, into.body, wire.closed]).toEqual([[101], -1, "early", false]);
    wire.data.onData(Buffer.from(" late"));
    expect(into.body).toBe("early late");
    owner.clock.advance(1_000_000);
    expect([wire.closed, owner.gone]).toEqual([false, 0]);
    tunnel?.close();
    wire.data.onClose();
    expect([owner.gone, owner.freed, connection.open, sink.ends.length, sink.errors.length]).toEqual([
      1,
      0,
      false,
      0,
      0,
    ]);
  });

  test("closes the connection if the sink does not take the tunnel", () => {
    shakeHands();
    arrive(PROOF);
    expect([sink.statuses, wire.closed, owner.gone, sink.errors.length]).toEqual([[101], true, 1, 0]);
  });

  test("fails if the 101 comes before the request has been sent", () => {
    wire.takes = [10];
    shakeHands();
    arrive(PROOF);
    expect([sink.statuses, sink.errors.map(({ code }) => code), wire.closed]).toEqual([[], ["upstream-failed"], true]);
  });
});

describe("the memory of a read", () => {
  const BODY = "x".repeat(20_000);

  test("is freed if it is large and the sink keeps no chunk", () => {
    sink.keepsNoChunk = true;
    ask();
    expect(left(OK(BODY))).toBe(0);
    expect(sink.body).toBe(BODY);
    ask();
    expect(left(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4e20\r\n${BODY}\r\n0\r\n\r\n`)).toBe(0);
    expect(sink.body).toBe(BODY + BODY);
  });

  test("stays if it is small, because the head keeps its lines in it", () => {
    sink.keepsNoChunk = true;
    ask();
    const response = OK("hello", "X-Kept: 1\r\n");
    expect(left(response)).toBe(response.length);
    expect(sink.heads[0]?.fields).toContain("X-Kept: 1\r\n");
  });

  test.each([
    ["the sink does not say that it keeps none", () => {}, () => {}],
    ["the sink kept one before", () => {}, () => (sink.keepsNoChunk = true)],
    ["the sink has kept it", () => (sink.keepsNoChunk = true), () => (sink.keepsNoChunk = false)],
  ])("stays if %s", (_, before, during) => {
    before();
    sink.onData = during;
    ask();
    expect(left(OK(BODY))).toBe(OK(BODY).length);
  });

  test("stays if the bytes are those of a tunnel", () => {
    sink.keepsNoChunk = true;
    let received: Uint8Array = new Uint8Array(0);
    sink.onStart = () => {
      const into = new Sink();
      into.data = (chunk) => {
        received = chunk;
        return true;
      };
      connection.takeTunnel(into, 1000);
    };
    connection.begin("GET", 0, sink).add("GET / HTTP/1.1\r\nHost: h\r\n");
    connection.endHead("GET", 0, "dGhlIHNhbXBsZSBub25jZQ==");
    const proof = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
    left(`HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n${proof}\r\n${BODY}`);
    expect(Buffer.from(received).toString("latin1")).toEndWith(BODY);
  });
});
