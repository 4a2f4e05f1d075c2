/** Floods over HTTP/1: endless heads, many connections with few bytes, and pipelines whose responses are never read. */
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { once } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { cpuSeconds, flood } from "./flooder.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const REQUEST = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";
const KIB_OF_GROWTH = 100 * 1024;
const CPU_SECONDS = 10;
/** 10,000 connections, if the descriptors of the test and the gateway allow it; their default limit is 1024. */
const CONNECTIONS = Math.min(10_000, descriptors() - 300);
const HEADER_MS = 3_000;

let origin: RawOrigin;
let gateway: Gateway;

function descriptors(): number {
  const { stdout } = Bun.spawnSync(["sh", "-c", "ulimit -n"]);
  const limit = Number(stdout.toString());
  return Number.isFinite(limit) ? limit : 20_000;
}

beforeAll(async () => {
  origin = await RawOrigin.start();
  // The origin does not need the endless bodies.
  origin.onBytes = (connection) => {
    if (connection.received.startsWith("POST") || connection.received.startsWith("1")) connection.received = "";
  };
  gateway = await startGateway({
    access_log: { enabled: false },
    server: { max_connections: 20_000, max_connections_per_address: 20_000 },
    buffer_pool: { buffer_count: 40_000 },
    timeouts: { header_ms: HEADER_MS, body_ms: 2_000 },
    ...everythingTo(origin.port),
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

async function bounded(work: () => Promise<void>): Promise<void> {
  const memory = gateway.memoryKib("VmRSS");
  const cpu = cpuSeconds(gateway.pid);
  await work();
  expect(gateway.memoryKib("VmRSS") - memory).toBeLessThan(KIB_OF_GROWTH);
  expect(cpuSeconds(gateway.pid) - cpu).toBeLessThan(CPU_SECONDS);
  expect(statusOf(await once(gateway.port, REQUEST))).toBe(200);
}

function open(bytes: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: gateway.port, host: "127.0.0.1" }, () => {
      socket.write(bytes);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

test("thousands of connections with one byte use little memory, end in time, and block no client", async () => {
  await bounded(async () => {
    const sockets: Socket[] = [];
    let closed = 0;
    for (let opened = 0; opened < CONNECTIONS; opened += 200) {
      const more = await Promise.all(Array.from({ length: 200 }, () => open("G")));
      for (const socket of more) socket.on("error", () => {}).on("close", () => closed++);
      for (const socket of more) socket.resume();
      sockets.push(...more);
      if (opened % 1000 === 0) expect(statusOf(await once(gateway.port, REQUEST))).toBe(200);
    }
    for (let waited = 0; closed < sockets.length && waited < 5 * HEADER_MS; waited += 100) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(closed).toBe(sockets.length);
  });
});

const ENDLESS: readonly (readonly [name: string, first: string, next: string])[] = [
  ["a head of fields without end", "GET /x HTTP/1.1\r\n", "X: y\r\n"],
  ["one field without end", "GET /x HTTP/1.1\r\nX: ", "yyyyyyyy"],
  ["a target without end", "GET /", "xxxxxxxx"],
  ["a method without end", "", "XXXXXXXX"],
  ["empty lines without end", "", "\r\n"],
  [
    "chunks of one byte without end",
    "POST /x HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n",
    "1\r\nx\r\n",
  ],
  [
    "chunk extensions without end",
    "POST /x HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n",
    "1;a=b\r\nx\r\n",
  ],
  ["trailers without end", "POST /x HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X: y\r\n"],
];

test.each(ENDLESS)("%s", async (_, first, next) => {
  await bounded(async () => {
    const piece = Buffer.from(next.repeat(2000), "latin1");
    const { stopped } = await flood(gateway.port, Buffer.from(first, "latin1"), () => piece, { most: 300 << 20 });
    expect(stopped).toBe(true);
  });
});

test("requests whose responses are not read are paused, and use no CPU time meanwhile", async () => {
  await bounded(async () => {
    const piece = Buffer.from(REQUEST.repeat(1000), "latin1");
    const options = { most: 64 << 20, reads: false, patienceMs: 500 };
    await Promise.all(Array.from({ length: 10 }, () => flood(gateway.port, Buffer.alloc(0), () => piece, options)));
  });
});
