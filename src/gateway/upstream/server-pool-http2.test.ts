/** The pool's HTTP/2 connections to node's HTTP/2 server. The effects that clients see are tested in test/proxy. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { Http2ClientConnection } from "../http2/client-connection.ts";
import { GET } from "../http2/testing/scripted-server.ts";
import { onlySlot, Telemetry } from "../telemetry/telemetry.ts";
import { sendGathered } from "../wire/outgoing.ts";
import { type PoolRefusal, type PoolSettings, ServerPool, type UpstreamConnection, Waiter } from "./server-pool.ts";

const SETTINGS: PoolSettings = {
  maxConnections: 8,
  maxIdle: 8,
  idleTimeoutMs: 60_000,
  connectTimeoutMs: 2000,
  clientPart: 1,
  protocol: "h2",
  dial: { allowPrivate: true, tls: undefined },
};

let server: Http2Server;
let port: number;
let wheel: TimerWheel;
let errors: unknown[];
let held: ServerHttp2Stream[];
/** Called when the server has the number of requests that the test waits for. */
let onHeld: () => void;

beforeEach(async () => {
  errors = [];
  held = [];
  onHeld = () => {};
  wheel = new TimerWheel();
  server = createServer({ settings: { maxConcurrentStreams: 1 } });
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    held.push(stream);
    onHeld();
  });
  port = await listenOnLoopback(server);
});

afterEach(() => {
  server.close();
  wheel.close();
  expect(errors).toEqual([]);
});

function onError(error: unknown): void {
  errors.push(error);
}

function pool(settings: Partial<PoolSettings> = {}): ServerPool {
  const metrics = new Telemetry(onlySlot()).serverMetrics(0, "origin");
  const deps = { wheel, buffers: plentyOfBuffers(), metrics, onError };
  return new ServerPool({ address: "127.0.0.1", port }, { ...SETTINGS, ...settings }, deps);
}

/** A request that waits for a connection and uses it. */
class Asking {
  readonly waiter = new Waiter(this);
  connection: Http2ClientConnection | undefined;
  readonly #outcome = Promise.withResolvers<string>();
  readonly outcome = this.#outcome.promise;

  send(connection: UpstreamConnection): void {
    if (!(connection instanceof Http2ClientConnection)) throw new Error("no HTTP/2");
    this.connection = connection;
    connection.request(GET, {
      start() {},
      data: () => true,
      end: () => this.#outcome.resolve("served"),
      abort: (error) => this.#outcome.resolve(error.code),
    });
    sendGathered();
  }

  refused(reason: PoolRefusal): void {
    this.#outcome.resolve(reason);
  }
}

/** Sends `count` requests at a time, and waits until the server has all of them. */
async function hold(from: ServerPool, count: number): Promise<Asking[]> {
  const all = Promise.withResolvers<void>();
  onHeld = () => {
    if (held.length === count) all.resolve();
  };
  const asking = Array.from({ length: count }, () => new Asking());
  for (const each of asking) from.wait(each.waiter, 2000);
  await all.promise;
  return asking;
}

async function respondToAll(asking: readonly Asking[]): Promise<void> {
  for (const stream of held.splice(0)) {
    stream.respond({ ":status": 200 });
    stream.end("ok");
  }
  expect(new Set(await Promise.all(asking.map(({ outcome }) => outcome)))).toEqual(new Set(["served"]));
}

/** Resolves when the pool has noticed that `count` connections have closed. */
function closings(of: ServerPool, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const closed = of.closed.bind(of);
  let seen = 0;
  of.closed = (connection) => {
    closed(connection);
    if (++seen === count) resolve();
  };
  return promise;
}

test("each request has its own connection if the server takes one request at a time", async () => {
  const servers = pool();
  const asking = await hold(servers, 5);
  expect(new Set(asking.map(({ connection }) => connection)).size).toBe(5);
  await respondToAll(asking);
  servers.close();
});

test("a client's share is counted in the requests that the server takes on a connection", async () => {
  const servers = pool({ maxConnections: 3, clientPart: 1 / 2 });
  const share = servers.shareOf({ clientAddress: "192.0.2.1", peerAddress: "192.0.2.1" });
  await respondToAll(await hold(servers, 1));
  expect(share.allowance).toBe(2);
  servers.close();
});

test("no more connections are kept idle than allowed, and the next request uses one of them", async () => {
  const servers = pool({ maxIdle: 2 });
  const gone = closings(servers, 3);
  const asking = await hold(servers, 5);
  await respondToAll(asking);
  await gone;
  const open = asking.filter(({ connection }) => connection?.isRetired === false);
  expect(open).toHaveLength(2);
  const next = servers.take();
  expect(open.some(({ connection }) => connection === next)).toBe(true);
  servers.close();
});

test("an idle connection closes after its timeout", async () => {
  const servers = pool({ idleTimeoutMs: 30 });
  const gone = closings(servers, 1);
  await respondToAll(await hold(servers, 1));
  await gone;
  expect(servers.take()).toBeUndefined();
});

test("a request that waits for room gets it on the existing connection", async () => {
  const servers = pool({ maxConnections: 1 });
  const first = await hold(servers, 1);
  const second = new Asking();
  servers.wait(second.waiter, 2000);
  onHeld = () => void respondToAll([second]);
  await respondToAll(first);
  expect(await second.outcome).toBe("served");
  expect(second.connection).toBe(first[0]?.connection);
  servers.close();
});

test("a closed pool completes its requests, and closes each connection after its last request", async () => {
  const servers = pool();
  const gone = closings(servers, 3);
  const asking = await hold(servers, 3);
  servers.close();
  expect(servers.take()).toBeUndefined();
  await respondToAll(asking);
  await gone;
});
