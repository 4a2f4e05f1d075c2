/** The pool's connections over TLS: which protocol they speak, and what is reported of failed handshakes. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createServer, type Server } from "node:tls";
import { LOCALHOST, TEST_CA } from "../../../test/support/certificates.ts";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { ClientConnection } from "../http1/client-connection.ts";
import { onlySlot, Telemetry } from "../telemetry/telemetry.ts";
import { trustOf } from "../wire/tls-connect.ts";
import { type PoolSettings, ServerPool, type UpstreamConnection, Waiter } from "./server-pool.ts";

let server: Server | undefined;
let pool: ServerPool | undefined;
let wheel: TimerWheel;
let failures: string[];

beforeEach(() => {
  failures = [];
  wheel = new TimerWheel();
});

afterEach(() => {
  pool?.close();
  server?.close();
  wheel.close();
});

class Asking {
  readonly waiter = new Waiter(this);
  readonly outcome = Promise.withResolvers<string>();
  send(connection: UpstreamConnection): void {
    const isHttp1 = connection instanceof ClientConnection;
    this.outcome.resolve(isHttp1 ? "http1" : "h2");
    // The pool closes the other ones.
    if (isHttp1) connection.destroy();
  }
  refused(reason: string): void {
    this.outcome.resolve(reason);
  }
}

/** The protocol of a connection to a server that offers `offered`, or the reason for a refusal. */
async function connect(
  protocol: PoolSettings["protocol"],
  offered: readonly string[],
  trusted = TEST_CA.cert,
): Promise<string> {
  const { cert, key } = LOCALHOST;
  server = createServer({ cert, key, ALPNProtocols: [...offered] }, (socket) => socket.on("error", () => {}));
  server.on("tlsClientError", () => {});
  const address = "127.0.0.1";
  const protocols = protocol === "h2" ? ["h2"] : protocol === "auto" ? ["h2", "http/1.1"] : [];
  const tls = { verify: true, serverName: "localhost", protocols, trust: trustOf(trusted) };
  const times = { idleTimeoutMs: 60_000, connectTimeoutMs: 60_000 };
  const settings = { maxConnections: 1, maxIdle: 1, clientPart: 1, ...times, dial: { allowPrivate: true, tls } };
  pool = new ServerPool(
    { address, port: await listenOnLoopback(server) },
    { ...settings, protocol },
    {
      wheel,
      buffers: plentyOfBuffers(),
      metrics: new Telemetry(onlySlot()).serverMetrics(0, "origin"),
      onError: () => {},
      onTlsFailure: ({ code }) => failures.push(code),
    },
  );
  const asking = new Asking();
  pool.wait(asking.waiter, 60_000);
  return await asking.outcome.promise;
}

test.each([
  ["http1", [], "http1"],
  ["auto", ["h2", "http/1.1"], "h2"],
  ["auto", ["http/1.1"], "http1"],
  ["h2", ["h2"], "h2"],
] as const)("a pool of %s at a server that offers %j speaks %s", async (protocol, offered, expected) => {
  expect(await connect(protocol, offered)).toBe(expected);
  expect(failures).toEqual([]);
});

test("a pool of h2 refuses a server that agrees on no protocol", async () => {
  expect(await connect("h2", [])).not.toBe("h2");
});

test("a certificate of an unknown authority is refused, with its code", async () => {
  const other = LOCALHOST.cert;
  expect(await connect("http1", [], other)).toBe("refused");
  expect(failures).toEqual([expect.stringMatching(/^[A-Z_]+$/)]);
});
