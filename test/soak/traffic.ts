/** The actions of clients in a soak test. Each kind is one visit, which resolves if everything was correct. */
import { join } from "node:path";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { mutate } from "../fuzz/mutate.ts";
import { type Random } from "../fuzz/random.ts";
import { HTTP1 } from "../fuzz/targets/http1.ts";
import { HTTP2 } from "../fuzz/targets/http2.ts";
import { get, Http2Client, post } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { bodyOf, BodyCheck } from "./pattern.ts";
import { sizeOf } from "./sizes.ts";

export interface Ports {
  readonly plain: number;
  readonly tls: number;
  /** 0: HTTP/3 is not served. */
  readonly quic: number;
}

/** Resolves to the bytes of body that it moved. */
export type Visit = (ports: Ports, random: Random) => Promise<number>;

const PATIENCE_MS = 20_000;
/** Milliseconds that a client with malformed data waits for its response. */
const BAD_MS = 300;

async function fetched(origin: string, random: Random): Promise<number> {
  let moved = 0;
  for (let i = 0; i < 20; i++) {
    const seed = random.below(1_000_000);
    const size = sizeOf(random);
    const isUpload = random.below(3) === 0;
    const path = `/${isUpload ? "check" : random.pick(["send", "chunks"])}/${seed}/${size}`;
    const response = await fetch(`${origin}${path}`, {
      ...(isUpload ? { method: "POST", body: bodyOf(seed, size) } : {}),
      tls: { rejectUnauthorized: false },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.status !== 200) throw new Error(`${path} has status ${response.status}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (isUpload) {
      if (Buffer.from(bytes).toString() !== "sound") throw new Error(`${path} did not arrive`);
    } else {
      const check = new BodyCheck(seed, size);
      check.take(bytes);
      check.end();
    }
    moved += size;
  }
  return moved;
}

function socketTo(port: number, isTls: boolean): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = isTls
      ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] })
      : connectTcp({ port, host: "127.0.0.1" });
    socket.once(isTls ? "secureConnect" : "connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

/** A connection that has exchanged prefaces, and reopens its windows as they are used. */
async function http2(port: number, isTls: boolean): Promise<Http2Client> {
  const client = new Http2Client(await socketTo(port, isTls));
  client.opensWindows = true;
  client.send(h2.PREFACE, h2.settings([h2.INITIAL_WINDOW_SIZE, 200_000]), h2.windowUpdate(0, 1_000_000));
  await client.sees("SETTINGS", ({ type }) => type === h2.SETTINGS);
  return client;
}

async function streams(port: number, isTls: boolean, random: Random): Promise<number> {
  const client = await http2(port, isTls);
  let moved = 0;
  try {
    const wanted = Array.from({ length: 1 + random.below(20) }, (_, i) => {
      const [seed, size] = [random.below(1_000_000), sizeOf(random)];
      client.send(get(1 + 2 * i, `/${random.pick(["send", "chunks"])}/${seed}/${size}`));
      return { streamId: 1 + 2 * i, seed, size };
    });
    const seed = random.below(1_000_000);
    client.send(post(101, `/check/${seed}/30000`));
    for (let at = 0; at < 30_000; at += 10_000) {
      const flags = at === 20_000 ? h2.END_STREAM : h2.NO_FLAGS;
      client.send(h2.data(101, bodyOf(seed, 30_000).subarray(at, at + 10_000), flags));
    }
    for (const { streamId, ...pattern } of wanted) {
      const { status, body } = await client.response(streamId, PATIENCE_MS);
      if (status !== 200) throw new Error(`stream ${streamId} is answered with ${status}`);
      const check = new BodyCheck(pattern.seed, pattern.size);
      check.take(body);
      check.end();
      moved += pattern.size;
    }
    const { body } = await client.response(101, PATIENCE_MS);
    if (body.toString() !== "sound") throw new Error("the body of stream 101 did not arrive");
    return moved + 30_000;
  } finally {
    client.destroy();
  }
}

/** Sends bytes, reads for a while, and leaves. */
async function glance(socket: Socket, bytes: Buffer, milliseconds: number): Promise<number> {
  let received = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    socket.on("data", (chunk) => {
      received += chunk.length;
    });
    socket.on("close", () => {
      clearTimeout(timer);
      resolve();
    });
    socket.on("error", () => {});
    socket.write(bytes);
  });
  socket.destroy();
  return received;
}

const abortedHttp1: Visit = async ({ plain, tls }, random) => {
  const isTls = random.below(2) === 0;
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened = isTls
      ? connectTls({ port: tls, host: "127.0.0.1", rejectUnauthorized: false }, () => resolve(opened))
      : connectTcp({ port: plain, host: "127.0.0.1" }, () => resolve(opened));
    opened.once("error", reject);
  });
  const head = "HTTP/1.1\r\nHost: a.test\r\n";
  const request = random.pick([
    `GET /send/1/3000000 ${head}\r\n`,
    `GET /chunks/1/3000000 ${head}\r\n`,
    `GET /break/1/100000 ${head}\r\n`,
    `POST /check/1/100000 ${head}Content-Length: 100000\r\n\r\n${"x".repeat(random.below(50_000))}`,
    `POST /check/1/100000 ${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`,
    "GET /send/1/5 HTT",
  ]);
  return glance(socket, Buffer.from(request, "latin1"), random.below(60));
};

const badHttp1: Visit = async ({ plain }, random) => {
  const rubbish = mutate(random.pick(HTTP1.seeds), random, HTTP1.words);
  await glance(await socketTo(plain, false), rubbish, random.below(BAD_MS));
  return 0;
};

const abortedHttp2: Visit = async ({ plain, tls }, random) => {
  const isTls = random.below(2) === 0;
  const client = await http2(isTls ? tls : plain, isTls);
  client.opensWindows = random.below(2) === 0;
  for (let i = 0; i < 1 + random.below(10); i++) {
    const streamId = 1 + 2 * i;
    client.send(
      random.pick([get(streamId, "/send/1/2000000"), get(streamId, "/break/1/50000"), post(streamId, "/check/1/9")]),
    );
    if (random.below(3) === 0) client.send(h2.reset(streamId));
  }
  await new Promise((resolve) => setTimeout(resolve, random.below(60)));
  client.destroy();
  return 0;
};

const badHttp2: Visit = async ({ plain, tls }, random) => {
  const isTls = random.below(2) === 0;
  const frames = mutate(random.pick(HTTP2.seeds), random, HTTP2.words);
  const socket = await socketTo(isTls ? tls : plain, isTls);
  await glance(socket, Buffer.concat([h2.PREFACE, h2.settings(), frames]), random.below(BAD_MS));
  return 0;
};

const SESSIONS = 40;

/** HTTP/3 sessions in a separate process. */
async function http3(port: number, kind: "whole" | "aborted", random: Random): Promise<number> {
  const script = join(import.meta.dir, "http3-visits.ts");
  const seed = random.below(2 ** 31);
  const visits = Bun.spawn([process.execPath, script, String(port), String(seed), String(SESSIONS), kind], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [said, complaints, code] = await Promise.all([
    new Response(visits.stdout).text(),
    new Response(visits.stderr).text(),
    visits.exited,
  ]);
  if (code !== 0) throw new Error(`with seed ${seed}: ${complaints}`);
  return Number(said);
}

/** Every kind of visit, and the number of clients that run it at the same time. */
export const VISITS: readonly (readonly [name: string, clients: number, visit: Visit])[] = [
  ["HTTP/1", 3, ({ plain }, random) => fetched(`http://127.0.0.1:${plain}`, random)],
  ["HTTP/1 over TLS", 2, ({ tls }, random) => fetched(`https://127.0.0.1:${tls}`, random)],
  ["HTTP/1, aborted", 2, abortedHttp1],
  ["HTTP/1, malformed", 2, badHttp1],
  ["HTTP/2", 2, ({ plain }, random) => streams(plain, false, random)],
  ["HTTP/2 over TLS", 2, ({ tls }, random) => streams(tls, true, random)],
  ["HTTP/2, aborted", 2, abortedHttp2],
  ["HTTP/2, malformed", 2, badHttp2],
  ["HTTP/3", 1, ({ quic }, random) => http3(quic, "whole", random)],
  ["HTTP/3, aborted", 1, ({ quic }, random) => http3(quic, "aborted", random)],
];
