/**
 * Floods over HTTP/2, with raw frames. Each is stopped after a bounded amount of input, or is as cheap as it looks.
 * Memory and CPU time stay bounded, and other clients are served meanwhile.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo, type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { get, Http2Client, post, requestFields } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { block, indexed, indexedLiteral } from "../support/http2-hpack.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { respondByPath } from "../conformance/http2/origin.ts";
import { cpuSeconds, flood, type FloodOptions } from "./flooder.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const MIB = 1 << 20;
const KIB_OF_GROWTH = 100 * 1024;
const CPU_SECONDS = 8;

let origin: RawOrigin;
let gateway: Gateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  origin.response = respondByPath;
  gateway = await startGateway({
    access_log: { enabled: false },
    timeouts: { idle_ms: 20_000, header_ms: 3_000, write_ms: 3_000 },
    // Half of these buffers limits the responses in memory for slow clients: 32 MiB.
    server: { max_connections: 512 },
    buffer_pool: { buffer_count: 1024 },
    ...everythingTo(origin.port),
    // Stalled clients occupy connections to the origin. Here they get all that they need, so that their memory is
    // visible.
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)], connection_pool: { max_connections: 4000 } }],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

const HELLO = Buffer.concat([h2.PREFACE, h2.settings(), h2.SETTINGS_ACK]);
const GET_BLOCK = block(requestFields("/hold"));

function repeated(piece: Buffer, times = 500): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => piece));
}

/** Frames on one stream after the other, 100 frames in each piece. */
function onStreams(frames: (streamId: number) => Buffer): (index: number) => Buffer {
  return (index) => Buffer.concat(Array.from({ length: 100 }, (_, i) => frames(1 + 2 * (index * 100 + i))));
}

/** During the flood, a well-behaved client sends requests continuously, and gets every response. */
async function servesOthers(work: Promise<unknown>): Promise<void> {
  const client = await Http2Client.ready(gateway.port);
  const state = { over: false };
  const done = work.then(
    () => {
      state.over = true;
      return undefined;
    },
    (error: unknown) => {
      state.over = true;
      return error;
    },
  );
  try {
    for (let streamId = 1; !state.over; streamId += 2) {
      client.send(get(streamId));
      expect((await client.response(streamId)).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } finally {
    client.destroy();
  }
  const failure = await done;
  if (failure !== undefined) throw failure;
}

async function bounded(work: () => Promise<void>): Promise<void> {
  const memory = gateway.memoryKib("VmRSS");
  const cpu = cpuSeconds(gateway.pid);
  await servesOthers(work());
  expect(gateway.memoryKib("VmRSS") - memory).toBeLessThan(KIB_OF_GROWTH);
  expect(cpuSeconds(gateway.pid) - cpu).toBeLessThan(CPU_SECONDS);
}

interface Flood {
  readonly name: string;
  readonly first?: Buffer;
  readonly next: (index: number) => Buffer;
  readonly most?: number;
  readonly reads?: boolean;
}

const EMPTY_DATA = repeated(h2.data(1, ""));

const CALMED: readonly Flood[] = [
  { name: "rapid reset (CVE-2023-44487)", next: onStreams((id) => Buffer.concat([get(id, "/hold"), h2.reset(id)])) },
  {
    name: "streams that the server must reset (CVE-2025-8671)",
    next: onStreams((id) => Buffer.concat([get(id, "/hold"), h2.windowUpdate(id, 0)])),
  },
  {
    name: "malformed requests",
    next: onStreams((id) => h2.frame(h2.HEADERS, h2.END_BOTH, id, block([[":method", "GET"]]))),
  },
  { name: "streams beyond the limit", next: onStreams((id) => get(id, "/hold")) },
  {
    name: "CONTINUATION without end (CVE-2024-27316)",
    first: h2.frame(h2.HEADERS, h2.END_STREAM, 1, GET_BLOCK),
    next: () => repeated(h2.frame(h2.CONTINUATION, 0, 1, "\0\x01a\x01b")),
  },
  {
    name: "empty CONTINUATION without end",
    first: h2.frame(h2.HEADERS, h2.END_STREAM, 1, GET_BLOCK),
    next: () => repeated(h2.frame(h2.CONTINUATION, 0, 1)),
  },
  {
    name: "large CONTINUATION without end",
    first: h2.frame(h2.HEADERS, h2.END_STREAM, 1, GET_BLOCK),
    next: () => h2.frame(h2.CONTINUATION, 0, 1, "x".repeat(16_384)),
  },
  { name: "PING (CVE-2019-9512)", next: () => repeated(h2.ping()) },
  { name: "PING without reading the responses", next: () => repeated(h2.ping()), reads: false },
  { name: "SETTINGS (CVE-2019-9515)", next: () => repeated(h2.settings()) },
  { name: "SETTINGS without reading the responses", next: () => repeated(h2.settings()), reads: false },
  {
    name: "SETTINGS that move every stream's window",
    first: Buffer.concat(Array.from({ length: 50 }, (_, i) => get(1 + 2 * i, "/hold"))),
    next: (index) => repeated(h2.settings([h2.INITIAL_WINDOW_SIZE, 1000 + (index % 2)])),
  },
  { name: "empty DATA (CVE-2019-9518)", first: post(1, "/hold"), next: () => EMPTY_DATA },
  { name: "padding alone", first: post(1, "/hold"), next: () => repeated(h2.data(1, h2.padded("", 0), h2.PADDED)) },
  { name: "PRIORITY (CVE-2019-9513)", next: () => repeated(h2.frame(h2.PRIORITY, 0, 1, h2.priority(0))) },
  {
    name: "RST_STREAM on a closed stream",
    first: Buffer.concat([get(1), h2.reset(1)]),
    next: () => repeated(h2.reset(1)),
  },
  { name: "WINDOW_UPDATE on the connection", next: () => repeated(h2.windowUpdate(0, 1)), most: 4 * MIB },
  { name: "unknown frames", next: () => repeated(h2.frame(0x16, 0, 0)) },
  { name: "acknowledgements of nothing", next: () => repeated(h2.SETTINGS_ACK) },
  { name: "PING acknowledgements without a PING", next: () => repeated(h2.ping("pingpong", h2.ACK)) },
];

test.each(CALMED.map((row) => [row.name, row] as const))("%s gets GOAWAY with ENHANCE_YOUR_CALM", async (_, row) => {
  await bounded(async () => {
    const first = Buffer.concat([HELLO, row.first ?? Buffer.alloc(0)]);
    const options: FloodOptions = { most: row.most ?? 16 * MIB, reads: row.reads ?? true };
    const { stopped, code, sentBytes } = await flood(gateway.port, first, row.next, options);
    expect({ stopped, sentBytes }).toEqual({ stopped: true, sentBytes: expect.any(Number) });
    // A client that does not read sees no GOAWAY.
    if (row.reads !== false) expect(code).toBe(h2.ENHANCE_YOUR_CALM);
  });
});

test("a header bomb gets 431, and is decoded only up to the limit", async () => {
  // A field of 4000 bytes, then its index four thousand times: 16 MB of decoded fields from 8 KB, on each stream.
  const bomb = Buffer.concat([GET_BLOCK, indexedLiteral("x-bomb", "y".repeat(4000)), repeated(indexed(62), 4000)]);
  await bounded(async () => {
    const client = await Http2Client.ready(gateway.port);
    try {
      for (let i = 0; i < 200; i++) {
        client.send(h2.frame(h2.HEADERS, h2.END_BOTH, 1 + 2 * i, bomb));
        expect((await client.response(1 + 2 * i)).status).toBe(431);
      }
    } finally {
      client.destroy();
    }
  });
});

test("clients that never open their windows use little memory, and are cut off in time", async () => {
  await bounded(async () => {
    const clients = await Promise.all(
      Array.from({ length: 8 }, () => Http2Client.ready(gateway.port, [h2.INITIAL_WINDOW_SIZE, 0])),
    );
    try {
      for (const client of clients) {
        for (let i = 0; i < 50; i++) client.send(get(1 + 2 * i, "/bytes/1000000"));
      }
      // After write_ms each stream is reset, and the connections to the origin are free for other clients.
      for (const client of clients) {
        await client.sees("the streams' end", ({ type }) => type === h2.RST_STREAM || type === h2.GOAWAY, 20_000);
      }
    } finally {
      for (const client of clients) client.destroy();
    }
  });
});

test("the cost of a window that opens byte by byte is proportional to its bytes", async () => {
  await bounded(async () => {
    const first = Buffer.concat([
      h2.PREFACE,
      h2.settings([h2.INITIAL_WINDOW_SIZE, 0]),
      h2.SETTINGS_ACK,
      get(1, "/bytes/1000000"),
    ]);
    const result = await flood(gateway.port, first, () => repeated(h2.windowUpdate(1, 1)), {
      most: 4 * MIB,
      patienceMs: 100,
    });
    expect(result.sentBytes).toBeGreaterThan(first.length);
  });
});

test("a slow preface and slow frames end in time", async () => {
  const slow = await Promise.all(
    [h2.PREFACE.subarray(0, 10), h2.PREFACE, Buffer.concat([HELLO, get(1).subarray(0, 7)])].map(async (bytes) => {
      const client = await Http2Client.open(gateway.port);
      client.send(bytes);
      return client;
    }),
  );
  for (const client of slow) await client.closed(15_000);
});
