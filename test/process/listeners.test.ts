/** Listeners: any number of ports, each with its own protocols, and reloads that change them. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { once as onceEvent } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, type TLSSocket } from "node:tls";
import { freePort } from "../../src/lib/testing/listen.ts";
import { makeCertificate } from "../support/certificates.ts";
import { everythingTo } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { Folder, Program, until } from "../support/program.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { echo, RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TIME_MS = patient(40_000);
const GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** An empty SETTINGS frame (RFC 9113 §6.5), the first frame of either side. */
const SETTINGS = "\0\0\0\x04\0\0\0\0\0";
const certificate = makeCertificate({ hostnames: ["own.test"] });

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

interface Wanted {
  readonly port?: number;
  readonly [key: string]: unknown;
}

function configOf(listeners: readonly Wanted[], rest: object = {}): object {
  const tls = {
    cert_path: folder.write("own.pem", certificate.cert),
    key_path: folder.write("own.key", certificate.key),
  };
  const server = { workers: 1, listeners: listeners.map((one) => ({ address: "127.0.0.1", port: 0, ...one })) };
  return { server, tls, ...everythingTo(origin.port), ...rest };
}

/** Starts the gateway; the ports are in the order of the listeners. */
async function serve(config: object): Promise<{ program: Program; ports: number[] }> {
  const program = new Program(["--config", folder.write("turnpike.json", config)]);
  programs.push(program);
  const count = (config as { server: { listeners?: unknown[] } }).server.listeners?.length ?? 1; // As configOf makes it.
  const lines = new RegExp(`(?:listening on https?://\\S+:\\d+\\n){${count}}`);
  const [text] = await program.sees(lines);
  return { program, ports: [...text.matchAll(/:(\d+)\n/g)].map((match) => Number(match[1])) };
}

async function reload(program: Program, config: object, told = /reloaded/): Promise<void> {
  folder.write("turnpike.json", config);
  const from = program.output.length;
  program.kill("SIGHUP");
  await until("the reload", () => (told.test(program.output.slice(from)) ? true : undefined));
}

async function open(port: number): Promise<RawClient> {
  const client = await RawClient.open(port);
  clients.push(client);
  return client;
}

async function openTls(port: number, ALPNProtocols?: string[], first = ""): Promise<TLSSocket> {
  const client = await open(port);
  if (first !== "") client.send(first);
  client.socket.removeAllListeners("data");
  const socket = connect({ socket: client.socket, rejectUnauthorized: false, ...(ALPNProtocols && { ALPNProtocols }) });
  clients.push(socket);
  await onceEvent(socket, "secureConnect");
  return socket;
}

async function http2Status(url: string): Promise<number> {
  const session = connectHttp2(url, { rejectUnauthorized: false });
  session.on("error", () => {});
  const stream = session.request({ ":path": "/x" });
  try {
    const [head] = await onceEvent(stream, "response");
    stream.resume();
    await onceEvent(stream, "end");
    return Number(head[":status"]);
  } finally {
    session.destroy();
  }
}

async function isRefused(port: number): Promise<true | undefined> {
  const client = await RawClient.open(port).catch(() => undefined);
  client?.destroy();
  return client === undefined ? true : undefined;
}

describe("the protocol of a connection", () => {
  test(
    "is HTTP/1 or HTTP/2 by its first bytes on a plaintext port, and by ALPN on a TLS port",
    async () => {
      const { ports } = await serve(configOf([{}, { use_tls: true }]));
      const [plain = 0, secure = 0] = ports;
      expect(statusOf(await once(plain, GET))).toBe(200);
      expect(await http2Status(`http://127.0.0.1:${plain}`)).toBe(200);
      expect(await http2Status(`https://127.0.0.1:${secure}`)).toBe(200);
      for (const protocols of [["http/1.1"], undefined]) {
        const socket = await openTls(secure, protocols);
        socket.write(GET);
        expect(String(await onceEvent(socket, "data"))).toStartWith("HTTP/1.1 200 ");
      }
    },
    TIME_MS,
  );

  test(
    "is detected from a preface that arrives byte by byte, with further data in the same piece",
    async () => {
      const { ports } = await serve(configOf([{}]));
      const client = await open(ports[0] ?? 0);
      for (const byte of PREFACE.slice(0, -1)) {
        client.send(byte);
        await new Promise(setImmediate);
      }
      client.send(PREFACE.slice(-1) + SETTINGS);
      // The server's settings, and its acknowledgement of the client's.
      await client.sees("\0\0\0\x04\x01\0\0\0\0");
    },
    TIME_MS,
  );

  test(
    "is HTTP/1 if the first bytes only begin like a preface",
    async () => {
      const { ports } = await serve(configOf([{}]));
      // The status of an unknown method shows that the request was read as HTTP/1.
      const statuses = { PRI: 501, PUT: 200, P: 501, PATCH: 200 };
      for (const [method, status] of Object.entries(statuses)) {
        const client = await open(ports[0] ?? 0);
        await client.sendByteByByte(`${method} /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\n\r\n`);
        expect(statusOf(await client.response(method))).toBe(status);
      }
    },
    TIME_MS,
  );

  test(
    "is awaited as long as the rest of a header section",
    async () => {
      const { ports } = await serve(configOf([{}], { timeouts: { header_ms: 100 } }));
      const client = await open(ports[0] ?? 0);
      client.send(PREFACE.slice(0, 10));
      await client.closed();
      expect(client.received).toBe("");
    },
    TIME_MS,
  );
});

describe("h2c_only", () => {
  for (const [what, config, at] of [
    ["a listener", (): object => configOf([{}, { h2c_only: true }]), 1],
    [
      "the single listener",
      (): object => ({
        server: { address: "127.0.0.1", port: 0, workers: 1 },
        http2: { h2c_only: true },
        ...everythingTo(origin.port),
      }),
      0,
    ],
  ] as const) {
    test(
      `makes ${what} accept only HTTP/2, and respond to others with 400`,
      async () => {
        const { ports } = await serve(config());
        const port = ports[at] ?? 0;
        expect(await http2Status(`http://127.0.0.1:${port}`)).toBe(200);
        const client = await open(port);
        client.send(GET);
        const response = await client.response();
        expect([statusOf(response), response.raw.includes("prior knowledge")]).toEqual([400, true]);
        await client.closed();
        const other = await open(port);
        other.send("\x16\x03\x01\x02\0");
        await other.closed();
        expect(origin.requests).toHaveLength(1);
      },
      TIME_MS,
    );
  }

  test(
    "makes a TLS listener negotiate only HTTP/2",
    async () => {
      const { ports } = await serve(configOf([{ use_tls: true, h2c_only: true }]));
      const port = ports[0] ?? 0;
      expect(await http2Status(`https://127.0.0.1:${port}`)).toBe(200);
      const socket = await openTls(port);
      socket.write(GET);
      expect(String(await onceEvent(socket, "data"))).toStartWith("HTTP/1.1 400 ");
    },
    TIME_MS,
  );
});

describe("the PROXY protocol", () => {
  const V1 = "PROXY TCP4 203.0.113.9 192.0.2.1 51234 443\r\n";
  const V2 = "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xcb\0\x71\x09\xc0\0\x02\x01\xc8\x22\x01\xbb";

  for (const [version, header] of [
    ["1", V1],
    ["2", V2],
  ] as const) {
    test(
      `version ${version} provides the client's address, before HTTP/1, HTTP/2 and TLS`,
      async () => {
        const { ports } = await serve(configOf([{ proxy_protocol: true }, { proxy_protocol: true, use_tls: true }]));
        const [plain = 0, secure = 0] = ports;
        expect(statusOf(await once(plain, header + GET))).toBe(200);
        expect(origin.bytes).toContain("X-Forwarded-For: 203.0.113.9\r\n");
        expect(origin.bytes).toContain("X-Real-IP: 203.0.113.9\r\n");
        const split = await open(plain);
        await split.sendByteByByte(header + GET);
        expect(statusOf(await split.response())).toBe(200);
        const http2 = await open(plain);
        http2.send(header + PREFACE + SETTINGS);
        await http2.sees("\0\0\0\x04\x01\0\0\0\0");
        const before = origin.bytes.length;
        const socket = await openTls(secure, ["http/1.1"], header);
        socket.write(GET);
        expect(String(await onceEvent(socket, "data"))).toStartWith("HTTP/1.1 200 ");
        expect(origin.bytes.slice(before)).toContain("X-Forwarded-For: 203.0.113.9\r\n");
        expect(origin.bytes.slice(before)).toContain("X-Forwarded-Proto: https\r\n");
      },
      TIME_MS,
    );
  }

  test(
    "is required if it is configured, and otherwise a PROXY header is an error",
    async () => {
      const { ports } = await serve(configOf([{ proxy_protocol: true }, {}], { timeouts: { header_ms: 100 } }));
      const [proxied = 0, plain = 0] = ports;
      for (const bytes of [GET, "PROXY TCP4 nobody 192.0.2.1 1 2\r\n", "PROXY TCP4 203", ""]) {
        const client = await open(proxied);
        client.send(bytes);
        await client.closed();
        expect(client.received).toBe("");
      }
      expect(statusOf(await once(plain, V1 + GET))).toBe(400);
      expect(origin.requests).toHaveLength(0);
    },
    TIME_MS,
  );

  test(
    "sends a plaintext 503 over max_connections, and closes without a response on TLS ports",
    async () => {
      const config = configOf([{ proxy_protocol: true }, { proxy_protocol: true, use_tls: true }]);
      const { server } = config as { server: object }; // As configOf makes it.
      const { ports } = await serve({ ...config, server: { ...server, max_connections: 1 } });
      const [plain = 0, secure = 0] = ports;
      const first = await open(plain);
      first.send(V1 + GET);
      expect(statusOf(await first.response())).toBe(200);
      const [refused, closed] = [await open(plain), await open(secure)];
      expect(statusOf(await refused.response())).toBe(503);
      await closed.closed();
      expect(closed.received).toBe("");
    },
    TIME_MS,
  );

  test(
    "keeps the peer's own address if the proxy connects for itself",
    async () => {
      const { ports } = await serve(configOf([{ proxy_protocol: true }]));
      expect(statusOf(await once(ports[0] ?? 0, `PROXY UNKNOWN\r\n${GET}`))).toBe(200);
      expect(origin.bytes).toContain("X-Forwarded-For: 127.0.0.1\r\n");
    },
    TIME_MS,
  );
});

describe("a reload", () => {
  for (const workers of [1, 2]) {
    test(
      `opens and closes ports, and leaves the others as they are, with workers: ${workers}`,
      async () => {
        const { program, ports } = await serve(withWorkers(workers, configOf([{}, {}])));
        const [stays = 0, goes = 0] = ports;
        const [onStaying, onGoing] = [await open(stays), await open(goes)];
        for (const client of [onStaying, onGoing]) {
          client.send(GET);
          expect(statusOf(await client.response())).toBe(200);
        }
        const comes = await freePort();
        await reload(program, withWorkers(workers, configOf([{ port: stays }, { port: comes, use_tls: true }])));
        expect(await http2Status(`https://127.0.0.1:${comes}`)).toBe(200);
        await until("the closed port", () => isRefused(goes));
        await onGoing.closed();
        onStaying.send(GET);
        expect(statusOf(await onStaying.response())).toBe(200);
        expect(statusOf(await once(stays, GET))).toBe(200);
      },
      TIME_MS,
    );

    test(
      `that cannot open a port changes nothing, with workers: ${workers}`,
      async () => {
        const blocker = await RawOrigin.start();
        const { program, ports } = await serve(withWorkers(workers, configOf([{}])));
        const [port = 0] = ports;
        const comes = await freePort();
        await reload(
          program,
          withWorkers(workers, configOf([{ port: comes }, { port: blocker.port }])),
          /Cannot reload .*Cannot listen on 127.0.0.1:\d+: the port is in use/,
        );
        expect(statusOf(await once(port, GET))).toBe(200);
        expect(await isRefused(comes)).toBe(true);
        await blocker.stop();
      },
      TIME_MS,
    );

    test(
      `opens nothing while the gateway stops, with workers: ${workers}`,
      async () => {
        const { program, ports } = await serve(withWorkers(workers, configOf([{}])));
        const [port = 0] = ports;
        const release = Promise.withResolvers<void>();
        origin.response = (request, connection) => void release.promise.then(() => echo(request, connection));
        const client = await open(port);
        client.send(GET);
        await origin.until("the request", () => origin.requests[0]);
        program.kill("SIGTERM");
        const comes = await freePort();
        await reload(program, withWorkers(workers, configOf([{ port }, { port: comes }])), /eload.*\n/);
        expect(program.output).toMatch(/Cannot reload \S+turnpike.json: the gateway is about to stop; /);
        expect(await isRefused(comes)).toBe(true);
        release.resolve();
        expect(statusOf(await client.response())).toBe(200);
        expect(await program.exit()).toBe(0);
      },
      TIME_MS,
    );

    test(
      `can reuse a port that the gateway has just closed, with workers: ${workers}`,
      async () => {
        const { program, ports } = await serve(withWorkers(workers, configOf([{}, {}])));
        const [stays = 0, goes = 0] = ports;
        for (let round = 0; round < 3; round++) {
          await reload(program, withWorkers(workers, configOf([{ port: stays }])));
          await reload(program, withWorkers(workers, configOf([{ port: stays }, { port: goes }])), /eload.*\n/);
        }
        expect(program.output).not.toContain("Cannot reload");
        expect(statusOf(await once(goes, GET))).toBe(200);
      },
      TIME_MS,
    );
  }

  test(
    "turns a port to TLS, lets its requests in flight end, and can turn it back",
    async () => {
      const { program, ports } = await serve(configOf([{}]));
      const [port = 0] = ports;
      const release = Promise.withResolvers<void>();
      origin.response = (request, connection) => void release.promise.then(() => echo(request, connection));
      const client = await open(port);
      client.send(GET);
      await origin.until("the request", () => origin.requests[0]);
      await reload(program, configOf([{ port, use_tls: true }]));
      release.resolve();
      expect(statusOf(await client.response())).toBe(200);
      await until("TLS alone", async () =>
        (await openTls(port).catch(() => undefined)) === undefined ? undefined : true,
      );
      expect(await http2Status(`https://127.0.0.1:${port}`)).toBe(200);
      await reload(program, configOf([{ port }]));
      await until("plain HTTP again", async () => {
        const response = await once(port, GET).catch(() => undefined);
        return response !== undefined && statusOf(response) === 200 ? true : undefined;
      });
    },
    TIME_MS,
  );
});

function withWorkers(workers: number, config: object): object {
  const { server } = config as { server: object }; // As configOf makes it.
  return { ...config, server: { ...server, workers } };
}

test(
  "server.defer_accept works with plaintext and TLS, accepts silent connections a second later, and can be changed by a reload",
  async () => {
    const started = configOf([{}, { use_tls: true }]) as { server: object }; // As configOf makes it.
    const config = { ...started, server: { ...started.server, defer_accept: true } };
    const { program, ports } = await serve(config);
    const [plain = 0, secure = 0] = ports;
    const silent = await RawClient.open(plain);
    clients.push(silent);
    expect(statusOf(await once(plain, GET))).toBe(200);
    const encrypted = connect({ port: secure, host: "127.0.0.1", servername: "own.test", ca: certificate.cert });
    clients.push(encrypted);
    await onceEvent(encrypted, "secureConnect");
    silent.send(GET);
    expect(statusOf(await silent.response())).toBe(200);
    folder.write("turnpike.json", started);
    program.kill("SIGHUP");
    await program.sees(/reloaded /);
    expect(statusOf(await once(plain, GET))).toBe(200);
  },
  TIME_MS,
);
