/** Slow clients behind several stages of a response that pause and continue it: filters, payments by the unit, compression. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import { type ResponseHead } from "../../src/gateway/exchange/exchange.ts";
import { ResponseRelay } from "../../src/gateway/exchange/response-relay.ts";
import { RouteFilters } from "../../src/gateway/filters/route-filters.ts";
import { createFilterPolicy } from "../../src/gateway/filters/filter-policy.ts";
import { op } from "../../src/gateway/filters/module/testing/assembler.ts";
import { loaded } from "../../src/gateway/filters/module/testing/metered.ts";
import { STREAM } from "../../src/gateway/filters/proxy-wasm/guest/enums.ts";
import { ProxyWasmFilter } from "../../src/gateway/filters/proxy-wasm/proxy-wasm-filter.ts";
import { call, moduleOf } from "../../src/gateway/filters/proxy-wasm/testing/proxy-module.ts";
import { type TestRuntime, testRuntime, testSettings } from "../../src/gateway/filters/testing/test-runtime.ts";
import { createCompressionPolicy } from "../../src/gateway/policy/compression/compression.ts";
import { Slots } from "../../src/gateway/policy/compression/slots.ts";
import { MeteredResponse } from "../../src/gateway/policy/payment/metered/metered-response.ts";
import { type Policy } from "../../src/gateway/policy/policy.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { Http3Client } from "../support/http3-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { type Protocol, PROTOCOLS } from "./protocols.ts";
import { type ChainRig, startChainRig } from "./testing/chain-rig.ts";

setDefaultTimeout(patient(60_000));

/** The instruction i32.lt_u. */
const I32_LT_U = 0x49;
const MIB = 1_048_576;
/** More than `MOST_TAKEN_BYTES`, by far. */
const BODY_BYTES = 16 * MIB;
/** The kernel's buffers of a client's connection, and the bytes that the gateway holds. */
const MOST_TAKEN_BYTES = 10 * MIB;
/** Bytes in the gateway's memory for one client that does not read: the bytes that a filter holds, and one piece in each stage. */
const MOST_HELD_BYTES = 6 * MIB;
/** Bytes that each payment of a metered response covers. */
const COVERED = 200_000;

/** Bytes that the filter holds. With more, it lets them pass at once: a filter may not hold 16 MiB. */
const FILTER_BYTES = 4 * MIB;

/** Holds each piece of a body, and lets the held ones pass 10 ms later. */
const HOLDS = moduleOf({
  imports: [
    ["proxy_set_tick_period_milliseconds", 1],
    ["proxy_set_effective_context", 1],
    ["proxy_continue_stream", 1],
  ],
  callbacks: {
    proxy_on_configure: [...call(0, 10), ...op.drop, ...op.i32(1)],
    // Pauses (1) if it holds fewer bytes.
    proxy_on_response_body: [...op.get(1), ...op.i32(FILTER_BYTES), I32_LT_U],
    proxy_on_tick: [
      ...Array.from({ length: 40 }, (_, id) => [
        ...call(1, id),
        ...op.drop,
        ...call(2, STREAM.response),
        ...op.drop,
      ]).flat(),
      ...op.i32(0),
    ],
  },
});

let origin: RawOrigin;
let chain: ChainRig;
let runtime: TestRuntime;
let slots: Slots;
/** Bytes of bodies that the gateway has taken from its upstream connection. */
let taken: number;
/** The body that the origin sends. */
let sending: { bytes: number; readonly hasher: Bun.CryptoHasher };
const clients: SlowClient[] = [];
/** Closed when the gateway has noticed that the client left. */
const open: { close(): void }[] = [];

beforeAll(async () => {
  origin = await RawOrigin.start();
  chain = await startChainRig(origin);
});

beforeEach(() => {
  origin.reset();
  runtime = testRuntime();
  slots = new Slots(1);
  taken = 0;
  sending = { bytes: 0, hasher: new Bun.CryptoHasher("sha1") };
  origin.response = (_, { socket }) => void pour(socket).catch(() => {});
});

/** No test leaves anything to the next. */
afterEach(async () => {
  for (const client of clients.splice(0)) client.leave();
  await until(() => origin.connections.every(({ closed }) => closed), undefined, "the upstream is stopped");
  await until(() => held() === 0 && slots.taken === 0, undefined, "all memory is free");
  expect([chain.errors, runtime.errors, runtime.lines]).toEqual([[], [], []]);
  runtime.wheel.close();
  for (const one of open.splice(0)) one.close();
});

afterAll(async () => {
  await chain.stop();
  await origin.stop();
});

/** Sends a body that does not become shorter, as fast as it is read, with pauses in which the filter's tick can run. */
async function pour(socket: Socket): Promise<void> {
  const noise = crypto.getRandomValues(new Uint8Array(65_536));
  const piece = Buffer.concat([noise, noise.toReversed()]);
  socket.write(
    `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${BODY_BYTES}\r\nConnection: close\r\n\r\n`,
  );
  const body = sending;
  while (body.bytes < BODY_BYTES && !socket.destroyed) {
    const next = Buffer.from(piece);
    next.writeUInt32LE(body.bytes);
    body.hasher.update(next);
    body.bytes += next.length;
    if (!socket.write(next)) await once(socket, "drain");
    await Bun.sleep(1);
  }
  socket.end();
}

function compression(): Policy {
  const policy = createCompressionPolicy({ encodings: ["gzip"], types: ["text/plain"] }, slots);
  if (policy === undefined) throw new Error("no compression");
  return policy;
}

async function filter(): Promise<Policy> {
  return createFilterPolicy(new RouteFilters([new ProxyWasmFilter(await loaded(HOLDS), testSettings(), runtime)]));
}

/** Each payment for a response comes when the units before it have left, a moment later. */
function metered(isFree = false): Policy {
  return {
    name: "payment",
    request(exchange) {
      let room = COVERED;
      const units = {
        name: "s",
        get room() {
          return room;
        },
        use: (used: number) => void (room -= used),
        more: async () => {
          await new Promise(setImmediate);
          room += COVERED;
          return true;
        },
        end() {},
      };
      const response = new MeteredResponse(exchange, units, {
        meter: { unit: "byte", units: COVERED },
        receipts: { sold: "", free: "" },
        events: { over() {}, broken() {}, isFree: () => isFree, failed() {} },
      });
      exchange.onGone = () => response.leave();
      return "continue";
    },
  };
}

class CountedResponse extends ResponseRelay {
  start(head: ResponseHead): void {
    this.sink.start(head);
  }
  override data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    taken += end - start;
    return super.data(chunk, start, end);
  }
}

/** The policy next to the upstream. */
const COUNTED: Policy = {
  name: "counted",
  request(exchange) {
    exchange.response = new CountedResponse(exchange.response);
    return "continue";
  },
};

const ROUTES: readonly (readonly [string, boolean, () => Promise<readonly Policy[]>])[] = [
  ["a filter that holds each piece", false, async () => [await filter()]],
  ["compression and a filter that holds each piece", true, async () => [compression(), await filter()]],
  ["compression and a metered response", false, async () => [compression(), metered()]],
  [
    "compression, a metered response and a filter that holds each piece",
    false,
    async () => [compression(), metered(), await filter()],
  ],
  [
    "compression, a free metered response and two filters that hold each piece",
    true,
    async () => [compression(), metered(true), await filter(), await filter()],
  ],
];

/** A client that reads nothing at first. */
interface SlowClient {
  /** Reads the whole body. */
  read(): Promise<Buffer>;
  leave(): void;
}

/** RFC 9114 §8.1, H3_REQUEST_CANCELLED. */
const REQUEST_CANCELLED = 0x10cn;
const FIELDS = { "accept-encoding": "gzip" };

async function ask(protocol: Protocol): Promise<SlowClient> {
  const client = await (protocol === "HTTP/3" ? askHttp3() : protocol === "HTTP/2" ? askHttp2() : askHttp1());
  clients.push(client);
  return client;
}

async function askHttp1(): Promise<SlowClient> {
  const socket = connect(chain.plainPort, "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => {}).pause();
  socket.write("GET /x HTTP/1.0\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
  const read = async (): Promise<Buffer> => {
    const received = await bytesOf(socket);
    return received.subarray(received.indexOf("\r\n\r\n") + 4);
  };
  return { read, leave: () => socket.destroy() };
}

function askHttp2(): SlowClient {
  const session = connectHttp2(`http://127.0.0.1:${chain.plainPort}`);
  session.on("error", () => {});
  const stream = session.request({ ":path": "/x", ...FIELDS });
  stream.on("error", () => {}).pause();
  return { read: () => bytesOf(stream), leave: () => session.destroy() };
}

/** The engine of an HTTP/3 client reads by itself, so the packets for it are held back. */
async function askHttp3(): Promise<SlowClient> {
  const waiting: Uint8Array[] = [];
  let isHolding = false;
  let clientPort = 0;
  const far = await Bun.udpSocket({
    connect: { hostname: "127.0.0.1", port: chain.clients.quicPort },
    socket: {
      data: (_, bytes) => {
        if (isHolding) waiting.push(Uint8Array.from(bytes));
        else near.send(bytes, clientPort, "127.0.0.1");
      },
    },
  });
  const near = await Bun.udpSocket({
    hostname: "127.0.0.1",
    socket: {
      data: (_, bytes, port) => {
        clientPort = port;
        far.send(bytes);
      },
    },
  });
  const client = await Http3Client.connect(near.port);
  isHolding = true;
  const { stream, response } = await client.open("GET", "/x", FIELDS);
  response.catch(() => {});
  for (const one of [client, near, far]) open.push(one);
  const release = (): void => {
    isHolding = false;
    for (const bytes of waiting.splice(0)) near.send(bytes, clientPort, "127.0.0.1");
  };
  return {
    async read() {
      release();
      return (await response).body;
    },
    leave() {
      stream.stopSending(REQUEST_CANCELLED);
      stream.resetStream(REQUEST_CANCELLED);
      release();
    },
  };
}

function bytesOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const pieces: Buffer[] = [];
  return new Promise((resolve, reject) => {
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.on("end", () => resolve(Buffer.concat(pieces)));
    stream.on("close", () => reject(new Error(`the body broke off after ${Buffer.concat(pieces).length} bytes`)));
    stream.resume();
  });
}

/** Bytes in the gateway's memory. */
function held(): number {
  return chain.buffers.reduce((sum, { used }) => sum + used, runtime.memory.taken);
}

/** Waits until the gateway takes nothing more. */
async function standstill(): Promise<void> {
  let before = 0;
  let looks = 0;
  await until(
    () => {
      looks = taken === before && before > 0 ? looks + 1 : 0;
      before = taken;
      return looks === 15;
    },
    30_000,
    "the gateway takes nothing more",
  );
  expect(taken).toBeLessThan(MOST_TAKEN_BYTES);
  expect(held()).toBeLessThan(MOST_HELD_BYTES);
}

describe.each(ROUTES)("%s", (_, isCompressed, policies) => {
  test.each(PROTOCOLS)("pauses the upstream of a client that does not read, over %s", async (protocol) => {
    chain.policies = [...(await policies()), COUNTED];
    const client = await ask(protocol);
    await standstill();
    const received = await client.read();
    const body = isCompressed ? gunzipSync(received) : received;
    expect(body.length).toBe(BODY_BYTES);
    expect(new Bun.CryptoHasher("sha1").update(body).digest("hex")).toBe(sending.hasher.digest("hex"));
  });

  test.each(PROTOCOLS)("stops the upstream when the client leaves while it is paused, over %s", async (protocol) => {
    chain.policies = [...(await policies()), COUNTED];
    await ask(protocol);
    await standstill();
    const before = taken;
    for (const client of clients.splice(0)) client.leave();
    await until(() => origin.connections.every(({ closed }) => closed), undefined, "the upstream is stopped");
    expect(taken - before).toBeLessThan(MIB);
  });
});
