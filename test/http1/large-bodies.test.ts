/** Bodies far larger than the memory they may take: streamed both ways, and held back where nobody takes them. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { connect, createServer, type Server, type Socket } from "node:net";
import { listenOnLoopback } from "../../src/lib/testing/listen.ts";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const MIB = 1024 * 1024;
const BODY = 200 * MIB;
const HELD_BACK = 100 * MIB;
const MEMORY_LIMIT_KIB = 150 * 1024;
const PIECE = 64 * 1024;
/** Requests whose answers take 640 MiB. */
const PIPELINED = 10_000;

let server: Server;
let gateway: Gateway;

/** KiB: the most that the gateway had in memory, without the pages of program files, which all processes share. */
function peakKib(): number {
  return gateway.memoryKib("VmHWM") - gateway.memoryKib("RssFile");
}

/** Writes `total` bytes, generated on the way, as fast as the socket takes them; resolves to their hash. */
function sendBody(socket: Socket, total: number, onSent?: (bytes: number) => void): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha1");
  let sent = 0;
  return new Promise((resolve, reject) => {
    const fill = (): void => {
      while (sent < total) {
        const piece = Buffer.alloc(Math.min(PIECE, total - sent), sent / PIECE);
        piece.writeUInt32LE(sent >>> 0);
        hasher.update(piece);
        sent += piece.length;
        onSent?.(sent);
        if (!socket.write(piece)) return;
      }
      socket.off("drain", fill);
      resolve(hasher.digest("hex"));
    };
    socket.on("drain", fill);
    socket.once("close", () => reject(new Error(`The connection closed after ${sent} bytes`)));
    fill();
  });
}

/** Reads a head, then as many bytes as its Content-Length says; resolves to the head and the body's hash. */
function receiveBody(socket: Socket): Promise<{ head: string; hash: string }> {
  const hasher = new Bun.CryptoHasher("sha1");
  let head = "";
  let left = -1;
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      let body = chunk;
      if (left === -1) {
        head += chunk.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end === -1) return;
        body = Buffer.from(head.slice(end + 4), "latin1");
        head = head.slice(0, end);
        left = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      }
      hasher.update(body);
      left -= body.length;
      if (left > 0) return;
      socket.off("data", take);
      resolve({ head, hash: hasher.digest("hex") });
    };
    socket.on("data", take);
    socket.once("close", () => reject(new Error(`The connection closed with ${left} bytes to come: ${head}`)));
    socket.once("error", reject);
  });
}

/** How the next connection to the origin is served. */
let serve: (socket: Socket) => Promise<void>;
/** Of the test that runs; what it leaves must not serve the next one. */
const sockets = new Set<Socket>();

/** Each test has a gateway of its own, since the peak of its memory is what counts. */
beforeEach(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    serve(socket).catch(() => socket.destroy());
  });
  const { upstreams, routes } = everythingTo(await listenOnLoopback(server));
  gateway = await startGateway({
    limits: { max_body_bytes: BODY },
    access_log: { enabled: false },
    upstreams,
    routes: routes.map((route) => ({ ...route, max_response_bytes: BODY })),
  });
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await gateway.stop();
  server.close();
});

function client(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.port, "127.0.0.1", () => resolve(socket));
    sockets.add(socket);
    socket.once("error", reject);
  });
}

test("200 MB up and 200 MB down keep their hash and take less than 150 MB of memory", async () => {
  let sentDown = "";
  serve = async (socket) => {
    const { hash } = await receiveBody(socket);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BODY}\r\nX-Hash: ${hash}\r\nConnection: close\r\n\r\n`);
    sentDown = await sendBody(socket, BODY);
    socket.end();
  };
  const socket = await client();
  const responded = receiveBody(socket);
  socket.write(`POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${BODY}\r\n\r\n`);
  const sentUp = await sendBody(socket, BODY);
  const { head, hash } = await responded;
  expect(head.toLowerCase()).toContain(`x-hash: ${sentUp}`);
  expect(hash).toBe(sentDown);
  expect(peakKib()).toBeLessThan(MEMORY_LIMIT_KIB);
});

/** Resolves once `read` has not changed for 300 ms: the pipe is full. */
async function settled(read: () => number): Promise<number> {
  for (let last = -1; ; ) {
    const now = read();
    if (now === last && now > 0) return now;
    last = now;
    await Bun.sleep(300);
  }
}

test("a response of 100 MB waits at the origin while the client does not read, and then arrives whole", async () => {
  let sent = 0;
  let sentHash = "";
  serve = async (socket) => {
    await receiveBody(socket);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${HELD_BACK}\r\nConnection: close\r\n\r\n`);
    sentHash = await sendBody(socket, HELD_BACK, (bytes) => (sent = bytes));
    socket.end();
  };
  const socket = await client();
  socket.pause();
  socket.write("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
  expect(await settled(() => sent)).toBeLessThan(HELD_BACK / 2);
  const held = gateway.memoryKib("VmRSS");
  expect(held).toBeLessThan(MEMORY_LIMIT_KIB);
  const responded = receiveBody(socket);
  socket.resume();
  const { hash } = await responded;
  expect(hash).toBe(sentHash);
  expect(peakKib()).toBeLessThan(MEMORY_LIMIT_KIB);
});

test("a request of 100 MB waits at the client while the origin does not read, and then arrives whole", async () => {
  const release = Promise.withResolvers<void>();
  const received = Promise.withResolvers<string>();
  serve = async (socket) => {
    socket.pause();
    await release.promise;
    const body = receiveBody(socket);
    socket.resume();
    received.resolve((await body).hash);
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  };
  const socket = await client();
  let sent = 0;
  socket.write(`POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${HELD_BACK}\r\n\r\n`);
  const sentHash = sendBody(socket, HELD_BACK, (bytes) => (sent = bytes));
  expect(await settled(() => sent)).toBeLessThan(HELD_BACK / 2);
  expect(peakKib()).toBeLessThan(MEMORY_LIMIT_KIB);
  const responded = receiveBody(socket);
  release.resolve();
  expect(await received.promise).toBe(await sentHash);
  expect((await responded).head).toStartWith("HTTP/1.1 200 ");
});

test("a client that sends requests and reads no responses is held back", async () => {
  let requests = 0;
  const response = `HTTP/1.1 200 OK\r\nContent-Length: ${PIECE}\r\n\r\n${"x".repeat(PIECE)}`;
  serve = (socket) => {
    socket.on("data", (chunk) => {
      for (const _ of chunk.toString("latin1").matchAll(/\r\n\r\n/g)) {
        requests++;
        socket.write(response);
      }
    });
    return Promise.resolve();
  };
  const socket = await client();
  socket.pause();
  socket.write("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n".repeat(PIPELINED));
  expect(await settled(() => requests)).toBeLessThan(PIPELINED / 4);
  expect(peakKib()).toBeLessThan(MEMORY_LIMIT_KIB);
});

test("interim responses without end are held back or refused", async () => {
  let sent = 0;
  const interim = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n".repeat(1000);
  serve = (socket) => {
    const flood = (): void => {
      while (!socket.destroyed && sent < BODY) {
        sent += interim.length;
        if (!socket.write(interim)) return;
      }
    };
    socket.on("drain", flood);
    socket.once("data", flood);
    return Promise.resolve();
  };
  const socket = await client();
  socket.pause();
  socket.write("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
  expect(await settled(() => sent)).toBeLessThan(BODY / 4);
  expect(peakKib()).toBeLessThan(MEMORY_LIMIT_KIB);
});
