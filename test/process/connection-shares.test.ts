/** Connections when the limits are reached: shares of addresses, idle connections that are closed, and the reserve. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect as connectTcp, type Socket } from "node:net";
import { Http3Client } from "../support/http3-client.ts";
import { LOCALHOST } from "../support/certificates.ts";
import { everythingTo } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { Folder, Program, until } from "../support/program.ts";
import { parseMetrics } from "../support/prometheus.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TIME_MS = patient(60_000);
/** Longer than any test, so that a connection with a begun head stays busy. */
const TIMEOUTS = { header_ms: 60_000, idle_ms: 60_000 };
/** Longer than the idle time after which a connection may be closed for another. */
const IDLE_MS = 1100;
const FIRST = "127.0.0.1";
const SECOND = "127.0.0.2";

let folder: Folder;
let origin: RawOrigin;
const programs: Program[] = [];
const clients: { destroy(): void }[] = [];

beforeEach(async () => {
  folder = new Folder();
  origin = await RawOrigin.start();
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(programs.splice(0).map((program) => program.stop()));
  await origin.stop();
  folder.remove();
});

interface Server {
  readonly workers?: number;
  readonly max_connections?: number;
  readonly max_connections_per_address?: number;
  readonly trusted_proxies?: readonly string[];
  readonly listeners?: readonly object[];
}

function configOf(server: Server, rest: object = {}): object {
  const { listeners = [{}], ...others } = server;
  const all = listeners.map((one) => ({ address: "0.0.0.0", port: 0, ...one }));
  const tls = { cert_path: folder.write("own.pem", LOCALHOST.cert), key_path: folder.write("own.key", LOCALHOST.key) };
  const timeouts = TIMEOUTS;
  return { server: { workers: 1, ...others, listeners: all }, tls, timeouts, ...everythingTo(origin.port), ...rest };
}

async function serve(server: Server): Promise<{ program: Program; ports: number[] }> {
  const program = new Program(["--config", folder.write("turnpike.json", configOf(server))]);
  programs.push(program);
  const count = server.listeners?.length ?? 1;
  const [text] = await program.sees(new RegExp(`(?:listening on https?://\\S+:\\d+\\n){${count}}`));
  return { program, ports: [...text.matchAll(/:(\d+)\n/g)].map((match) => Number(match[1])) };
}

async function openFrom(localAddress: string, port: number): Promise<RawClient> {
  const socket: Socket = connectTcp({ port, host: FIRST, localAddress, noDelay: true });
  const client = new RawClient(socket);
  clients.push(client);
  await until("a connection", () => (socket.connecting ? undefined : true));
  return client;
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`;
}

async function ask(client: RawClient, path = "/x"): Promise<number> {
  client.send(get(path));
  return statusOf(await client.response());
}

/** Connections with a begun request that does not end, so that they stay busy. */
async function busy(count: number, address: string, port: number, first = ""): Promise<RawClient[]> {
  const all = await Promise.all(Array.from({ length: count }, () => openFrom(address, port)));
  for (const client of all) client.send(`${first}GET /slow HTTP/1.1\r\n`);
  return all;
}

/** The PROXY header for `client`. */
function proxyLine(client: string): string {
  return client.includes(":")
    ? `PROXY TCP6 ${client} 2001:db8::9 1000 80\r\n`
    : `PROXY TCP4 ${client} 192.0.2.9 1000 80\r\n`;
}

async function connectionsOpen(port: number): Promise<number> {
  const { body } = await fetchMetrics(port);
  const metric = parseMetrics(body).get("turnpike_connections_open");
  return metric?.samples.reduce((sum, { value }) => sum + value, 0) ?? 0;
}

async function fetchMetrics(port: number): Promise<{ body: string }> {
  const client = await openFrom(SECOND, port);
  client.send(get("/metrics").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  const { body } = await client.response();
  return { body };
}

describe("server.max_connections_per_address", () => {
  for (const workers of [1, 2]) {
    test(
      `an address has its limit and no more, and others have theirs, with workers: ${workers}`,
      async () => {
        const { ports } = await serve({ workers, max_connections: 40, max_connections_per_address: 6 });
        const [port = 0] = ports;
        const held = await busy(6, FIRST, port);
        await until("all six", async () => ((await connectionsOpen(port)) >= 7 ? true : undefined));
        const seventh = await openFrom(FIRST, port);
        const client = await openFrom(SECOND, port);
        expect([await ask(seventh), await ask(client)]).toEqual([503, 200]);
        for (const one of held) one.destroy();
        await until("the share again", async () => {
          const again = await openFrom(FIRST, port);
          return (await ask(again)) === 200 ? true : undefined;
        });
      },
      TIME_MS,
    );
  }

  test(
    "connections over TCP, TLS and HTTP/3 count together, and a reload changes the limit",
    async () => {
      const listeners = [{}, { use_tls: true, quic_enabled: true }];
      const { program, ports } = await serve({ listeners, max_connections: 40, max_connections_per_address: 3 });
      const [plain = 0, secure = 0] = ports;
      await busy(1, FIRST, plain);
      const tls = await Bun.connect({
        hostname: FIRST,
        port: secure,
        tls: { rejectUnauthorized: false },
        socket: { data() {} },
      });
      tls.write("GET /slow HTTP/1.1\r\n");
      const http3 = await Http3Client.connect(secure);
      expect((await http3.request("GET", "/x")).headers[":status"]).toBe("200");
      await until("all three", async () => ((await connectionsOpen(plain)) >= 4 ? true : undefined));
      expect(await ask(await openFrom(FIRST, plain))).toBe(503);
      const over = await Http3Client.connect(secure);
      expect((await over.request("GET", "/x")).headers[":status"]).toBe("503");
      const config = configOf({
        listeners: [{ port: plain }, { port: secure, use_tls: true, quic_enabled: true }],
        max_connections: 40,
        max_connections_per_address: 30,
      });
      folder.write("turnpike.json", config);
      program.kill("SIGHUP");
      await program.sees(/reloaded/);
      expect(await ask(await openFrom(FIRST, plain))).toBe(200);
      http3.close();
      over.close();
      tls.terminate();
    },
    TIME_MS,
  );

  test(
    "connections of a trusted proxy have no limit, and those behind the PROXY protocol have the client's limit",
    async () => {
      const { ports } = await serve({
        listeners: [{}, { proxy_protocol: true }],
        max_connections: 60,
        max_connections_per_address: 3,
        trusted_proxies: [SECOND],
      });
      const [plain = 0, proxied = 0] = ports;
      await busy(8, SECOND, plain);
      expect(await ask(await openFrom(SECOND, plain))).toBe(200);
      await busy(3, FIRST, proxied, proxyLine("192.0.2.1"));
      await busy(3, FIRST, proxied, proxyLine("2001:db8:1:2::1"));
      await until("all of them", async () => ((await connectionsOpen(plain)) >= 15 ? true : undefined));
      const statusOfClient = async (header: string): Promise<number> => {
        const client = await openFrom(FIRST, proxied);
        client.send(header + get("/x"));
        return statusOf(await client.response());
      };
      expect([await statusOfClient(proxyLine("192.0.2.1")), await statusOfClient(proxyLine("192.0.2.2"))]).toEqual([
        503, 200,
      ]);
      // A /64 network counts as one client.
      expect(await statusOfClient(proxyLine("2001:db8:1:2:ffff::7"))).toBe(503);
      expect(await statusOfClient(proxyLine("2001:db8:1:3::1"))).toBe(200);
    },
    TIME_MS,
  );
});

describe("idle connections", () => {
  for (const workers of [1, 2]) {
    test(
      `are closed, the oldest first, when the connections run out, with workers: ${workers}`,
      async () => {
        const { ports } = await serve({ workers, max_connections: 6 });
        const [port = 0] = ports;
        const idle: RawClient[] = [];
        for (let i = 0; i < 6; i++) {
          const client = await openFrom(FIRST, port);
          expect(await ask(client)).toBe(200);
          idle.push(client);
        }
        await Bun.sleep(IDLE_MS);
        expect(await ask(idle[0] as RawClient)).toBe(200); // It is the newest now; six were opened.
        await until("a place", async () => ((await ask(await openFrom(SECOND, port))) === 200 ? true : undefined));
        await until("one that made way", () => (idle.some(({ state }) => state !== "open") ? true : undefined));
        expect(idle[0]?.state).toBe("open");
        if (workers === 1) expect(idle[1]?.state).not.toBe("open");
        const { body } = await fetchMetrics(port);
        expect(body).toMatch(/turnpike_connections_yielded_total\{transport="tcp"\} [1-9]/);
      },
      TIME_MS,
    );
  }

  test(
    "that never sent a byte are closed for clients of other addresses, and of their own",
    async () => {
      const { ports } = await serve({ max_connections: 60, max_connections_per_address: 40 });
      const [port = 0] = ports;
      await Promise.all(Array.from({ length: 100 }, () => openFrom(FIRST, port)));
      await Bun.sleep(IDLE_MS);
      for (let i = 0; i < 30; i++) {
        const address = i % 2 === 0 ? FIRST : SECOND;
        expect(await ask(await openFrom(address, port))).toBe(200);
      }
    },
    TIME_MS,
  );

  test(
    "over HTTP/3 are closed as well",
    async () => {
      const { ports } = await serve({ listeners: [{ use_tls: true, quic_enabled: true }], max_connections: 2 });
      const [port = 0] = ports;
      const idle = await Promise.all([Http3Client.connect(port), Http3Client.connect(port)]);
      for (const client of idle) expect((await client.request("GET", "/x")).headers[":status"]).toBe("200");
      await Bun.sleep(IDLE_MS);
      const next = await Http3Client.connect(port);
      expect((await next.request("GET", "/x")).headers[":status"]).toBe("200");
      await until("one that made way", () => (idle.some(({ isClosed }) => isClosed) ? true : undefined));
      for (const client of [...idle, next]) client.close();
    },
    TIME_MS,
  );
});

describe("the reserve", () => {
  test(
    "serves the gateway's own paths, and nothing else, on every protocol while all connections are in use",
    async () => {
      const listeners = [{}, { use_tls: true, quic_enabled: true }, { proxy_protocol: true }];
      const { ports } = await serve({ listeners, max_connections: 3 });
      const [plain = 0, secure = 0, proxied = 0] = ports;
      await busy(3, FIRST, plain);
      await until("all places taken", async () =>
        (await ask(await openFrom(FIRST, plain))) === 503 ? true : undefined,
      );
      for (const [path, status] of [
        ["/.healthz", 200],
        ["/.ready", 200],
        ["/metrics", 200],
        ["/x", 503],
        ["/.well-known/x402", 503],
      ] as const) {
        const client = await openFrom(FIRST, plain);
        expect(await ask(client, path)).toBe(status);
        await client.closed();
        const response = await fetch(`https://127.0.0.1:${secure}${path}`, { tls: { rejectUnauthorized: false } });
        expect(response.status).toBe(status);
        const http3 = await Http3Client.connect(secure);
        expect((await http3.request("GET", path)).headers[":status"]).toBe(String(status));
        http3.close();
        expect(statusOf(await once(proxied, `PROXY TCP4 192.0.2.1 192.0.2.9 1 80\r\n${get(path)}`))).toBe(status);
      }
      expect(origin.requests).toHaveLength(0);
    },
    TIME_MS,
  );

  test(
    "is not used up by silent connections, nor by one address",
    async () => {
      const { ports } = await serve({ max_connections: 2 });
      const [port = 0] = ports;
      await busy(2, FIRST, port);
      await until("all places taken", async () =>
        (await ask(await openFrom(FIRST, port))) === 503 ? true : undefined,
      );
      const flood = setInterval(() => {
        for (let i = 0; i < 5; i++) void openFrom(FIRST, port).catch(() => {});
      }, 20);
      for (let i = 0; i < 20; i++) expect(await ask(await openFrom(SECOND, port), "/.healthz")).toBe(200);
      clearInterval(flood);
    },
    TIME_MS,
  );
});
