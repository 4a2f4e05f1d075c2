import { afterEach, beforeEach, expect, test } from "bun:test";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { createServer } from "node:net";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { until } from "../../lib/testing/until.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { ClientConnection } from "../http1/client-connection.ts";
import { SERVER_GAUGE, serverGauge } from "../telemetry/metrics/layout.ts";
import { onlySlot, Telemetry } from "../telemetry/telemetry.ts";
import { sendGathered } from "../wire/outgoing.ts";
import { listen, type Listener } from "../wire/tcp.ts";
import { trustOf } from "../wire/tls-connect.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { type PoolRefusal, type PoolSettings, ServerPool, type UpstreamConnection, Waiter } from "./server-pool.ts";

const SETTINGS: PoolSettings = {
  maxConnections: 2,
  maxIdle: 2,
  idleTimeoutMs: 60_000,
  connectTimeoutMs: 2000,
  clientPart: 1,
  protocol: "http1",
  dial: { allowPrivate: true, tls: undefined },
};

let listener: Listener;
let wheel: TimerWheel;
let errors: unknown[];
/** The connections that the server has open, and the most that it ever had. */
let open: Set<Wire>;
let most: number;
let onServer: (wire: Wire) => void;
let slot: ReturnType<typeof onlySlot>;

function onError(error: unknown): void {
  errors.push(error);
}

beforeEach(() => {
  open = new Set();
  most = 0;
  errors = [];
  wheel = new TimerWheel();
  onServer = (wire) => {
    const response = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    wire.write(response, 0, response.length);
  };
  listener = listen({
    address: "127.0.0.1",
    port: 0,
    reusePort: false,
    onError,
    accept(wire): WireHandler {
      open.add(wire);
      most = Math.max(most, open.size);
      return {
        onData: () => onServer(wire),
        onDrain() {},
        onEnd: () => wire.terminate(),
        onClose: () => open.delete(wire),
      };
    },
  });
});

afterEach(() => {
  for (const wire of open) wire.terminate();
  listener.stop();
  wheel.close();
  expect(errors).toEqual([]);
});

function pool(settings: Partial<PoolSettings> = {}, port = listener.port): ServerPool {
  slot = onlySlot();
  return new ServerPool(
    { address: "127.0.0.1", port },
    { ...SETTINGS, ...settings },
    { wheel, buffers: plentyOfBuffers(), metrics: new Telemetry(slot).serverMetrics(0, "origin"), onError },
  );
}

/** The open connections and the waiting requests, as counted by the last pool. */
function counted(): { open: number | undefined; waiting: number | undefined } {
  const gauges = slot.zone.counters(slot.row).subarray(serverGauge(0));
  return { open: gauges[SERVER_GAUGE.connectionsOpen], waiting: gauges[SERVER_GAUGE.requestsWaiting] };
}

class Asking {
  readonly waiter = new Waiter(this);
  readonly #settled = Promise.withResolvers<ClientConnection | PoolRefusal>();
  send(connection: UpstreamConnection): void {
    if (connection instanceof ClientConnection) this.#settled.resolve(connection);
  }
  refused(reason: PoolRefusal): void {
    this.#settled.resolve(reason);
  }
  get outcome(): Promise<ClientConnection | PoolRefusal> {
    return this.#settled.promise;
  }
}

function ask(from: ServerPool, connectTimeoutMs = 2000): Asking {
  const asking = new Asking();
  from.wait(asking.waiter, connectTimeoutMs);
  return asking;
}

async function connected(asking: Asking): Promise<ClientConnection> {
  const outcome = await asking.outcome;
  if (typeof outcome === "string") throw new Error(`refused: ${outcome}`);
  return outcome;
}

/** Sends one request on the connection. Its response sets the connection free. */
function use(connection: ClientConnection): Promise<string> {
  return new Promise((resolve) => {
    let ending = "";
    connection.request("GET", "GET / HTTP/1.1\r\nHost: h\r\n", 0, {
      start() {},
      data: () => true,
      end() {
        ending ||= "end";
        resolve(ending);
      },
      abort(error) {
        ending ||= error.code;
        resolve(ending);
      },
    });
    sendGathered();
  });
}

test("more requests than connections wait, all are served, and the server never sees more connections than allowed", async () => {
  const servers = pool();
  const endings = await Promise.all(Array.from({ length: 30 }, async () => await use(await connected(ask(servers)))));
  expect(endings).toEqual(Array.from({ length: 30 }, () => "end"));
  expect(most).toBe(2);
  servers.close();
});

test("a connection that became free is the next one used", async () => {
  const servers = pool();
  expect(servers.take()).toBeUndefined();
  const first = await connected(ask(servers));
  await use(first);
  expect(servers.take()).toBe(first);
  expect(servers.take()).toBeUndefined();
  first.destroy();
});

test.each(["http1", "auto"] as const)(
  "%s: each connection of HTTP/1 carries one request, so one client gets its part of the connections",
  async (protocol) => {
    const servers = pool({ maxConnections: 4, clientPart: 1 / 2, protocol });
    const first = await connected(ask(servers));
    const share = servers.shareOf({ clientAddress: "192.0.2.1", peerAddress: "192.0.2.1" });
    expect(share.allowance).toBe(2);
    const others = await Promise.all([connected(ask(servers)), connected(ask(servers)), connected(ask(servers))]);
    expect(new Set([first, ...others]).size).toBe(4);
    for (const connection of [first, ...others]) connection.destroy();
  },
);

test("a client that has used up its share gets no idle connection, and gets it after it has given others back", async () => {
  const servers = pool({ maxConnections: 4, clientPart: 1 / 2 });
  const share = servers.shareOf({ clientAddress: "192.0.2.1", peerAddress: "192.0.2.1" });
  const [idle, busy] = [await connected(ask(servers)), await connected(ask(servers))];
  await use(idle);
  for (let i = 0; i < 2; i++) share.take();
  expect([share.allowance, servers.take(share)]).toEqual([0, undefined]);
  const waiting = [new Asking(), new Asking()];
  for (const { waiter } of waiting) {
    waiter.share = share;
    servers.wait(waiter, 2000);
  }
  for (let i = 0; i < 2; i++) share.give();
  await use(busy);
  expect(await Promise.all(waiting.map(connected))).toEqual([busy, idle]);
  for (const connection of [idle, busy]) connection.destroy();
  servers.close();
});

test("a connection of HTTP/2 is expected to carry 100 requests until its server has announced a number", async () => {
  onServer = () => {};
  const servers = pool({ maxConnections: 1, protocol: "h2" });
  const allowance = Promise.withResolvers<number>();
  class Looking extends Asking {
    override send(): void {
      allowance.resolve(servers.shareOf({ clientAddress: "192.0.2.1", peerAddress: "192.0.2.1" }).allowance);
    }
  }
  servers.wait(new Looking().waiter, 2000);
  expect(await allowance.promise).toBe(100);
  servers.close();
});

test("connections that die, with or without a response, make room for waiting requests", async () => {
  const servers = pool();
  let count = 0;
  onServer = (wire) => {
    count++;
    if (count % 2 === 0) wire.terminate();
    else {
      const response = Buffer.from("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      wire.write(response, 0, response.length);
    }
  };
  const endings = await Promise.all(Array.from({ length: 12 }, async () => await use(await connected(ask(servers)))));
  expect(endings.filter((ending) => ending === "end")).toHaveLength(6);
  expect(endings.filter((ending) => ending === "upstream-failed")).toHaveLength(6);
  expect(most).toBeLessThanOrEqual(2);
  servers.close();
});

test("an idle connection that its server closed is not used", async () => {
  const servers = pool();
  const first = await connected(ask(servers));
  await use(first);
  const { promise, resolve } = Promise.withResolvers<void>();
  const closed = servers.closed.bind(servers);
  servers.closed = (connection) => {
    closed(connection);
    resolve();
  };
  for (const wire of open) wire.terminate();
  await promise;
  expect(servers.take()).toBeUndefined();
});

test("no more connections are kept idle than allowed", async () => {
  const servers = pool({ maxIdle: 1 });
  const both = await Promise.all([connected(ask(servers)), connected(ask(servers))]);
  await Promise.all(both.map(use));
  expect(both.filter((connection) => connection.open)).toHaveLength(1);
  servers.close();
  expect(both.filter((connection) => connection.open)).toHaveLength(0);
});

test("an idle connection closes after its timeout", async () => {
  const servers = pool({ idleTimeoutMs: 30 });
  const first = await connected(ask(servers));
  const { promise, resolve } = Promise.withResolvers<void>();
  const closed = servers.closed.bind(servers);
  servers.closed = (connection) => {
    closed(connection);
    resolve();
  };
  await use(first);
  await promise;
  expect(servers.take()).toBeUndefined();
});

test("a refusal of the server refuses every waiting request once, and the next request is tried again", async () => {
  const { port } = listener;
  listener.stop();
  const servers = pool({}, port);
  const outcomes = await Promise.all(Array.from({ length: 10 }, async () => await ask(servers).outcome));
  expect(outcomes).toEqual(Array.from({ length: 10 }, () => "refused" as const));
  expect(servers.connecting).toBe(false);
});

test("a request that waits too long behind busy connections is refused as busy, and the server is not blamed", async () => {
  const servers = pool({ maxConnections: 1 });
  const busy = await connected(ask(servers));
  const servedAt = wheel.now();
  await until(() => wheel.now() > servedAt);
  expect(await ask(servers, 30).outcome).toBe("busy");
  const next = ask(servers);
  await use(busy);
  expect(await next.outcome).toBe(busy);
  busy.destroy();
});

test("a request that leaves the queue is neither served nor refused, and the requests behind it keep their turns", async () => {
  const servers = pool({ maxConnections: 1 });
  const busy = await connected(ask(servers));
  const leaving = ask(servers);
  const staying = ask(servers);
  let heard = false;
  void leaving.outcome.then(() => (heard = true));
  servers.leave(leaving.waiter);
  await use(busy);
  expect(await staying.outcome).toBe(busy);
  expect(heard).toBe(false);
  busy.destroy();
});

test("connections count while they are open, and requests while they wait", async () => {
  const one = pool({ maxConnections: 1 });
  const [first, second, third] = [ask(one), ask(one), ask(one)];
  expect(counted()).toEqual({ open: 1, waiting: 3 });
  const connection = await connected(first);
  expect(counted()).toEqual({ open: 1, waiting: 2 });
  one.leave(third.waiter);
  expect(counted()).toEqual({ open: 1, waiting: 1 });
  connection.destroy();
  (await connected(second)).destroy();
  await until(() => counted().open === 0);
  expect(counted()).toEqual({ open: 0, waiting: 0 });
  listener.stop();
  expect(await ask(one).outcome).toBeString();
  expect(counted()).toEqual({ open: 0, waiting: 0 });
});

test("a connection that is not open at its timeout is given up, and counts no more", async () => {
  wheel.close();
  const clock = new FakeClock();
  wheel = new TimerWheel(clock);
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<boolean>();
  // It accepts connections, and never responds to a handshake.
  const silent = createServer((socket) => {
    socket
      .on("error", () => {})
      .on("close", ended.resolve)
      .resume();
    begun.resolve();
  });
  const port = await listenOnLoopback(silent);
  const trust = trustOf("");
  const tls = { verify: false, serverName: "localhost", protocols: [], trust };
  const servers = pool({ maxConnections: 1, connectTimeoutMs: 1000, dial: { allowPrivate: true, tls } }, port);
  const asking = ask(servers, 500);
  expect([servers.connecting, counted()]).toEqual([true, { open: 1, waiting: 1 }]);
  await begun.promise;
  clock.advance(900);
  expect([servers.connecting, counted()]).toEqual([true, { open: 1, waiting: 0 }]);
  expect(await asking.outcome).toBe("timeout");
  clock.advance(200);
  expect([servers.connecting, counted()]).toEqual([false, { open: 0, waiting: 0 }]);
  await ended.promise;
  silent.close();
});

test("a full queue refuses at once", () => {
  const servers = pool({ maxConnections: 1 });
  const reasons: PoolRefusal[] = [];
  const counting = {
    send: () => expect.unreachable("no request was expected"),
    refused: (reason: PoolRefusal) => reasons.push(reason),
  };
  const waiting = Array.from({ length: 4097 }, () => new Waiter(counting));
  for (const waiter of waiting) servers.wait(waiter, 2000);
  expect(reasons).toEqual(["full"]);
  for (const waiter of waiting) servers.leave(waiter);
});

test("a closed pool serves waiting requests, and keeps no connection afterwards", async () => {
  const servers = pool({ maxConnections: 1 });
  const busy = await connected(ask(servers));
  const late = ask(servers);
  servers.close();
  await use(busy);
  const connection = await connected(late);
  expect(await use(connection)).toBe("end");
  expect(connection.open).toBe(false);
});

test("a request that throws on its new connection is reported, and the connection's place is free again", async () => {
  const servers = pool({ maxConnections: 1 });
  const broken = {
    send: () => {
      throw new Error("broken");
    },
    refused: () => {},
  };
  servers.wait(new Waiter(broken), 2000);
  expect(await use(await connected(ask(servers)))).toBe("end");
  expect(errors.splice(0).map(String)).toEqual(["Error: broken"]);
  servers.close();
});
