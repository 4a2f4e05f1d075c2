import { afterEach, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { respond } from "../../src/gateway/exchange/local-response.ts";
import { type BodySink, type Exchange } from "../../src/gateway/exchange/exchange.ts";
import {
  startEndpoint,
  type TestEndpoint,
  type TestEndpointOptions,
} from "../../src/gateway/http3/testing/endpoint.ts";
import { TurnpikeError } from "../../src/lib/errors.ts";
import { type Fields } from "../../src/lib/http/fields.ts";
import { until } from "../../src/lib/testing/until.ts";
import { headers as headersFrame, hex, SETTINGS, varint } from "../support/http3-frames.ts";
import { endWithTrailers, Http3Client } from "../support/http3-client.ts";
import { LOCALHOST } from "../support/certificates.ts";
import { firstPackets, playQuic } from "../support/quic-client.ts";
import { hasDeno, playRaw } from "../support/raw-quic.ts";

const material = {
  fallback: LOCALHOST,
  named: [],
  clientCa: "",
  clientCertRequired: true,
};

/** RFC 9114 §8.1, H3_EXCESSIVE_LOAD. */
const EXCESSIVE_LOAD = 0x107;

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

async function serve(
  handle: (exchange: Exchange) => void,
  options: Omit<TestEndpointOptions, "material"> = {},
): Promise<{ server: TestEndpoint; client: Http3Client }> {
  const server = await startEndpoint(handle, { ...options, material });
  open.push(server);
  const client = await Http3Client.connect(server.port);
  open.push(client);
  return { server, client };
}

/** Gathers a body. */
class Gathered implements BodySink {
  readonly chunks: Uint8Array[] = [];
  trailers: Fields | undefined;
  error: TurnpikeError | undefined;
  room = true;

  data(chunk: Uint8Array, from = 0, to = chunk.length): boolean {
    this.chunks.push(Uint8Array.prototype.slice.call(chunk, from, to));
    return this.room;
  }
  end(trailers: Fields): void {
    this.trailers = trailers;
  }
  abort(error: TurnpikeError): void {
    this.error = error;
  }
  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

function start(exchange: Exchange, bodyLength: number, fields = "", status = 200): void {
  exchange.response.start({ status, reason: "", fields, bodyLength });
}

test("a request has the fields that its client sent, and its response reaches the client with lower-case names", async () => {
  let seen: Exchange | undefined;
  const { client } = await serve((exchange) => {
    seen = exchange;
    exchange.addedFields = "X-Request-Id: 7\r\n";
    start(
      exchange,
      2,
      "Content-Type: text/plain\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: close\r\nETag: 1\r\nETag: 2\r\n",
    );
    exchange.response.data(Buffer.from("ok"));
    exchange.response.end("");
  });
  const { headers, body } = await client.request("GET", "/a/../b?c=%C3%A9", undefined, {
    "x-one": ["1", "2"],
    cookie: ["c=1", "d=2"],
  });
  expect(seen?.protocol).toBe("HTTP/3.0");
  expect(seen?.peerAddress).toBe("127.0.0.1");
  expect(seen?.head).toMatchObject({
    method: "GET",
    scheme: "https",
    authority: "localhost",
    path: "/b",
    query: "?c=%C3%A9",
    bodyLength: 0,
  });
  expect(seen?.head.fields).toBe("x-one: 1\r\nx-one: 2\r\ncookie: c=1; d=2\r\n");
  expect(headers).toEqual({
    ":status": "200",
    "content-length": "2",
    "content-type": "text/plain",
    "set-cookie": ["a=1", "b=2"],
    etag: "1",
    "x-request-id": "7",
  });
  expect(body.toString()).toBe("ok");
  expect(seen?.status).toBe(200);
  expect(seen?.bytesSent).toBe(2);
});

test("fields with the names of JavaScript's own properties pass both ways", async () => {
  const lines = "constructor: 1\r\nconstructor: 2\r\n__proto__: 3\r\n";
  let seen = "";
  const { client } = await serve((exchange) => {
    seen = exchange.head.fields;
    start(exchange, -1, lines);
    exchange.response.data(Buffer.from("ok"));
    exchange.response.end(lines);
  });
  const sent = JSON.parse('{"constructor": ["1", "2"], "__proto__": "3"}');
  const { headers, body, trailers } = await client.request("GET", "/", undefined, sent);
  expect(body.toString()).toBe("ok");
  expect(Object.entries(headers)).toContainEqual(["constructor", ["1", "2"]]);
  expect(Object.entries(trailers ?? {})).toContainEqual(["__proto__", "3"]);
  expect(seen).toBe(lines);
});

test("trailers of which none may be sent do not break the connection", async () => {
  const { client } = await serve((exchange) => {
    start(exchange, -1);
    exchange.response.data(Buffer.from("ok"));
    exchange.response.end("Connection: close\r\nContent-Length: 2\r\n");
  });
  for (let i = 0; i < 2; i++) {
    const { body, trailers } = await client.request("GET", "/");
    expect([body.toString(), trailers]).toEqual(["ok", undefined]);
  }
});

/** `count` field lines, which all have the same name or have different ones. */
function fieldLines(count: number, name: "same" | "different"): Fields {
  return Array.from({ length: count }, (_, i) => `x-${name === "same" ? "a" : i}: ${i}\r\n`).join("");
}

test("a response with more fields than the engine sends is delivered if its repeated fields can be joined", async () => {
  const { client } = await serve((exchange) => {
    start(exchange, -1, `${fieldLines(256, "same")}Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n`);
    exchange.response.data(Buffer.from("ok"));
    exchange.response.end("");
  });
  const { headers, body } = await client.request("GET", "/");
  expect(body.toString()).toBe("ok");
  expect(headers["x-a"]).toBe(Array.from({ length: 256 }, (_, i) => i).join(", "));
  expect(headers["set-cookie"]).toEqual(["a=1", "b=2"]);
});

test.each(["GET", "HEAD"])(
  "a response with too many fields becomes an error, and its sender is stopped: %s",
  async (method) => {
    let seen: Exchange | undefined;
    let cancelled = 0;
    const taken: boolean[] = [];
    const { client } = await serve((exchange) => {
      seen = exchange;
      exchange.onCancel = () => void (cancelled += 1);
      exchange.onTaken = (all) => taken.push(all);
      start(exchange, -1, fieldLines(200, "different"));
      exchange.response.data(Buffer.from("ok"));
      exchange.response.end("");
    });
    const { headers, body } = await client.request(method, "/");
    expect(headers[":status"]).toBe("502");
    expect(headers["x-request-id"]).toBe(seen?.id ?? "");
    expect(body.toString()).toContain(method === "HEAD" ? "" : "more header fields than can be sent over HTTP/3");
    expect([seen?.status, cancelled, taken]).toEqual([502, 1, [false]]);
  },
);

test("a response ends without its trailers, and its interim responses are left out, if they have too many fields", async () => {
  const { client } = await serve((exchange) => {
    start(exchange, -1, fieldLines(200, "different"), 103);
    start(exchange, -1);
    exchange.response.data(Buffer.from("ok"));
    exchange.response.end(fieldLines(200, exchange.head.path === "/same" ? "same" : "different"));
  });
  const response = await client.request("GET", "/");
  expect([response.body.toString(), response.interim, response.trailers]).toEqual(["ok", [], undefined]);
  expect((await client.request("GET", "/same")).trailers?.["x-a"]).toStartWith("0, 1, 2");
});

test("bodies and trailers pass both ways", async () => {
  const { client } = await serve((exchange) => {
    const gathered = new Gathered();
    exchange.body.readTo({
      data: (chunk, from, to) => gathered.data(chunk, from, to),
      abort: (error) => gathered.abort(error),
      end(trailers) {
        start(exchange, -1);
        exchange.response.data(gathered.bytes);
        exchange.response.end(`X-Back: ${trailers.trim()}\r\n`);
      },
    });
  });
  const { stream, response } = await client.open("POST", "/", {}, false);
  await endWithTrailers(stream, Buffer.from("hello there"), { "x-sent": "1" });
  const { body, trailers } = await response;
  expect(body.toString()).toBe("hello there");
  expect(trailers).toEqual({ "x-back": "x-sent: 1" });
});

test.each([
  ["POST", {}],
  ["GET", { "content-length": "5" }],
  ["GET", { expect: "100-continue" }],
] as const)("%s with %j is handled before the first byte of its body arrives", async (method, fields) => {
  const { client } = await serve((exchange) => {
    start(exchange, 2);
    exchange.response.data(Buffer.from("ok"));
    exchange.response.end("");
  });
  const { response } = await client.open(method, "/", fields, false);
  expect((await response).body.toString()).toBe("ok");
});

test("interim responses come first; HEAD, 204 and 304 have no body", async () => {
  const { client } = await serve((exchange) => {
    if (exchange.head.path === "/hints") start(exchange, -1, "Link: </a>\r\n", 103);
    const status = Number(exchange.head.path.slice(1)) || 200;
    start(exchange, 3, "", status);
    exchange.response.data(Buffer.from("abc"));
    exchange.response.end("");
  });
  const hints = await client.request("GET", "/hints");
  expect(hints.interim).toEqual([{ ":status": "103", link: "</a>" }]);
  expect(hints.body.toString()).toBe("abc");
  expect(await client.request("HEAD", "/")).toMatchObject({
    headers: { ":status": "200", "content-length": "3" },
    body: Buffer.alloc(0),
  });
  expect(await client.request("GET", "/304")).toMatchObject({
    headers: { ":status": "304", "content-length": "3" },
    body: Buffer.alloc(0),
  });
  const none = await client.request("GET", "/204");
  expect(none.headers).toEqual({ ":status": "204" });
  expect(none.body.length).toBe(0);
});

test("a request keeps its id if it is a valid one, and gets another one if not", async () => {
  const { client } = await serve((exchange) => {
    start(exchange, 0, `X-Id: ${exchange.id}\r\n`);
    exchange.response.end("");
  });
  const idFor = async (id: string): Promise<string> =>
    String((await client.request("GET", "/", undefined, { "x-request-id": id })).headers["x-id"]);
  expect(await idFor("order-17")).toBe("order-17");
  const made = [await idFor("not an id"), await idFor("not an id")];
  expect(new Set(made).size).toBe(2);
  for (const id of made) expect(id).toMatch(/^[0-9a-f-]{36}$/);
});

test("a request that is refused gets the error, and no body if its method is HEAD", async () => {
  const { client } = await serve((exchange) => respond(exchange, 200, "", Buffer.from("never")));
  const get = await client.request("GET", "/%zz");
  expect(get.headers).toMatchObject({ ":status": "400", "content-type": "application/problem+json" });
  expect(Number(get.headers["content-length"])).toBe(get.body.length);
  const head = await client.request("HEAD", "/%zz");
  expect(head.headers).toMatchObject({ ":status": "400", "content-length": get.headers["content-length"] });
  expect(head.body.length).toBe(0);
});

test("a response that is cut off never looks complete", async () => {
  const { client } = await serve((exchange) => {
    const known = exchange.head.path === "/known";
    start(exchange, known ? 10 : -1);
    exchange.response.data(Buffer.from("abc"));
    if (known) exchange.response.end("");
    else exchange.response.abort(new TurnpikeError("upstream-failed", "gone"));
  });
  for (const path of ["/known", "/unknown"]) {
    const { response } = await client.open("GET", path);
    expect(response).rejects.toThrow();
    await response.catch(() => {});
  }
});

test("a client that cancels a response stops its sender", async () => {
  const events: string[] = [];
  const { client, server } = await serve((exchange) => {
    exchange.onCancel = () => events.push("cancel");
    exchange.onGone = () => events.push("gone");
    exchange.onFinish = () => events.push("finish");
    start(exchange, -1);
    exchange.response.data(Buffer.from("abc"));
  });
  const { stream, headers, response } = await client.open("GET", "/");
  await headers;
  stream.stopSending(0x10cn);
  await until(() => events.length === 3);
  expect(events).toEqual(["cancel", "gone", "finish"]);
  await response.catch(() => {});
  await until(() => server.endpoint.figures.streamsOpen === 0);
});

test("the stream of a client closes if it stops the response and does not end its body", async () => {
  const { client, server } = await serve((exchange) => {
    start(exchange, -1);
    exchange.body.readTo({
      data: () => exchange.response.data(Buffer.alloc(70_000)),
      end: () => {},
      abort: () => {},
    });
  });
  const { stream, headers, response } = await client.open("POST", "/", {}, false);
  await headers;
  stream.stopSending(0x10cn);
  stream.writer.writeSync(Buffer.from("abc"));
  await until(() => server.endpoint.figures.streamsOpen === 0);
  await response.catch(() => {});
});

test("a client that cancels its body stops the reader of the body", async () => {
  const gathered = new Gathered();
  let isGone = false;
  const { client } = await serve((exchange) => {
    exchange.onGone = () => {
      isGone = true;
    };
    exchange.body.readTo(gathered);
  });
  const { stream, response } = await client.open("POST", "/", {}, false);
  stream.writer.writeSync(Buffer.from("abc"));
  await until(() => gathered.chunks.length > 0);
  stream.resetStream(0x10cn);
  await until(() => gathered.error !== undefined);
  expect(isGone).toBe(true);
  expect(gathered.trailers).toBeUndefined();
  await response.catch(() => {});
});

test.skipIf(!hasDeno)(
  "for a client that does not read, a limited part of its response is buffered, and it is disconnected after write_ms",
  async () => {
    let taken = 0;
    let isGone = false;
    const { server } = await serve(
      (exchange) => {
        const chunk = new Uint8Array(16_384);
        const send = (): void => {
          do taken += chunk.length;
          while (exchange.response.data(chunk));
        };
        exchange.onGone = () => {
          isGone = true;
          for (const connection of server.connections) connection.cutOff();
        };
        start(exchange, -1);
        exchange.onDrain = send;
        send();
      },
      { settings: { writeMs: 300 } },
    );
    const bytes = hex(
      headersFrame([
        [":method", "GET"],
        [":scheme", "https"],
        [":authority", "localhost"],
        [":path", "/"],
      ]),
    );
    const control = hex([0, ...SETTINGS]);
    await playRaw(server.port, [
      {
        steps: [
          { kind: "uni", hex: control, fin: false },
          { kind: "bidi", hex: bytes, fin: true, unread: true },
        ],
        waitForClose: true,
      },
    ]);
    await until(() => isGone);
    // The client's own window of 1.25 MB, the data in flight, and 64 KiB that wait.
    expect(taken).toBeLessThan(4_000_000);
    expect(server.buffers.used).toBe(0);
  },
);

test("a body that is not read waits on disk, and arrives complete", async () => {
  const total = 24 * 1024 * 1024;
  const gathered = new Gathered();
  let exchange: Exchange | undefined;
  const { client, server } = await serve((one) => {
    exchange = one;
    gathered.room = false;
    one.body.readTo(gathered);
  });
  const sent = randomBytes(total);
  const { stream, response } = await client.open("POST", "/", {}, false);
  stream.setBody(sent);
  await until(() => exchange?.bytesReceived === total, 20_000);
  expect(gathered.bytes.length).toBeLessThan(1_000_000);
  expect(server.buffers.used).toBeLessThanOrEqual(524_288);
  gathered.room = true;
  exchange?.body.resume();
  await until(() => gathered.trailers !== undefined);
  expect(hash(gathered.bytes)).toBe(hash(sent));
  expect(server.buffers.used).toBe(0);
  if (exchange !== undefined) respond(exchange, 200, "", new Uint8Array(0));
  await response;
});

test("a body over max_body_bytes is refused, with and without an announced length", async () => {
  const errors: (TurnpikeError | undefined)[] = [];
  const { client } = await serve(
    (exchange) => {
      const gathered = new Gathered();
      exchange.body.readTo({
        data: (chunk, from, to) => gathered.data(chunk, from, to),
        end: () => {},
        abort(error) {
          errors.push(error);
          start(exchange, 0, "", error.status);
          exchange.response.end("");
        },
      });
    },
    { settings: { maxBodyBytes: 1000 } },
  );
  const body = new Uint8Array(5000);
  const announced = await client.request("POST", "/", body, { "content-length": "5000" });
  expect(announced.headers[":status"]).toBe("413");
  const unannounced = await client.request("POST", "/", body);
  expect(unannounced.headers[":status"]).toBe("413");
  expect(errors.map((error) => error?.code)).toEqual(["body-too-large", "body-too-large"]);
});

test("a body that does not arrive in time gets 408", async () => {
  let error: TurnpikeError | undefined;
  const { client } = await serve(
    (exchange) =>
      exchange.body.readTo({
        data: () => true,
        end: () => {},
        abort(found) {
          error = found;
          start(exchange, 0, "", found.status);
          exchange.response.end("");
        },
      }),
    { settings: { bodyMs: 100 } },
  );
  const { stream, response } = await client.open("POST", "/", {}, false);
  stream.writer.writeSync(Buffer.from("a"));
  expect((await response).headers[":status"]).toBe("408");
  expect(error?.code).toBe("request-timeout");
});

test("a connection that drains sends GOAWAY, completes its requests in flight, and accepts no more", async () => {
  let pending: Exchange | undefined;
  const { client, server } = await serve((exchange) => {
    pending = exchange;
  });
  const { response } = await client.open("GET", "/");
  await until(() => pending !== undefined);
  for (const connection of server.connections) connection.drain();
  await until(() => client.receivedGoaway);
  if (pending !== undefined) respond(pending, 200, "text/plain", Buffer.from("late"));
  expect((await response).body.toString()).toBe("late");
  await until(() => client.isClosed && server.connections.size === 0);
});

test("connections over the limit are refused, and open ones are still served", async () => {
  let isFull = false;
  const { client, server } = await serve((exchange) => respond(exchange, 200, "", new Uint8Array(0)), {
    admit: () => !isFull,
  });
  isFull = true;
  const refused = await Http3Client.connect(server.port);
  open.push(refused);
  await until(() => refused.isClosed);
  expect(server.endpoint.figures.connectionsRefused).toBe(1);
  expect((await client.request("GET", "/")).headers[":status"]).toBe("200");
});

test("an endpoint that refuses connections accepts none, and open ones are still served", async () => {
  let accepted = 0;
  const { client, server } = await serve((exchange) => respond(exchange, 200, "", new Uint8Array(0)), {
    admit: () => ++accepted > 0,
  });
  server.endpoint.refuse();
  const refused = await Http3Client.connect(server.port).then(
    (late) => {
      open.push(late);
      return until(() => late.isClosed);
    },
    () => {},
  );
  expect([refused, accepted, server.connections.size]).toEqual([undefined, 1, 1]);
  expect((await client.request("GET", "/")).headers[":status"]).toBe("200");
});

test("first packets whose senders never respond keep no client out, and do not delay the end of the endpoint", async () => {
  const { server } = await serve((exchange) => respond(exchange, 204, "", new Uint8Array(0)));
  const socket = await Bun.udpSocket({ connect: { hostname: "127.0.0.1", port: server.port }, socket: { error() {} } });
  open.push(socket);
  // More than the handshakes that may be in progress.
  for (const [i, packet] of firstPackets(1100).entries()) {
    // The kernel's buffer of the server is small.
    if (i % 50 === 0) await until(() => server.endpoint.figures.packetsIn >= i);
    socket.send(packet);
  }
  const client = await Http3Client.connect(server.port);
  open.push(client);
  const { headers } = await client.request("GET", "/");
  expect(headers[":status"]).toBe("204");
  expect(server.endpoint.figures.connectionsRefused).toBeGreaterThan(0);
  // The engine gives these handshakes up after 10 s.
  const end = server.close().then(() => "closed");
  expect(await Promise.race([end, Bun.sleep(8_000)])).toBe("closed");
});

test("a client that ends 40 requests before their heads loses its connection, and others are served", async () => {
  const { client, server } = await serve((exchange) => respond(exchange, 204, "", new Uint8Array(0)));
  // Empty STREAM frames that end their streams (RFC 9000 §19.8).
  const frames = Array.from({ length: 40 }, (_, i) => [0x0b, ...varint(4 * i), 0]).flat();
  const { close } = await playQuic(server.port, { frames, later() {} });
  expect(close).toEqual({ by: "application", code: EXCESSIVE_LOAD });
  const { headers } = await client.request("GET", "/");
  expect(headers[":status"]).toBe("204");
  expect(server.endpoint.figures.streamsTotal).toBe(41);
});

test("an idle connection ends after idle_ms", async () => {
  const { client, server } = await serve((exchange) => respond(exchange, 200, "", new Uint8Array(0)), {
    settings: { idleMs: 100 },
  });
  // On a busy machine the connection may have been idle for too long before the request.
  await client.request("GET", "/").catch(() => {});
  await until(() => client.isClosed && server.connections.size === 0);
});

/** A network between a client and the endpoint at `port`, that is lost when `cut` is called. */
async function network(port: number): Promise<{ readonly port: number; readonly cut: () => void }> {
  let client: { readonly port: number; readonly address: string } | undefined;
  let isCut = false;
  const back = await Bun.udpSocket({
    connect: { hostname: "127.0.0.1", port },
    socket: {
      error() {},
      data(_socket, packet) {
        if (!isCut && client !== undefined) front.send(packet, client.port, client.address);
      },
    },
  });
  const front = await Bun.udpSocket({
    hostname: "127.0.0.1",
    socket: {
      error() {},
      data(_socket, packet, from, address) {
        client = { port: from, address };
        if (!isCut) back.send(packet);
      },
    },
  });
  open.push(front, back);
  return { port: front.port, cut: () => void (isCut = true) };
}

test("max_idle_timeout_ms is exact to the millisecond, for a client whose network is lost", async () => {
  const quic = { maxIdleTimeoutMs: 300, maxStreamsBidi: 100, maxStreamsUni: 100 };
  const begun = Promise.withResolvers<void>();
  let isGone = false;
  const { server } = await serve(
    (exchange) => {
      begun.resolve();
      exchange.onGone = () => {
        isGone = true;
      };
    },
    { quic },
  );
  const { port, cut } = await network(server.port);
  const client = await Http3Client.connect(port);
  open.push(client);
  await client.open("GET", "/");
  await begun.promise;
  cut();
  const began = performance.now();
  await until(() => isGone);
  expect(performance.now() - began).toBeGreaterThan(200);
  await until(() => server.connections.size === 0);
});

test("a client that only cancels requests loses its connection, and others do not", async () => {
  let begun = 0;
  let gone = 0;
  const { client, server } = await serve((exchange) => {
    if (exchange.head.method === "GET") respond(exchange, 200, "", new Uint8Array(0));
    else begun += 1;
    exchange.onGone = () => {
      gone += 1;
    };
  });
  const other = await Http3Client.connect(server.port);
  open.push(other);
  while (!client.isClosed) {
    const before = begun;
    const requests = await Promise.all(Array.from({ length: 50 }, () => client.open("POST", "/")));
    for (const { response } of requests) response.catch(() => {});
    // A stream that is reset before it is sent is never sent. On a busy machine, the connection can be lost only now.
    await until(() => begun === before + requests.length || client.isClosed);
    for (const { stream } of requests) {
      stream.resetStream(0x10cn);
      stream.stopSending(0x10cn);
    }
    await until(() => gone === begun);
    if (server.connections.size === 1) await until(() => client.isClosed);
  }
  expect((await other.request("GET", "/")).headers[":status"]).toBe("200");
  expect(begun).toBeGreaterThan(400);
  expect(begun).toBeLessThan(1500);
});

test("max_streams_bidi is the maximum of simultaneous requests", async () => {
  const quic = { maxIdleTimeoutMs: 30_000, maxStreamsBidi: 3, maxStreamsUni: 3 };
  const waiting: Exchange[] = [];
  const { client } = await serve((exchange) => waiting.push(exchange), { quic });
  const requests = Array.from({ length: 5 }, () => client.request("GET", "/"));
  await until(() => waiting.length === 3);
  for (let responded = 0; responded < 5; responded++) {
    await until(() => waiting.length > 0);
    const exchange = waiting.shift();
    expect(waiting.length).toBeLessThan(3);
    if (exchange !== undefined) respond(exchange, 200, "", new Uint8Array(0));
  }
  expect((await Promise.all(requests)).map(({ headers }) => headers[":status"])).toEqual(
    Array.from({ length: 5 }, () => "200"),
  );
});

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
