import { beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { type Exchange } from "../exchange/exchange.ts";
import { sendGathered } from "../wire/outgoing.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";
import { Http1ServerConnection } from "./server-connection.ts";
import { GET, Host, POST, reply, SETTINGS, Sink } from "./testing/server-peers.ts";

let host: Host;
let wire: FakeWire;
let connection: Http1ServerConnection;

beforeEach(() => {
  host = new Host();
  wire = new FakeWire();
  connection = new Http1ServerConnection(wire, host);
  wire.onClose = () => connection.onClose();
});

function arrive(text: string): void {
  connection.onData(Buffer.from(text, "latin1"));
  sendGathered();
}

/** The latest exchange. */
function last(): Exchange {
  const exchange = host.exchanges.at(-1);
  if (exchange === undefined) throw new Error("no exchange");
  return exchange;
}

test("however a pipeline is split, and whenever responses are sent, every request gets one response in order", () => {
  const request = fc.record({ body: fc.string({ unit: "grapheme-ascii", maxLength: 30 }), chunked: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(request, { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 }),
      fc.array(fc.constantFrom("now", "later", "before the body"), { minLength: 1, maxLength: 8 }),
      (requests, cuts, when) => {
        host = new Host();
        wire = new FakeWire();
        connection = new Http1ServerConnection(wire, host);
        const waiting: (() => void)[] = [];
        host.onExchange = (exchange) => {
          const index = host.exchanges.length - 1;
          const way = when[index % when.length];
          const sink = new Sink();
          const respond = (): void => reply(exchange, `${index}:${sink.text}`);
          sink.end = () => (way === "now" ? respond() : waiting.push(respond));
          if (way === "before the body") waiting.push(() => exchange.body.readTo(sink));
          else exchange.body.readTo(sink);
        };
        const text = requests
          .map(({ body, chunked }) => {
            if (!chunked || body === "") return POST(body);
            const coded = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
            return `POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${coded}`;
          })
          .join("");
        let at = 0;
        for (let step = 0; at < text.length || waiting.length > 0; step++) {
          const size = cuts[step % cuts.length] ?? 1;
          if (at < text.length && !wire.paused) {
            arrive(text.slice(at, at + size));
            at += size;
          } else waiting.shift()?.();
          sendGathered();
          expect(step).toBeLessThan(5000);
        }
        const bodies = wire.text.split("HTTP/1.1 200 OK\r\n").slice(1);
        expect(bodies.map((response) => response.slice(response.indexOf("\r\n\r\n") + 4))).toEqual(
          requests.map(({ body }, i) => `${i}:${body}`),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test("a connection that closes after a response during the body's last bytes serves no further request", () => {
  host.onExchange = (exchange) => {
    const sink = new Sink();
    sink.onData = () => {
      reply(exchange);
      return true;
    };
    exchange.body.readTo(sink);
  };
  arrive(`${POST("body", "Connection: close\r\n")}${GET}`);
  arrive(GET);
  expect(host.exchanges).toHaveLength(1);
  expect(wire.ended).toBe(true);
  host.clock.advance(5000);
  expect(wire.closed).toBe(true);
});

test("a connection that is aborted during the body's last bytes stays closed and keeps no deadline", () => {
  host.onExchange = (exchange) => {
    const sink = new Sink();
    sink.onData = () => {
      exchange.response.start({ status: 200, reason: "OK", fields: "", bodyLength: 9 });
      exchange.response.end("");
      return true;
    };
    exchange.body.readTo(sink);
  };
  arrive(`${POST("body")}${GET}`);
  expect([host.exchanges.length, wire.closed, host.closedCount]).toEqual([1, true, 1]);
  expect(connection.due).toBe(Number.POSITIVE_INFINITY);
});

test("a response during the body's last bytes leaves the connection to the next request", () => {
  host.onExchange = (exchange) => {
    const sink = new Sink();
    sink.onData = () => {
      reply(exchange);
      return true;
    };
    if (exchange.head.method === "POST") exchange.body.readTo(sink);
    else reply(exchange);
  };
  arrive(`${POST("body")}${GET}`);
  arrive(GET);
  expect(host.exchanges.map(({ head }) => head.method)).toEqual(["POST", "GET", "GET"]);
});

test("a client that leaves during its body gets no response", () => {
  let gone = 0;
  const sink = new Sink();
  host.onExchange = (exchange) => {
    exchange.onGone = () => gone++;
    exchange.body.readTo({
      data: (chunk, start, end) => sink.data(chunk, start, end),
      end: () => sink.end(),
      abort(error) {
        sink.abort(error);
        reply(exchange);
      },
    });
  };
  arrive(POST("12345").slice(0, -2));
  wire.terminate();
  expect(gone).toBe(1);
  expect([last().gone, last().status]).toEqual([true, 0]);
  expect(sink.errors).toHaveLength(1);
});

test("a closed connection keeps no memory for requests that it will not serve", () => {
  arrive(GET + POST("x".repeat(1000)));
  expect(host.buffers.used).toBeGreaterThan(0);
  connection.drain();
  reply(last());
  expect([wire.ended, host.buffers.used]).toEqual([true, 0]);
});

test("a drain closes an idle connection at once", () => {
  host.onExchange = (exchange) => reply(exchange);
  arrive(GET);
  expect(wire.ended).toBe(false);
  connection.drain();
  expect(wire.ended).toBe(true);
});

test("a drain closes a connection whose dropped body ends afterwards", () => {
  host.onExchange = (exchange) => reply(exchange);
  arrive(POST("12345").slice(0, -2));
  expect(wire.ended).toBe(false);
  host.isDraining = true;
  connection.drain();
  arrive("45");
  expect(wire.ended).toBe(true);
});

test("an idle deadline does not abort a response that is still being sent", () => {
  host.current = { ...SETTINGS, idleMs: 1000, writeMs: 20_000 };
  host.onExchange = (exchange) => reply(exchange, "x".repeat(1000));
  wire.takes = [10];
  arrive(GET);
  host.clock.advance(5000);
  expect(wire.closed).toBe(false);
  connection.onDrain();
  expect(wire.text.endsWith("x".repeat(1000))).toBe(true);
  arrive(GET);
  expect(host.exchanges).toHaveLength(2);
  host.clock.advance(3000);
  expect(wire.closed).toBe(true);
});

test("a client that reads slowly stays connected, and one that stops reading is disconnected", () => {
  host.onExchange = (exchange) => reply(exchange, "x".repeat(1000));
  wire.takes = [10, 10, 10, 10];
  arrive(GET);
  for (let i = 0; i < 3; i++) {
    host.clock.advance(20_000);
    connection.onDrain();
  }
  expect(wire.closed).toBe(false);
  host.clock.advance(40_000);
  expect(wire.closed).toBe(true);
});

test("an unfinished head times out with 408, and an idle connection just closes", () => {
  arrive("GET / HT");
  host.clock.advance(10_100);
  expect(wire.text).toStartWith("HTTP/1.1 408 ");
  expect(wire.ended).toBe(true);
  const idle = new FakeWire();
  const second = new Http1ServerConnection(idle, host);
  idle.onClose = () => second.onClose();
  host.clock.advance(60_100);
  expect([idle.text, idle.closed, idle.cut]).toEqual(["", true, false]);
});

test("a client whose body times out gets the response at once, and the connection closes after it", () => {
  for (const when of ["at once", "later"]) {
    host = new Host();
    wire = new FakeWire();
    connection = new Http1ServerConnection(wire, host);
    const sink = new Sink();
    host.onExchange = (exchange) => exchange.body.readTo(sink);
    if (when === "at once") sink.abort = () => reply(last(), "late");
    arrive(POST("12345").slice(0, -2));
    host.clock.advance(SETTINGS.bodyMs + 100);
    expect(wire.ended).toBe(when === "at once");
    if (when === "later") reply(last(), "late");
    expect(wire.text).toBe("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlate");
    arrive(`45${GET}`);
    expect([wire.ended, host.exchanges.length]).toEqual([true, 1]);
  }
});

test("a response that began before the body timed out is sent completely, and closes the connection", () => {
  host.onExchange = (exchange) => exchange.body.readTo(new Sink());
  arrive(POST("12345").slice(0, -2));
  const { response } = last();
  response.start({ status: 200, reason: "", fields: "", bodyLength: 4 });
  response.data(Buffer.from("ha"));
  host.clock.advance(SETTINGS.bodyMs + 100);
  response.data(Buffer.from("lf"));
  expect(wire.ended).toBe(false);
  response.end("");
  expect([wire.text.endsWith("\r\n\r\nhalf"), wire.ended, wire.cut]).toEqual([true, true, false]);
});

test("a connection is idle between requests and while it lingers, but not while it reads, works or sends", () => {
  const BUSY = Number.POSITIVE_INFINITY;
  const now = host.wheel.now();
  expect(connection.idleSince).toBe(now);
  arrive(POST("12345").slice(0, 10));
  expect(connection.idleSince).toBe(BUSY);
  arrive(POST("12345").slice(10, -2));
  expect(connection.idleSince).toBe(BUSY);
  last().body.readTo(new Sink());
  arrive("45");
  wire.takes = [10];
  reply(last());
  sendGathered();
  expect(connection.idleSince).toBe(BUSY);
  connection.drain();
  expect([wire.ended, connection.idleSince]).toEqual([false, BUSY]);
  connection.onDrain();
  expect([wire.ended, connection.idleSince]).toEqual([true, now]);
  connection.makeWay();
  expect([wire.closed, wire.cut, host.closedCount, connection.idleSince]).toEqual([true, false, 1, BUSY]);
});

test("an idle connection that makes way for others sends its last response first", () => {
  arrive(GET);
  reply(last());
  connection.makeWay();
  expect([wire.text.endsWith("\r\n\r\nok"), wire.closed, wire.cut]).toEqual([true, true, false]);
});

test("a head without bytes of its body gives the reader no data, and does not pause the client", () => {
  let calls = 0;
  const sink = new Sink();
  sink.onData = () => {
    calls++;
    return true;
  };
  arrive(POST("12345").slice(0, -5));
  expect(wire.paused).toBe(false);
  last().body.readTo(sink);
  arrive("12345");
  expect([calls, sink.text]).toEqual([1, "12345"]);
  reply(last());
  host.onExchange = (exchange) => exchange.body.readTo(sink);
  arrive(POST("6").slice(0, -1));
  expect(calls).toBe(1);
});

test("a connection reports its end once", () => {
  arrive(GET);
  let finished = 0;
  last().onFinish = () => finished++;
  wire.terminate();
  connection.onClose();
  connection.onData(Buffer.from(GET));
  connection.drain();
  expect([host.closedCount, finished, host.exchanges.length]).toEqual([1, 1, 1]);
});

test("the reader of a slow client's response goes on only after the socket has taken everything", () => {
  let drains = 0;
  arrive(GET);
  const exchange = last();
  exchange.onDrain = () => {
    drains++;
    exchange.response.data(Buffer.from("!"));
  };
  exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: 5 });
  wire.takes = [1, 1, 1];
  exchange.response.data(Buffer.from("body"));
  sendGathered();
  for (const expected of [0, 0, 1]) {
    connection.onDrain();
    expect(drains).toBe(expected);
  }
  expect(wire.text).toEndWith("\r\n\r\nbody!");
});

test("an unfinished body times out for its reader, and the time does not run while reading is paused", () => {
  const sink = new Sink();
  host.onExchange = (exchange) => exchange.body.readTo(sink);
  arrive(POST("12345").slice(0, -2));
  last().body.pause();
  host.clock.advance(100_000);
  expect(sink.errors).toEqual([]);
  last().body.resume();
  host.clock.advance(31_000);
  expect(sink.errors.map((error) => error.code)).toEqual(["request-timeout"]);
});

test("a connection that the gateway closes lingers, and is closed without a reset if its peer does not close", () => {
  host.onExchange = (exchange) => {
    connection.drain();
    reply(exchange);
  };
  arrive(GET);
  arrive(GET);
  expect([host.exchanges.length, wire.ended, wire.closed]).toEqual([1, true, false]);
  host.clock.advance(2100);
  expect([wire.closed, wire.cut, host.closedCount]).toEqual([true, false, 1]);
});

test("a connection that the gateway closes lingers only after its peer has received everything, however long that takes", () => {
  host.onExchange = (exchange) => {
    connection.drain();
    reply(exchange);
  };
  wire.takes = [10];
  arrive(GET);
  for (let seconds = 0; seconds < 60; seconds += 10) {
    host.clock.advance(10_000);
    wire.takes = [1];
    connection.onDrain();
  }
  expect([wire.ended, wire.closed]).toEqual([false, false]);
  connection.onDrain();
  expect([wire.ended, wire.closed]).toEqual([true, false]);
  host.clock.advance(2100);
  expect([wire.closed, wire.cut]).toEqual([true, false]);
});

test("the gateway does not wait for a client that has announced that it sends no more", () => {
  host.onExchange = (exchange) => reply(exchange);
  arrive("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  expect([wire.text.includes("200 OK"), wire.closed, host.closedCount]).toEqual([true, true, 1]);
});

test("a client that has had its response does not keep the connection by a body that does not arrive", () => {
  host.onExchange = (exchange) => reply(exchange);
  arrive(POST("12345").slice(0, -2));
  sendGathered();
  expect(wire.text).not.toContain("Connection: close");
  host.clock.advance(SETTINGS.bodyMs - 1000);
  expect(wire.ended).toBe(false);
  host.clock.advance(2000);
  expect([wire.ended, wire.text.split("HTTP/1.1 ").length]).toEqual([true, 2]);
  host.clock.advance(2100);
  expect([wire.closed, wire.cut]).toEqual([true, false]);
});

test("a connection that waits for the acknowledgement of its last response closes when it has come", () => {
  arrive("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  last().onTaken = () => {};
  reply(last());
  sendGathered();
  host.clock.advance(2);
  expect([wire.ended, wire.closed]).toEqual([false, false]);
  host.clock.advance(100);
  expect([wire.ended, wire.closed]).toEqual([true, false]);
  host.clock.advance(2100);
  expect([wire.closed, wire.cut]).toEqual([true, false]);
});

test("an empty line before a request is skipped, and alone keeps the connection idle no longer than a head may take", () => {
  host.onExchange = (exchange) => reply(exchange);
  arrive(`\r\n${GET}`);
  arrive("\r");
  arrive(`\n${GET}`);
  expect(host.exchanges).toHaveLength(2);
});

test("a head that cannot become valid is refused at once, wherever it is split", () => {
  const hopeless = [
    "GET / HTTP/1.1\n",
    "GET / HTTP/1.1\rH",
    "\n",
    "GET / HTTP/1.1\r\nHost: h\r\nA: \0",
    "GET /\x7f",
    "\r\r",
  ];
  for (const text of hopeless) {
    for (let cut = 0; cut < text.length; cut++) {
      const one = new FakeWire();
      const refused = new Http1ServerConnection(one, host);
      if (cut > 0) refused.onData(Buffer.from(text.slice(0, cut), "latin1"));
      expect(one.text).toBe("");
      refused.onData(Buffer.from(text.slice(cut), "latin1"));
      expect(one.text).toStartWith("HTTP/1.1 400 ");
    }
  }
});

test("a request that is repeated gives the same head, and each request has one of its own", () => {
  host.onExchange = (exchange) => {
    expect(exchange.head).toMatchObject({ method: "GET", path: "/a", query: "?q", fields: "X: y\r\n", authority: "h" });
    exchange.head.path = "/changed";
    exchange.head.fields = "";
    reply(exchange);
  };
  for (let i = 0; i < 5; i++) arrive("GET /a?q HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\n");
  expect(host.exchanges).toHaveLength(5);
  expect(new Set(host.exchanges.map(({ id }) => id)).size).toBe(5);
  expect(wire.text.split("HTTP/1.1 200 OK\r\n")).toHaveLength(6);
});

test("a request that differs from a repeated one of the same length is parsed", () => {
  host.onExchange = (exchange) => reply(exchange);
  for (const path of ["/a", "/a", "/a", "/b", "/b", "/a", "/b", "/b", "/b"]) {
    arrive(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
    expect(last().head.path).toBe(path);
  }
  arrive("GET /a HTTP/1.1\r\nHost:\th\0\r\n\r\n");
  expect(wire.text).toContain("HTTP/1.1 400 ");
});

test("a repeated request with a body gets its own body, and one in two chunks is parsed", () => {
  const sinks: Sink[] = [];
  host.onExchange = (exchange) => {
    const sink = new Sink();
    sinks.push(sink);
    sink.end = () => reply(exchange);
    exchange.body.readTo(sink);
  };
  for (const body of ["one", "two", "six", "ten"]) {
    const text = POST(body);
    arrive(text.slice(0, -body.length));
    arrive(body);
  }
  arrive(POST("").slice(0, 9));
  arrive(POST("").slice(9));
  expect(sinks.map(({ text }) => text)).toEqual(["one", "two", "six", "ten", ""]);
});

test("a repeated request is measured by the limits of the moment", () => {
  host.onExchange = (exchange) => reply(exchange);
  const text = "GET /a HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\n";
  for (let i = 0; i < 3; i++) arrive(text);
  host.current = { ...SETTINGS, maxHeaderCount: 1 };
  arrive(text);
  expect(wire.text).toContain("HTTP/1.1 431 ");
  const other = new FakeWire();
  host.current = { ...SETTINGS, maxHeaderBytes: text.length - 1 };
  new Http1ServerConnection(other, host).onData(Buffer.from(text, "latin1"));
  expect(other.text).toContain("HTTP/1.1 431 ");
});
