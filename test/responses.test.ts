/**
 * Paid responses that are long or requested again, with the real gateway in its own processes, and the files that it
 * leaves on the disk.
 */
import { Database } from "bun:sqlite";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync, truncateSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { encodeHeader } from "../src/payments/x402/header.ts";
import { type PaymentPayload } from "../src/payments/x402/messages.ts";
import { signedPayment, TERMS } from "../src/payments/testing/payment.ts";
import { freePort } from "../src/lib/testing/listen.ts";
import { LOCALHOST, TEST_CA } from "./support/certificates.ts";
import { serverAt } from "./support/gateway.ts";
import { Http2Client, requestFields } from "./support/http2-client.ts";
import * as h2 from "./support/http2-frames.ts";
import { block } from "./support/http2-hpack.ts";
import { Http3Client } from "./support/http3-client.ts";
import { COMMAND, descendants, Folder, Program, until } from "./support/program.ts";
import { patient } from "../src/lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const PIECE_BYTES = 65_536;
const MEGABYTE = 1_000_000;

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A part of a body in which no two parts are equal. */
function pieceAt(index: number): Uint8Array {
  const piece = Buffer.alloc(PIECE_BYTES, index % 251);
  piece.writeUInt32LE(index);
  return piece;
}

function digestOf(bytes: number): string {
  const hash = createHash("sha256");
  for (let sent = 0, index = 0; sent < bytes; sent += PIECE_BYTES, index++) {
    hash.update(pieceAt(index).subarray(0, Math.min(PIECE_BYTES, bytes - sent)));
  }
  return hash.digest("hex");
}

interface Origin {
  readonly port: number;
  /** Requests that the origin received. */
  runs: number;
  /** Bodies that their readers cancelled. */
  cancelled: number;
}

/** Responds to `/paid/N` with N bytes, and to `/paid/N?until=M` with the first M of them. */
function startOrigin(): Origin {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const bytes = Number(pathname.split("/").at(-1));
      const end = Number(searchParams.get("until") ?? bytes);
      origin.runs++;
      let index = 0;
      const body = new ReadableStream<Uint8Array>({
        type: "bytes",
        async pull(controller) {
          const at = index * PIECE_BYTES;
          // The rest never arrives.
          if (at >= end && end < bytes) return new Promise<void>(() => {});
          if (at < bytes)
            controller.enqueue(Uint8Array.from(pieceAt(index++).subarray(0, Math.min(PIECE_BYTES, bytes - at))));
          else controller.close();
        },
        cancel() {
          origin.cancelled++;
        },
      });
      return new Response(body, { headers: { "x-run": String(origin.runs) } });
    },
  });
  cleanups.push(() => server.stop(true));
  const origin: Origin = { port: server.port ?? 0, runs: 0, cancelled: 0 };
  return origin;
}

interface Running {
  readonly program: Program;
  readonly port: number;
  readonly responses: string;
}

interface StartOptions {
  readonly folder: Folder;
  readonly server?: object;
  readonly x402?: object;
  readonly http2?: object;
  readonly tls?: object;
  readonly command?: readonly string[];
}

async function start(origin: Origin, { folder, server, x402, http2, tls, command }: StartOptions): Promise<Running> {
  const config = folder.write("turnpike.json", {
    server: { address: "127.0.0.1", port: 0, workers: 1, ...server },
    x402: { enabled: true, test_mode: true, ...x402 },
    http2: { ...http2 },
    ...(tls === undefined ? {} : { tls }),
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [
      {
        path_prefix: "/paid",
        upstream: "origin",
        max_response_bytes: 1_000_000_000,
        x402: { ...TERMS, max_repeats: 100 },
      },
    ],
  });
  const program = new Program(["--config", config], command === undefined ? {} : { command });
  cleanups.push(() => program.stop());
  const [, port] = await program.sees(/listening on https?:\/\/\S*?:(\d+)/);
  return { program, port: Number(port), responses: folder.file("answers") };
}

function newFolder(): Folder {
  const folder = new Folder();
  cleanups.push(() => folder.remove());
  return folder;
}

function payment(): PaymentPayload {
  return signedPayment(Date.now() / 1000);
}

/** The fields that every client here sends, so that a retry is the same request. */
function fieldsWith(paid: PaymentPayload): Record<string, string> {
  return {
    accept: "*/*",
    "accept-encoding": "identity",
    "user-agent": "test",
    "payment-signature": encodeHeader(paid),
  };
}

/** The same request as in `get`. */
function plainHead(path: string, paid: PaymentPayload): string {
  const lines = Object.entries(fieldsWith(paid)).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join("")}\r\n`;
}

function get(port: number, path: string, paid: PaymentPayload, init: RequestInit = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    ...init,
    keepalive: false,
    headers: fieldsWith(paid),
  });
}

/** Sends a used payment again, after the earlier request has released it. */
function getAgain(port: number, path: string, paid: PaymentPayload): Promise<Response> {
  return until("the hold is over", async () => {
    const response = await get(port, path, paid);
    return response.status === 409 ? undefined : response;
  });
}

async function digest(response: Response): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith("index.db")) : [];
}

/** File descriptors of a process that belong to response files. */
function openResponses(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((fd) => {
    try {
      return /answers\/.*\.(?:part|answer)/.test(readlinkSync(join(folder, fd)));
    } catch {
      return false;
    }
  }).length;
}

function peakKib(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
}

test("a hundred megabytes are sold complete, in little memory, and repeated for the same payment", async () => {
  const origin = startOrigin();
  const bytes = 100 * MEGABYTE;
  const { program, port, responses } = await start(origin, { folder: newFolder() });
  expect((await get(port, "/paid/10", payment())).status).toBe(200);
  const before = peakKib(program.pid);
  const paid = payment();
  const response = await get(port, `/paid/${bytes}`, paid);
  expect(response.status).toBe(200);
  expect(response.headers.get("payment-response")).not.toBeNull();
  const expected = { bytes, sha256: digestOf(bytes) };
  expect(await digest(response)).toEqual(expected);
  expect(filesIn(responses)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.answer$/)]);
  const again = await getAgain(port, `/paid/${bytes}`, paid);
  expect([again.status, again.headers.get("x-run")]).toEqual([200, "2"]);
  expect(await digest(again)).toEqual(expected);
  expect(origin.runs).toBe(2);
  // Held whole, they would add a hundred megabytes to the 40 to 70 that a fast flow leaves to the garbage collector.
  expect(peakKib(program.pid) - before).toBeLessThan(90 * 1024);
  await until("its file is closed", () => (openResponses(program.pid) === 0 ? true : undefined));
});

test("a client that disconnects, before or after settlement, leaves no open descriptor, and pays once", async () => {
  const origin = startOrigin();
  const { program, port, responses } = await start(origin, { folder: newFolder() });
  const bytes = 20 * MEGABYTE;
  const unfinished = new AbortController();
  const waiting = get(port, `/paid/${bytes}?until=${5 * MEGABYTE}`, payment(), { signal: unfinished.signal });
  await until("the response is being written", () => (openResponses(program.pid) === 1 ? true : undefined));
  unfinished.abort();
  await waiting.catch(() => {});
  await until("nothing is left of it", () =>
    filesIn(responses).length + openResponses(program.pid) === 0 ? true : undefined,
  );

  const paid = payment();
  const socket = connect({ port, host: "127.0.0.1" });
  socket.pause();
  socket.write(plainHead(`/paid/${bytes}`, paid));
  const first = await new Promise<Buffer>((resolve) => socket.once("data", resolve).resume());
  socket.pause();
  expect(first.toString("latin1")).toStartWith("HTTP/1.1 200 ");
  expect(openResponses(program.pid)).toBe(1);
  socket.destroy();
  await until("its file is closed", () => (openResponses(program.pid) === 0 ? true : undefined));
  const again = await getAgain(port, `/paid/${bytes}`, paid);
  expect([again.status, again.headers.get("x-run")]).toEqual([200, "2"]);
  expect(await digest(again)).toEqual({ bytes, sha256: digestOf(bytes) });
  expect(origin.runs).toBe(2);
});

test("every worker, also after a restart, repeats the response that one of them has sold", async () => {
  const origin = startOrigin();
  const folder = newFolder();
  const { program, port } = await start(origin, { folder, server: { workers: 2 } });
  const short = payment();
  const long = payment();
  const length = 3 * MEGABYTE;
  expect((await get(port, "/paid/10", short)).status).toBe(200);
  expect((await get(port, `/paid/${length}`, long)).status).toBe(200);
  const pids = descendants(program.pid, "/process/workers/worker.");
  expect(pids).toHaveLength(2);
  const check = async (at: number): Promise<void> => {
    for (let i = 0; i < 8; i++) {
      const [a, b] = await Promise.all([getAgain(at, "/paid/10", short), getAgain(at, `/paid/${length}`, long)]);
      expect([a.status, a.headers.get("x-run"), b.status, b.headers.get("x-run")]).toEqual([200, "1", 200, "2"]);
      expect([(await digest(a)).sha256, (await digest(b)).sha256]).toEqual([digestOf(10), digestOf(length)]);
    }
  };
  await check(port);
  program.kill("SIGKILL");
  for (const pid of pids) process.kill(pid, "SIGKILL");
  await program.exit();
  const later = await start(origin, { folder, server: { workers: 2 } });
  await check(later.port);
  expect(origin.runs).toBe(2);
});

test("killed while a response is half written, the gateway repeats the response for the same payment after its start", async () => {
  const origin = startOrigin();
  const folder = newFolder();
  const first = await start(origin, { folder });
  const paid = payment();
  const bytes = 10 * MEGABYTE;
  const cut = get(first.port, `/paid/${bytes}?until=${5 * MEGABYTE}`, paid).catch(() => undefined);
  await until("the response is being written", () => (filesIn(first.responses).length === 1 ? true : undefined));
  first.program.kill("SIGKILL");
  await first.program.exit();
  await cut;
  expect(filesIn(first.responses)).toEqual([expect.stringMatching(/\.part$/)]);
  // The state 15 s later.
  const ledger = new Database(folder.file("turnpike.db"));
  ledger.run("UPDATE payments SET held_until = 1");
  ledger.close();
  const second = await start(origin, { folder });
  const response = await get(second.port, `/paid/${bytes}`, paid);
  expect(response.status).toBe(200);
  expect(await digest(response)).toEqual({ bytes, sha256: digestOf(bytes) });
});

test("a full disk is not charged to the client, and shorter responses still work", async () => {
  const origin = startOrigin();
  const command = ["sh", "-c", 'ulimit -f 8000; exec "$0" "$@"', ...COMMAND];
  const { program, port, responses } = await start(origin, { folder: newFolder(), command });
  const paid = payment();
  for (let i = 0; i < 2; i++) {
    const refused = await get(port, `/paid/${30 * MEGABYTE}`, paid);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(refused.headers.get("payment-required")).toBeNull();
    expect(await refused.json()).toMatchObject({ type: "urn:turnpike:error:overloaded" });
  }
  await until("nothing is left of it", () =>
    filesIn(responses).length + openResponses(program.pid) === 0 ? true : undefined,
  );
  const response = await get(port, `/paid/${MEGABYTE}`, payment());
  expect([response.status, (await digest(response)).sha256]).toEqual([200, digestOf(MEGABYTE)]);
});

test("over HTTP/2, as fast as the client's windows allow", async () => {
  const origin = startOrigin();
  const { program, port } = await start(origin, { folder: newFolder(), http2: { h2c_only: true } });
  const bytes = 5 * MEGABYTE;
  const client = await Http2Client.ready(port);
  cleanups.push(() => client.destroy());
  const fields = requestFields(`/paid/${bytes}`, "GET", [["payment-signature", encodeHeader(payment())]]);
  client.send(h2.frame(h2.HEADERS, h2.END_BOTH, 1, block(fields)));
  await until("the first window is full", () => (client.received(1) === 65_535 ? true : undefined));
  expect(openResponses(program.pid)).toBe(1);
  client.opensWindows = true;
  client.send(h2.windowUpdate(0, 10_000_000), h2.windowUpdate(1, 10_000_000));
  const { status, body } = await client.response(1);
  expect([status, createHash("sha256").update(body).digest("hex")]).toEqual([200, digestOf(bytes)]);
  await until("its file is closed", () => (openResponses(program.pid) === 0 ? true : undefined));
});

test("over HTTP/3 and TLS, and HEAD with no body and no file", async () => {
  const origin = startOrigin();
  const folder = newFolder();
  const tls = { cert_path: folder.write("cert.pem", LOCALHOST.cert), key_path: folder.write("key.pem", LOCALHOST.key) };
  const server = { listeners: [{ address: "127.0.0.1", port: await freePort(), use_tls: true, quic_enabled: true }] };
  const { program, port, responses } = await start(origin, { folder, server, tls });
  const bytes = 5 * MEGABYTE;
  const client = await Http3Client.connect(port);
  cleanups.push(() => client.close());
  const fields = fieldsWith(payment());
  const response = await client.request("GET", `/paid/${bytes}`, undefined, fields);
  expect(response.headers[":status"]).toBe("200");
  expect(createHash("sha256").update(response.body).digest("hex")).toBe(digestOf(bytes));
  const again = await until("the hold is over", async () => {
    const reply = await fetch(`https://localhost:${port}/paid/${bytes}`, {
      headers: fields,
      tls: { ca: TEST_CA.cert },
    });
    return reply.status === 409 ? undefined : reply;
  });
  expect([again.status, again.headers.get("x-run")]).toEqual([200, "1"]);
  expect((await digest(again)).sha256).toBe(digestOf(bytes));
  const head = await client.request("HEAD", `/paid/${bytes}`, undefined, fieldsWith(payment()));
  expect([head.headers[":status"], head.body.length]).toEqual(["200", 0]);
  expect(filesIn(responses)).toHaveLength(1);
  await until("its file is closed", () => (openResponses(program.pid) === 0 ? true : undefined));
});

test("a slow client gets the complete response, and delays no other client", async () => {
  const origin = startOrigin();
  const { program, port } = await start(origin, { folder: newFolder() });
  const bytes = 30 * MEGABYTE;
  const slow = connect({ port, host: "127.0.0.1" });
  slow.write(
    `GET /paid/${bytes} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nPayment-Signature: ${encodeHeader(payment())}\r\n\r\n`,
  );
  slow.pause();
  await until("it is being sent", () => (openResponses(program.pid) === 1 ? true : undefined));
  const quick = await get(port, `/paid/${5 * MEGABYTE}`, payment());
  expect((await digest(quick)).sha256).toBe(digestOf(5 * MEGABYTE));
  const hash = createHash("sha256");
  let head = "";
  for await (const piece of slow) {
    const chunk: Buffer = piece;
    const end = head.endsWith("\r\n\r\n") ? 0 : chunk.indexOf("\r\n\r\n") + 4;
    head += chunk.subarray(0, end).toString("latin1");
    hash.update(chunk.subarray(end));
  }
  expect(head).toStartWith("HTTP/1.1 200 OK\r\n");
  expect(hash.digest("hex")).toBe(digestOf(bytes));
  await until("its file is closed", () => (openResponses(program.pid) === 0 ? true : undefined));
});

test("a file that is truncated while it is sent never looks complete, and its paid response counts as undelivered", async () => {
  const origin = startOrigin();
  const { program, port, responses } = await start(origin, { folder: newFolder() });
  const bytes = 40 * MEGABYTE;
  const paid = payment();
  const slow = connect({ port, host: "127.0.0.1" });
  slow.write(plainHead(`/paid/${bytes}`, paid));
  slow.pause();
  const name = await until("it is being sent", () => filesIn(responses).find((file) => file.endsWith(".answer")));
  truncateSync(join(responses, name), MEGABYTE);
  let received = 0;
  slow.on("error", () => {});
  slow.on("data", (piece: Buffer) => void (received += piece.length));
  await new Promise((resolve) => slow.once("close", resolve).resume());
  expect(received).toBeLessThan(bytes);
  await until("its file is closed", () => (openResponses(program.pid) === 0 ? true : undefined));
  const again = await getAgain(port, `/paid/${bytes}`, paid);
  expect([again.status, again.headers.get("x-run")]).toEqual([200, "2"]);
  expect(await digest(again)).toEqual({ bytes, sha256: digestOf(bytes) });
});
