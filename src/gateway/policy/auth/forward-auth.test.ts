import { type Socket } from "node:net";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { BufferPool } from "../../../lib/memory/buffer-pool.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { listenOnLoopback } from "../../../lib/testing/listen.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { until } from "../../../lib/testing/until.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { createForwardAuth, type ForwardAuthConfig } from "./forward-auth.ts";
import { type Method, type Outcome } from "./method.ts";
import { requestOf } from "./testing/exchange.ts";

setDefaultTimeout(patient(20_000));

const MOST_QUESTIONS = 256;
const MOST_CONNECTIONS = 64;
const MOST_IDLE = 16;
const MOST_FIELDS = 16_384;
const MOST_BODY = 65_536;

let wheel: TimerWheel;
let server: Server;
let reply: (request: IncomingMessage, response: ServerResponse) => void;
let asked: IncomingMessage[];
let logged: string[];
let mostConnections: number;
const connections = new Set<Socket>();
const methods: Method[] = [];
let port = 0;

beforeEach(async () => {
  wheel = new TimerWheel();
  [asked, logged, mostConnections] = [[], [], 0];
  reply = (_, response) => void response.writeHead(200).end();
  server = createServer((request, response) => {
    asked.push(request);
    reply(request, response);
  });
  server.on("connection", (socket) => {
    connections.add(socket);
    mostConnections = Math.max(mostConnections, connections.size);
    socket.on("close", () => connections.delete(socket));
  });
  port = await listenOnLoopback(server);
});

afterEach(() => {
  for (const method of methods.splice(0)) method.close();
  wheel.close();
  server.closeAllConnections();
  server.close();
});

function methodOf(changes: Partial<ForwardAuthConfig> = {}): Method {
  const config = {
    url: `http://127.0.0.1:${port}/check?a=1`,
    headers_forward: ["Cookie"],
    headers_upstream: ["X-Role"],
    consumer_header: "X-User",
    timeout_ms: patient(10_000),
    consumers: [],
    ...changes,
  };
  const method = createForwardAuth(config, {
    wheel,
    buffers: new BufferPool({ bufferSize: 65_536, bufferCount: 64, reserve: 2 }),
    onError: (error) => {
      throw error;
    },
    clock: () => 0,
    log: (message) => void logged.push(message),
    where: 'route "/a"',
  });
  methods.push(method);
  return method;
}

function exchangeOf(fields = ""): Exchange {
  return Object.assign(requestOf(fields, "?q=1"), { peerAddress: "192.0.2.1", clientAddress: "192.0.2.2", id: "id-1" });
}

/** The consumer and the fields for the upstream, or the service's own response, or the error. */
function told(outcome: Outcome): string {
  if (outcome.kind === "admitted") return `${outcome.consumer}: ${outcome.fields}`;
  const { response: passed, error } = outcome;
  return passed === undefined ? error.message : `${error.status} as ${passed.status}: ${String(passed.body)}`;
}

async function ask(method: Method, fields?: string): Promise<string> {
  return told(await method.check(exchangeOf(fields)));
}

const DOWN = "does not respond";

test("the subrequest has the fields that the service needs", async () => {
  await ask(methodOf(), "Cookie: a=b\r\nX-Other: 1\r\n");
  const { "x-forwarded-for": via, ...headers } = asked[0]?.headers ?? {};
  expect([asked[0]?.method, asked[0]?.url, via]).toEqual(["GET", "/check?a=1", "192.0.2.1"]);
  expect(headers).toMatchObject({
    cookie: "a=b",
    host: `127.0.0.1:${port}`,
    "x-forwarded-method": "GET",
    "x-forwarded-host": "a.test",
    "x-forwarded-proto": "http",
    "x-forwarded-uri": "/?q=1",
    "x-real-ip": "192.0.2.2",
    "x-request-id": "id-1",
  });
  expect(headers).not.toHaveProperty("x-other");
  const exchange = exchangeOf();
  Object.assign(exchange.head, { forwardedFor: "198.51.100.7" });
  await methodOf().check(exchange);
  expect(asked[1]?.headers["x-forwarded-for"]).toBe("198.51.100.7, 192.0.2.1");
});

test.each([
  [200, {}, ": "],
  [299, { "X-User": "alice", "X-Role": "a", "X-Other": "1" }, "alice: X-Consumer-Name: alice\r\nX-Role: a\r\n"],
  [300, {}, DOWN],
  [300, { Location: "/login" }, "401 as 300: body"],
  [302, { Location: "/login" }, "401 as 302: body"],
  [399, { Location: "/login" }, "401 as 399: body"],
  [302, { Location: ["/a", "/b"] }, DOWN],
  [400, { Location: "/login" }, "401 as 400: body"],
  [401, {}, "401 as 401: body"],
  [403, {}, "403 as 403: body"],
  [404, {}, "401 as 404: body"],
  [499, {}, "401 as 499: body"],
  [500, {}, DOWN],
  [500, { Location: "/login" }, DOWN],
] as const)("%d with %j makes of a request %j", async (status, fields, expected) => {
  reply = (_, response) => void response.writeHead(status, fields as Record<string, string>).end("body");
  expect(await ask(methodOf())).toContain(expected);
});

test("fields for upstreams have a maximum length, and there is one consumer name", async () => {
  const method = methodOf();
  const line = "X-Role: \r\n".length;
  for (const [length, isIn] of [
    [MOST_FIELDS - line, true],
    [MOST_FIELDS - line + 1, false],
  ] as const) {
    reply = (_, response) => void response.writeHead(200, { "X-Role": "r".repeat(length) }).end();
    expect((await ask(method)).startsWith(": ")).toBe(isIn);
  }
  for (const names of [["a", "b"], ["a".repeat(257)], [Buffer.from("a\u202eb").toString("latin1")]]) {
    reply = (_, response) => void response.writeHead(200, { "X-User": names }).end();
    expect(await ask(method)).toContain(DOWN);
  }
  reply = (_, response) => void response.writeHead(200, { "X-User": Buffer.from("Зоя").toString("latin1") }).end();
  expect(await ask(methodOf({ consumers: ["Зоя"] }))).toStartWith("Зоя: ");
  expect(await ask(methodOf({ consumers: ["Eva"] }))).toContain("not allowed");
});

test("a response of the maximum length passes, and a longer one fails", async () => {
  const method = methodOf();
  reply = (_, response) => void response.writeHead(401).end("x".repeat(MOST_BODY));
  expect(await ask(method)).toHaveLength("401 as 401: ".length + MOST_BODY);
  reply = (_, response) => void response.writeHead(401).end("x".repeat(MOST_BODY + 1));
  expect(await ask(method)).toContain(DOWN);
  expect(logged).toEqual([expect.stringContaining(`more than ${MOST_BODY} bytes`)]);
});

test("an outage of the service is logged once, until it responds again", async () => {
  const method = methodOf();
  for (const up of [200, 401]) {
    reply = (_, response) => void response.writeHead(500).end();
    await ask(method);
    await ask(method);
    reply = (_, response) => void response.writeHead(up).end();
    await ask(method);
  }
  reply = (_, response) => void response.writeHead(500).end();
  await ask(method);
  const failed = 'Cannot query the authentication service of route "/a": it responded with 500';
  const again = expect.stringMatching(
    /^The authentication service of route "\/a" works again after 2 failures in \d+ s$/,
  );
  expect(logged).toEqual([failed, again, failed, again, failed]);
});

test("two Authorization fields are refused if the service would get them", async () => {
  const twice = "Authorization: a\r\nAuthorization: b\r\n";
  const method = methodOf({ headers_forward: ["Authorization"] });
  expect(await ask(method, twice)).toContain("more than one Authorization");
  expect([await ask(methodOf(), twice), asked.length]).toEqual([": ", 1]);
  expect(await ask(method, "Authorization: a\r\n")).not.toContain("more than one Authorization");
});

test("subrequests are limited, and one that ends frees its place", async () => {
  const method = methodOf();
  const held: ServerResponse[] = [];
  reply = (_, response) => void held.push(response);
  const waiting = Array.from({ length: MOST_QUESTIONS }, () => ask(method));
  expect(await ask(method)).toContain("too many requests wait");
  for (let ended = 0; ended < MOST_QUESTIONS; ) {
    await until(() => held.length > ended);
    for (; ended < held.length; ended++) held[ended]?.end();
  }
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([": "]));
  expect([held.length, mostConnections]).toEqual([MOST_QUESTIONS, MOST_CONNECTIONS]);
  await until(() => connections.size === MOST_IDLE);
  reply = (_, response) => void response.end();
  expect(await ask(method)).toBe(": ");
});

test("a connection to the service is used again, and closes after a minute without a subrequest", async () => {
  wheel.close();
  const clock = new FakeClock();
  wheel = new TimerWheel(clock);
  const method = methodOf();
  for (let i = 0; i < 2; i++) {
    expect(await ask(method)).toBe(": ");
    clock.advance(59_000);
  }
  expect(asked[1]?.socket).toBe(asked[0]?.socket as Socket);
  clock.advance(2000);
  await until(() => connections.size === 0);
});

test("the subrequest of a client that disconnects is cancelled, and nothing is logged", async () => {
  const method = methodOf();
  const closed = Promise.withResolvers<void>();
  reply = (request) => void request.socket.on("close", () => closed.resolve());
  const exchange = exchangeOf();
  const outcome = method.check(exchange);
  await until(() => asked.length === 1);
  Object.assign(exchange, { gone: true });
  exchange.onGone?.();
  expect(told(await outcome)).toContain(DOWN);
  await closed.promise;
  expect([logged, exchange.onGone]).toEqual([[], undefined]);
});

test("a service that does not respond is abandoned after the timeout", async () => {
  reply = () => {};
  expect(await ask(methodOf({ timeout_ms: 50 }))).toContain(DOWN);
  expect(logged).toEqual([expect.stringContaining("timeout")]);
});
