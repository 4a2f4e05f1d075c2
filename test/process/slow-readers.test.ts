/**
 * Clients that read after the gateway has finished with them: they get all data that was sent, and occupy no permit
 * meanwhile.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createConnection, type Socket } from "node:net";
import { connect } from "node:tls";
import { loadValue } from "../../src/gateway/config/load.ts";
import { type Gateway } from "../../src/gateway/process/gateway/gateway-interface.ts";
import { startGateway } from "../../src/gateway/process/gateway/gateway.ts";
import { until } from "../../src/lib/testing/until.ts";
import { makeCertificate } from "../support/certificates.ts";
import { get } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { Folder } from "../support/program.ts";

/** The bytes that a kernel buffers for a connection that is not read. */
const SIZE = 1_000_000;
const TIMEOUTS = { idle_ms: 500, header_ms: 500, body_ms: 500, write_ms: 500 };
const GET = "GET /big.bin HTTP/1.1\r\nHost: a.test\r\n";

let folder: Folder;
const gateways = new Map<string, Gateway>();

async function serve(tls: object): Promise<Gateway> {
  const server = { address: "127.0.0.1", port: 0, static_root: folder.path };
  const { config, problems } = loadValue({ server, tls, timeouts: TIMEOUTS, access_log: { enabled: false } });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  return startGateway({ config, storePath: ":memory:", reusePort: false, log: console.error });
}

beforeAll(async () => {
  folder = new Folder();
  folder.write("big.bin", "x".repeat(SIZE));
  const { cert, key } = makeCertificate({ hostnames: ["a.test"] });
  const files = { cert_path: folder.write("cert.pem", cert), key_path: folder.write("key.pem", key) };
  gateways.set("TCP", await serve({}));
  gateways.set("TLS", await serve(files));
});

afterAll(async () => {
  await Promise.all([...gateways.values()].map((gateway) => gateway.close(0)));
  folder.remove();
});

function open(transport: string, gateway: Gateway): Promise<Socket> {
  const place = { host: "127.0.0.1", port: gateway.listeners[0]?.port ?? 0, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const socket: Socket =
      transport === "TLS"
        ? connect({ ...place, allowHalfOpen: true }, () => resolve(socket))
        : createConnection({ ...place, allowHalfOpen: true }, () => resolve(socket));
    socket.on("error", reject);
  });
}

/** The number of bytes that arrive, and how the connection ends. */
function readAll(socket: Socket): Promise<{ bytes: number; end: string }> {
  let bytes = 0;
  const { promise, resolve } = Promise.withResolvers<{ bytes: number; end: string }>();
  socket.on("data", (chunk: Buffer) => (bytes += chunk.length));
  socket.on("error", (error) => resolve({ bytes, end: error.message }));
  socket.on("end", () => resolve({ bytes, end: "end" }));
  socket.resume();
  return promise;
}

const REQUESTS = [
  `${GET}Connection: close\r\n\r\n`,
  `${GET}Connection: close\r\nContent-Length: 3\r\n\r\nabc`,
  // Its connection is closed after the idle timeout.
  `${GET}\r\n`,
  `${GET}\r\nnothing\r\n\r\n`,
];

const WINDOW = 2 * SIZE;
const HTTP2 = Buffer.concat([
  h2.PREFACE,
  h2.settings([h2.INITIAL_WINDOW_SIZE, WINDOW]),
  h2.windowUpdate(0, WINDOW),
  get(1, "/big.bin"),
]);

for (const [transport, requests] of [
  ["TCP", [...REQUESTS, HTTP2]],
  ["TLS", REQUESTS],
] as const) {
  test(`over ${transport}, a client that neither reads nor closes is disconnected, and a client that reads later gets its whole response`, async () => {
    const gateway = gateways.get(transport);
    if (gateway === undefined) throw new Error("there is no gateway");
    const sockets = await Promise.all(requests.map(() => open(transport, gateway)));
    await until(() => gateway.connections === requests.length);
    for (const [i, socket] of sockets.entries()) {
      socket.pause();
      socket.write(requests[i] ?? "");
    }
    await until(() => gateway.connections === 0);
    const responses = await Promise.all(sockets.map((socket) => readAll(socket)));
    expect(responses.filter(({ bytes, end }) => bytes <= SIZE || end !== "end")).toEqual([]);
    for (const socket of sockets) socket.destroy();
  });
}
