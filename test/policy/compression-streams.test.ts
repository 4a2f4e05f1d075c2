/** Long compressed responses: streaming, backpressure and early ends. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { type Transform } from "node:stream";
import zlib from "node:zlib";
import { MAX_COMPRESSORS } from "../../src/gateway/policy/compression/slots.ts";
import { until } from "../../src/lib/testing/until.ts";
import { everythingTo, startGateway } from "../support/gateway.ts";
import { Http2Client, get } from "../support/http2-client.ts";
import { DATA } from "../support/http2-frames.ts";
import { Http3Client, type OpenRequest } from "../support/http3-client.ts";
import { type OriginConnection, RawOrigin } from "../support/raw-origin.ts";
import { RawClient } from "../support/raw-client.ts";
import { PROTOCOLS, type Protocol, type ProtocolGateway, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

let origin: RawOrigin;
let gateway: ProtocolGateway;

function config(): object {
  const { upstreams, routes } = everythingTo(origin.port);
  const pool = { connection_pool: { max_connections: 1024 } };
  return {
    upstreams: upstreams.map((upstream) => ({ ...upstream, ...pool })),
    routes: routes.map((route) => ({ ...route, max_response_bytes: 0x7fffffff })),
    compression: {},
  };
}

beforeAll(async () => {
  origin = await RawOrigin.start();
  gateway = await startProtocols({ ...config() });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

beforeEach(() => origin.reset());

// The types are those of an older Node.
const { createZstdDecompress } = zlib as unknown as { createZstdDecompress: () => Transform };

const DECODERS: Readonly<Record<string, () => Transform>> = {
  zstd: createZstdDecompress,
  br: () => zlib.createBrotliDecompress(),
  gzip: () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
};

/** RFC 9114 §8.1, H3_REQUEST_CANCELLED. */
const REQUEST_CANCELLED = 0x10cn;

interface OpenResponse {
  /** The encoded body so far. */
  body(): Buffer;
  leave(): void;
}

/** Requests a path, and reads its response while it arrives. */
async function ask(protocol: Protocol, coding: string): Promise<OpenResponse> {
  if (protocol === "HTTP/3") {
    const client = await Http3Client.connect(gateway.quicPort);
    const { chunks, response, stream } = await client.open("GET", "/x", { "accept-encoding": coding });
    response.catch(() => {});
    return { body: () => Buffer.concat(chunks), leave: () => leaveStream(stream) };
  }
  if (protocol === "HTTP/2") {
    const client = await Http2Client.ready(gateway.plainPort);
    client.send(get(1, "/x", [["accept-encoding", coding]]));
    const body = (): Buffer =>
      Buffer.concat(client.frames.filter(({ type }) => type === DATA).map(({ payload }) => payload));
    return { body, leave: () => client.destroy() };
  }
  const client = await RawClient.open(gateway.plainPort);
  client.send(`GET /x HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${coding}\r\n\r\n`);
  return { body: () => chunksOf(client.received), leave: () => client.destroy() };
}

function leaveStream(stream: OpenRequest["stream"]): void {
  stream.stopSending(REQUEST_CANCELLED);
  stream.resetStream(REQUEST_CANCELLED);
}

/** The data in the complete chunks of an HTTP/1.1 response. */
function chunksOf(received: string): Buffer {
  let at = received.indexOf("\r\n\r\n") + 4;
  let body = "";
  for (;;) {
    const line = received.indexOf("\r\n", at);
    const length = line === -1 ? 0 : Number.parseInt(received.slice(at, line), 16);
    if (!(length > 0) || received.length < line + 2 + length) return Buffer.from(body, "latin1");
    body += received.slice(line + 2, line + 2 + length);
    at = line + 4 + length;
  }
}

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

function head(type: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
}

/** Makes the origin begin a response, which the test continues. */
function begins(type: string): Promise<OriginConnection> {
  const { promise, resolve } = Promise.withResolvers<OriginConnection>();
  origin.response = (_, connection) => {
    connection.send(head(type));
    resolve(connection);
  };
  return promise;
}

for (const protocol of PROTOCOLS) {
  for (const type of ["text/event-stream", "application/json"]) {
    test(`pieces of ${type} arrive one by one, each before the next is sent, over ${protocol}`, async () => {
      for (const coding of Object.keys(DECODERS)) {
        const begun = begins(type);
        const response = await ask(protocol, coding);
        const connection = await begun;
        const decoder = DECODERS[coding]?.();
        let fed = 0;
        let seen = "";
        decoder?.on("data", (bytes: Buffer) => (seen += bytes.toString()));
        for (let i = 0; i < 5; i++) {
          connection.send(chunk(`data: ${i}\n\n`));
          await until(() => {
            const body = response.body();
            if (body.length > fed) decoder?.write(body.subarray(fed));
            fed = body.length;
            return seen.endsWith(`data: ${i}\n\n`);
          });
        }
        response.leave();
        await until(() => connection.closed);
      }
    });
  }

  test(`a response that its upstream cuts off never looks complete over ${protocol}`, async () => {
    const begun = begins("text/plain");
    const outcome = endOf(protocol);
    const connection = await begun;
    connection.send(chunk("a piece ".repeat(9000)));
    connection.reset();
    expect(await outcome).toBe("cut off");
  });
}

/** The end of a response in gzip. */
async function endOf(protocol: Protocol): Promise<string> {
  if (protocol !== "HTTP/2") {
    const response = gateway.request(protocol, { headers: { "accept-encoding": "gzip" } });
    return response.then(
      () => "whole",
      () => "cut off",
    );
  }
  const client = await Http2Client.ready(gateway.plainPort);
  client.send(get(1, "/x", [["accept-encoding", "gzip"]]));
  await client.resetCode(1);
  client.destroy();
  return "cut off";
}

test("beyond its limit a worker does not compress, until clients have left or read to the end", async () => {
  const clients = Array.from({ length: MAX_COMPRESSORS }, async () => {
    const client = await RawClient.open(gateway.plainPort);
    client.send("GET /x HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
    await client.sees("\r\n\r\n");
    return client;
  });
  origin.response = (_, connection) => connection.send(head("text/plain") + chunk("some text"));
  const open = await Promise.all(clients);
  expect(open.every((client) => client.received.includes("Content-Encoding: gzip"))).toBe(true);
  origin.response = (_, connection) => connection.send(`${head("text/plain")}${chunk("more text")}0\r\n\r\n`);
  const headers = { "accept-encoding": "gzip" };
  const beyond = await gateway.plain({ headers });
  expect([beyond.text, beyond.header("content-encoding"), beyond.header("vary")]).toEqual([
    "more text",
    undefined,
    "Accept-Encoding",
  ]);
  for (const client of open) client.destroy();
  await until(async () => (await gateway.plain({ headers })).header("content-encoding") === "gzip");
  for (let i = 0; i < MAX_COMPRESSORS + 10; i++) {
    expect((await gateway.plain({ headers })).header("content-encoding")).toBe("gzip");
  }
});

const PIECE = Buffer.from(createHash("shake128", { outputLength: 32_768 }).update("x").digest("hex"));
const PIECES = 1600;

/** Sends 100 MiB as fast as they are read. */
async function sendMuch(connection: OriginConnection): Promise<void> {
  const { socket } = connection;
  connection.send(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${PIECE.length * PIECES}\r\n\r\n`);
  for (let i = 0; i < PIECES; i++) if (!socket.write(PIECE)) await once(socket, "drain");
}

test("a hundred megabytes to a client that begins to read late take little memory", async () => {
  const own = await startGateway({ ...config(), access_log: { enabled: false } });
  try {
    origin.response = (_, connection) => void sendMuch(connection).catch(() => {});
    const before = own.memoryKib("VmHWM");
    const socket = connect(own.port, "127.0.0.1");
    socket.pause();
    socket.write("GET /x HTTP/1.0\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
    await until(() => origin.connections.some((connection) => connection.socket.writableNeedDrain));
    const gunzip = zlib.createGunzip();
    let headSeen = "";
    socket.on("data", (bytes: Buffer) => {
      if (headSeen.includes("\r\n\r\n")) {
        if (gunzip.write(bytes)) return;
        socket.pause();
        gunzip.once("drain", () => socket.resume());
        return;
      }
      headSeen += bytes.toString("latin1");
      const end = headSeen.indexOf("\r\n\r\n");
      if (end !== -1) gunzip.write(Buffer.from(headSeen.slice(end + 4), "latin1"));
    });
    socket.on("end", () => gunzip.end());
    socket.resume();
    let total = 0;
    for await (const bytes of gunzip) total += (bytes as Buffer).length; // A stream of bytes without encoding.
    expect(headSeen).toContain("Content-Encoding: gzip");
    expect(total).toBe(PIECE.length * PIECES);
    expect(own.memoryKib("VmHWM") - before).toBeLessThan(64 * 1024);
    socket.destroy();
  } finally {
    await own.stop();
  }
});
