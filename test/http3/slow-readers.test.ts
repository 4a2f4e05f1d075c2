/** Clients that read slowly or not at all, over HTTP/3: the memory of their responses is limited, and readers get their time. */
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { type Exchange } from "../../src/gateway/exchange/exchange.ts";
import { startEndpoint, type TestEndpoint } from "../../src/gateway/http3/testing/endpoint.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { LOCALHOST } from "../support/certificates.ts";
import { type Bytes, headers, SETTINGS, varint } from "../support/http3-frames.ts";
import { playQuic } from "../support/quic-client.ts";

setDefaultTimeout(patient(30_000));

const material = { fallback: LOCALHOST, named: [], clientCa: "", clientCertRequired: true };
const REQUESTS = 8;
const BODY_BYTES = 400_000;
/** Bytes that the client accepts on all streams. */
const WINDOW_BYTES = 20_000;
const TRAILERS = "x-t: 1\r\n";
const INITIAL_MAX_DATA = 0x04;
const MAX_DATA = 0x10;

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

/** STREAM with its length, from offset 0 (RFC 9000 §19.8). */
function stream(id: number, content: Bytes, end: boolean): Bytes {
  return [end ? 0x0b : 0x0a, ...varint(id), ...varint(content.length), ...content];
}

function requests(count: number): Bytes {
  const request = headers([
    [":method", "GET"],
    [":scheme", "https"],
    [":authority", "localhost"],
    [":path", "/"],
  ]);
  const streams = Array.from({ length: count }, (_, i) => stream(4 * i, request, true));
  return [...stream(2, [0, ...SETTINGS], false), ...streams.flat()];
}

/** Sends `count` requests as a client that accepts WINDOW_BYTES, and then as much as `later` allows. */
function play(server: TestEndpoint, count: number, later: (send: (frames: Bytes) => void) => void = () => {}): void {
  const over = Promise.withResolvers<void>();
  const played = playQuic(server.port, {
    until: over.promise,
    parameters: (list) => list.map(([id, value]) => [id, id === INITIAL_MAX_DATA ? varint(WINDOW_BYTES) : value]),
    frames: requests(count),
    later,
  });
  open.push({
    async close() {
      over.resolve();
      await played;
    },
  });
}

async function serve(handle: (exchange: Exchange) => void, writeMs: number): Promise<TestEndpoint> {
  const server = await startEndpoint(handle, { material, settings: { writeMs } });
  open.push(server);
  return server;
}

function respond(exchange: Exchange, bodyLength: number, pieces: readonly Uint8Array[], trailers = ""): void {
  exchange.response.start({ status: 200, reason: "", fields: "", bodyLength });
  for (const piece of pieces) exchange.response.data(piece);
  exchange.response.end(trailers);
}

test.each<readonly [string, number, readonly Uint8Array[], string]>([
  ["in one piece", BODY_BYTES, [new Uint8Array(BODY_BYTES)], ""],
  ["of unknown length", -1, [new Uint8Array(BODY_BYTES)], ""],
  ["with trailers", -1, [new Uint8Array(BODY_BYTES)], TRAILERS],
  ["in many pieces", BODY_BYTES, Array.from({ length: 40 }, () => new Uint8Array(BODY_BYTES / 40)), ""],
])(
  "responses %s that the client does not read count against the buffers, until they end",
  async (_, length, pieces, trailers) => {
    const exchanges: Exchange[] = [];
    const server = await serve((exchange) => {
      exchanges.push(exchange);
      respond(exchange, length, pieces, trailers);
    }, patient(300));
    play(server, REQUESTS);
    await until(() => exchanges.length === REQUESTS);
    expect(server.buffers.used).toBeGreaterThan(REQUESTS * BODY_BYTES * 0.9);
    await until(() => server.buffers.used === 0);
  },
);

test("without free buffers, responses to such clients are cut off, and short ones are sent", async () => {
  const taken: boolean[] = [];
  let count = 0;
  const server = await serve((exchange) => {
    const bytes = count++ === 0 ? 100 : BODY_BYTES;
    exchange.onTaken = (isTaken) => taken.push(isTaken);
    respond(exchange, bytes, [new Uint8Array(bytes)]);
  }, patient(30_000));
  server.buffers.take(server.buffers.free);
  const { used } = server.buffers;
  play(server, 2);
  await until(() => taken.length === 2);
  expect(taken.filter(Boolean).length).toBe(1);
  expect(server.buffers.used).toBe(used);
});

test.each([
  ["a response", ""],
  ["a response with trailers", TRAILERS],
])("a client that reads slowly gets the whole of %s, however many write timeouts that takes", async (_, trailers) => {
  const writeMs = patient(300);
  let exchange: Exchange | undefined;
  let taken: boolean | undefined;
  const server = await serve((one) => {
    exchange = one;
    one.onTaken = (isTaken) => {
      taken = isTaken;
    };
    respond(one, 60_000, [new Uint8Array(60_000)], trailers);
  }, writeMs);
  const begun = performance.now();
  let window = WINDOW_BYTES;
  play(server, 1, (send) => {
    const timer = setInterval(() => {
      window += 5000;
      send([MAX_DATA, ...varint(window)]);
      if (taken !== undefined) clearInterval(timer);
    }, writeMs / 3);
    open.push({ close: () => clearInterval(timer) });
  });
  await until(() => taken !== undefined, 20_000);
  expect(performance.now() - begun).toBeGreaterThan(2 * writeMs);
  expect([taken, exchange?.gone]).toEqual([true, false]);
});
