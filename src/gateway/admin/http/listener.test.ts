import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { connect as connectTls, createSecureContext } from "node:tls";
import { UNTRUSTED } from "../../../content/testing/certificate.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { until } from "../../../lib/testing/until.ts";
import { type Patience, type Trust } from "./connection.ts";
import { respondBy, type Incoming } from "./exchange.ts";
import { Listener } from "./listener.ts";
import { malformedResponse } from "./problem.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MAX_CONNECTIONS = 512;
const MAX_CONNECTIONS_OF_ADDRESS = 128;

setDefaultTimeout(patient(30_000));

const SHORT: Patience = { headMs: 400, idleMs: 400, bodyMs: 400, writeMs: 400 };
const LONG: Patience = { headMs: 60_000, idleMs: 60_000, bodyMs: 60_000, writeMs: 60_000 };

let opened: Listener | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await opened?.close();
});

async function listen(
  handler: (incoming: Incoming) => Promise<Response>,
  patience: Patience,
  refusal: (address: string) => string | undefined = () => undefined,
): Promise<Listener> {
  const listener = await Listener.bind({
    address: "127.0.0.1",
    port: 0,
    secure: undefined,
    patience,
    refusal,
    malformed: malformedResponse,
    handle: (message, response, connection) => {
      respondBy(handler, message, response, connection).catch(() => connection.cut());
    },
  });
  opened = listener;
  return listener;
}

interface Client {
  readonly socket: Socket;
  received: string;
  isClosed: boolean;
}

function client(port: number, first: string, localAddress = "127.0.0.1"): Client {
  const socket = connect({ port, host: "127.0.0.1", localAddress }, () => socket.write(first));
  const made: Client = { socket, received: "", isClosed: false };
  sockets.push(socket);
  socket.on("data", (piece: Buffer) => {
    made.received += piece.toString("latin1");
  });
  socket.on("error", () => {});
  socket.once("close", () => {
    made.isClosed = true;
  });
  return made;
}

function trust(access: Trust["access"]): Trust {
  return { access, keys: { full: new Uint8Array(), read: undefined } };
}

const hello = (): Promise<Response> => Promise.resolve(new Response("hello"));
const HEAD = "GET / HTTP/1.1\r\nHost: a\r\n";

test("a client that sends a byte now and then holds a connection no longer than a silent client", async () => {
  const listener = await listen(async ({ readBody }) => new Response(await readBody(1000)), SHORT);
  const silent = client(listener.port, "");
  const heads = client(listener.port, `${HEAD}X: `);
  const bodies = client(listener.port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n");
  const drip = setInterval(() => {
    for (const { socket } of [heads, bodies]) if (!socket.destroyed) socket.write("a");
  }, 50);
  await until(() => silent.isClosed && heads.isClosed && bodies.isClosed);
  clearInterval(drip);
  await until(() => listener.connections === 0);
});

test("a client that does not read its response is cut, also if the response is an endless stream", async () => {
  let cancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000_000)),
    cancel() {
      cancelled = true;
    },
  });
  const streamed = (): Response => new Response(endless, { headers: { "content-type": "text/event-stream" } });
  const long = "x".repeat(50_000_000);
  const listener = await listen(
    ({ request }) => Promise.resolve(request.url.endsWith("/stream") ? streamed() : new Response(long)),
    SHORT,
  );
  client(listener.port, `${HEAD}\r\n`).socket.pause();
  client(listener.port, `${HEAD.replace("/ ", "/stream ")}\r\n`).socket.pause();
  await until(() => listener.connections === 2);
  await until(() => listener.connections === 0);
  await until(() => cancelled);
});

test("a stream is not cut after a long silence", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async pull(controller) {
      await promise;
      controller.enqueue(new TextEncoder().encode("late"));
      controller.close();
    },
  });
  const listener = await listen(
    () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } })),
    SHORT,
  );
  const reader = client(listener.port, `${HEAD}\r\n`);
  await Bun.sleep(SHORT.writeMs * 3);
  expect(reader.isClosed).toBe(false);
  resolve();
  await until(() => reader.received.includes("late"));
});

test("the oldest connections without a key are closed to make room, and one with a key is not", async () => {
  const listener = await listen(({ connection }) => {
    connection.trust = trust("full");
    return hello();
  }, LONG);
  const operator = client(listener.port, `${HEAD}\r\n`, "127.0.3.1");
  await until(() => operator.received.includes("hello"));
  const others: Client[] = [];
  for (let i = 0; i < MAX_CONNECTIONS + 100; i += 1) others.push(client(listener.port, "", `127.0.3.${2 + (i % 10)}`));
  await until(() => others.filter(({ isClosed }) => isClosed).length >= 101);
  expect(listener.connections).toBeLessThanOrEqual(MAX_CONNECTIONS);
  expect(operator.isClosed).toBe(false);
  operator.received = "";
  operator.socket.write(`${HEAD}\r\n`);
  await until(() => operator.received.includes("hello"));
});

test("one address can use only a part of the connections", async () => {
  const listener = await listen(hello, LONG);
  const all = Array.from({ length: MAX_CONNECTIONS_OF_ADDRESS + 20 }, () => client(listener.port, ""));
  await until(() => all.filter(({ isClosed }) => isClosed).length >= 20);
  expect(listener.connections).toBeLessThanOrEqual(MAX_CONNECTIONS_OF_ADDRESS);
});

test("idle connections with the read-only key lock no operator of the same address out", async () => {
  const listener = await listen(({ connection, request }) => {
    const key = request.headers.get("x-api-key");
    connection.trust = trust(key === "full" ? "full" : "read");
    return hello();
  }, LONG);
  const operator = client(listener.port, `${HEAD}X-API-Key: full\r\n\r\n`);
  await until(() => operator.received.includes("hello"));
  const readers = Array.from({ length: MAX_CONNECTIONS_OF_ADDRESS - 1 }, () => client(listener.port, `${HEAD}\r\n`));
  await until(() => readers.every(({ received }) => received.includes("hello")));
  // A connection that comes after the operator's does not push it out either.
  const late = client(listener.port, "");
  const silent = client(listener.port, "");
  await until(() => readers.filter(({ isClosed }) => isClosed).length === 2);
  late.socket.write(`${HEAD}X-API-Key: full\r\n\r\n`);
  await until(() => late.received.includes("hello"));
  expect([operator.isClosed, silent.isClosed]).toEqual([false, false]);
});

test("a refused address receives the reason at once", async () => {
  const text = malformedResponse("");
  const listener = await listen(hello, LONG, (address) => (address === "127.0.3.2" ? text : undefined));
  const refused = client(listener.port, `${HEAD}\r\n`, "127.0.3.2");
  const other = client(listener.port, `${HEAD}\r\n`, "127.0.3.3");
  await until(() => refused.isClosed && other.received.includes("hello"));
  expect(refused.received).toBe(text);
});

test("pipelined requests receive their responses in order, and a connection with too many of them is cut", async () => {
  const listener = await listen(async ({ request }) => {
    const { pathname } = new URL(request.url);
    await Bun.sleep(pathname === "/1" ? 50 : 1);
    return new Response(`<${pathname}>`);
  }, LONG);
  const ahead = [1, 2, 3].map((n) => `GET /${n} HTTP/1.1\r\nHost: a\r\n\r\n`).join("");
  const patientClient = client(listener.port, ahead);
  await until(() => patientClient.received.includes("</3>"));
  expect(patientClient.received.match(/<\/\d>/g)).toEqual(["</1>", "</2>", "</3>"]);
  const greedy = client(listener.port, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100));
  await until(() => greedy.isClosed);
});

test("a listener that closes completes the responses under way", async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const listener = await listen(async () => {
    begin();
    await Bun.sleep(100);
    return new Response("done");
  }, LONG);
  const busy = client(listener.port, `${HEAD}\r\n`);
  const idle = client(listener.port, "");
  await begun;
  await listener.close();
  await until(() => idle.isClosed && busy.isClosed);
  expect(busy.received).toMatch(/connection: close\r\n[\s\S]*done$/i);
});

test("a change between TLS and plain text closes the open connections, and another certificate does not", async () => {
  const listener = await listen(hello, LONG);
  const steps = [
    { secure: undefined, isClosed: false },
    { secure: createSecureContext(), isClosed: true },
    { secure: createSecureContext(), isClosed: false },
    { secure: undefined, isClosed: true },
  ];
  for (const { secure, isClosed } of steps) {
    const one = client(listener.port, "");
    await until(() => listener.connections === 1);
    listener.show(secure);
    expect(listener.isSecure).toBe(secure !== undefined);
    if (!isClosed) {
      // It is not closed later either: the next connection has its response first.
      const next = client(listener.port, `${HEAD}\r\n`);
      await until(() => next.received.includes("hello") || next.isClosed);
      expect(one.isClosed).toBe(false);
      next.socket.destroy();
      one.socket.destroy();
    }
    await until(() => one.isClosed && listener.connections === 0);
  }
});

test("a connection that does not speak TLS to a listener with TLS is cut, and the next one is accepted", async () => {
  const listener = await listen(hello, LONG);
  listener.show(createSecureContext());
  for (const first of [`${HEAD}\r\n`, "\x16\x03\x01\0\x05hello"]) {
    const one = client(listener.port, first);
    await until(() => one.isClosed && listener.connections === 0);
    expect(one.received).not.toContain("HTTP/1.1");
  }
});

test("a client with TLS that resets its connection while its tunnel is refused does no harm", async () => {
  const listener = await Listener.bind({
    address: "127.0.0.1",
    port: 0,
    secure: createSecureContext(UNTRUSTED),
    patience: LONG,
    refusal: () => undefined,
    // More than the client reads, so that the reset meets a response under way.
    malformed: () => malformedResponse("").padEnd(5_000_000),
    handle: () => undefined,
  });
  opened = listener;
  for (let i = 0; i < 3; i += 1) {
    const one = connectTls({ port: listener.port, host: "127.0.0.1", rejectUnauthorized: false });
    sockets.push(one);
    one.on("error", () => {});
    one.once("secureConnect", () => one.write("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n"));
    one.once("data", () => one.resetAndDestroy());
    await until(() => one.destroyed && listener.connections === 0);
  }
});

test("a listener serves its own address and port, and any port if it has asked for any", async () => {
  const any = await listen(hello, LONG);
  const { port } = any;
  const served = (listener: Listener): boolean[] =>
    [
      { address: "127.0.0.1", port },
      { address: "127.0.0.1", port: 0 },
      { address: "127.0.0.1", port: port + 1 },
      { address: "127.0.0.2", port },
      { address: "127.0.0.2", port: 0 },
    ].map((endpoint) => listener.serves(endpoint));
  expect(served(any)).toEqual([true, true, false, false, false]);
  await any.close();
  const rest = { secure: undefined, refusal: () => undefined, malformed: malformedResponse, handle: () => undefined };
  opened = await Listener.bind({ ...rest, address: "127.0.0.1", port });
  expect(served(opened)).toEqual([true, false, false, false, false]);
});

test("a port or an address that cannot be bound is named, with what to do", async () => {
  const listener = await listen(hello, LONG);
  const options = {
    secure: undefined,
    patience: LONG,
    refusal: () => undefined,
    malformed: malformedResponse,
    handle: () => undefined,
  };
  expect(Listener.bind({ ...options, address: "127.0.0.1", port: listener.port })).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${listener.port} for the admin interface: the port is in use; stop what uses it`,
  );
  expect(Listener.bind({ ...options, address: "192.0.2.1", port: 0 })).rejects.toThrow(
    "this machine does not have the address; see admin.address",
  );
});

test("a tunnel is refused, and only HTTP/1.0 may leave out the host", async () => {
  const hosts: (readonly string[])[] = [];
  const listener = await listen(async ({ authorities }) => {
    hosts.push(authorities);
    return await hello();
  }, LONG);
  const tunnel = client(listener.port, "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n");
  await until(() => tunnel.isClosed);
  expect(tunnel.received).toStartWith("HTTP/1.1 400 ");
  const requests = [
    "GET / HTTP/1.0\r\n\r\n",
    "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n",
    "GET http://c/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  ];
  for (const request of requests) {
    const one = client(listener.port, request);
    await until(() => one.isClosed);
  }
  expect(hosts).toEqual([[], [""], ["a", "b"], ["c"]]);
});
