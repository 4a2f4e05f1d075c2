/**
 * Random requests to an upstream with random faults: each request ends, gets no wrong byte, and leaves nothing behind.
 * No POST is sent twice.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import * as h2 from "../support/http2-frames.ts";
import { Http2Client, requestFields } from "../support/http2-client.ts";
import { block } from "../support/http2-hpack.ts";
import { statusOf, valuesOf } from "../support/message.ts";
import { until } from "../support/program.ts";
import { valueOf } from "../support/prometheus.ts";
import { RawClient } from "../support/raw-client.ts";
import {
  responseOf,
  bodyOf,
  FATES,
  type FatefulOrigin,
  pathOf,
  type Plan,
  startHttp1Origin,
  startHttp2Origin,
} from "./testing/fates.ts";
import { Rig } from "./testing/rig.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TIME_MS = Number(process.env["TIME_MS"] ?? 0);
/** A number and not a time, so that a slow machine runs all of them. */
const RUNS = 20;
setDefaultTimeout(patient(TIME_MS + 60_000));
/** HTTP/1.1 clients to which requests are distributed; all others use one HTTP/2 connection. */
const CLIENTS = 4;
/** More than any request may take, with its own timeouts and those of all requests before it. */
const PATIENCE_MS = patient(10_000);
const FRAME_BYTES = 16_384;

interface Wish extends Omit<Plan, "id"> {
  readonly method: "GET" | "POST";
  readonly bodySize: number;
  readonly isHttp2: boolean;
  /** The client leaves after this number of turns of the event loop; -1: it stays. */
  readonly leaves: number;
}

const size = fc.oneof(fc.constant(0), fc.nat(100), fc.nat(60_000));
const wish: fc.Arbitrary<Wish> = fc.record({
  method: fc.constantFrom("GET", "POST"),
  size,
  bodySize: size,
  isHttp2: fc.boolean(),
  leaves: fc.oneof({ weight: 6, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(10) }),
  fates: fc.array(fc.constantFrom(...FATES), { minLength: 1, maxLength: 3 }),
});

interface Request extends Wish, Plan {}

/** The response of a client; undefined if the client left. */
interface Got {
  readonly status: number;
  readonly body: string;
  readonly whole: boolean;
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

/** Sends the requests one after the other, on one connection while it lasts. */
async function byHttp1(port: number, requests: readonly Request[], got: Map<string, Got>): Promise<void> {
  let client: RawClient | undefined;
  for (const request of requests) {
    client ??= await RawClient.open(port);
    const body = request.method === "POST" ? bodyOf(request, request.bodySize) : "";
    const length = request.method === "POST" ? `Content-Length: ${body.length}\r\n` : "";
    client.send(`${request.method} ${pathOf(request)} HTTP/1.1\r\nHost: a.test\r\n${length}\r\n${body}`);
    if (request.leaves >= 0) {
      await turns(request.leaves);
      client.destroy();
      client = undefined;
      continue;
    }
    const response = await client.response(request.method, PATIENCE_MS).catch(() => undefined);
    if (response !== undefined) got.set(request.id, { status: statusOf(response), body: response.body, whole: true });
    else {
      // The server closes the connection, or the response is late.
      expect(client.state).not.toBe("open");
      const rest = client.rest();
      const end = rest.indexOf("\r\n\r\n");
      got.set(request.id, { status: Number(rest.split(" ")[1] ?? 0), body: rest.slice(end + 4), whole: false });
    }
    if (response === undefined || valuesOf(response, "connection").includes("close")) {
      client.destroy();
      client = undefined;
    }
  }
  client?.destroy();
}

function sendBody(client: Http2Client, streamId: number, body: string): void {
  for (let at = 0; at <= body.length; at += FRAME_BYTES) {
    const isLast = at + FRAME_BYTES > body.length;
    client.send(h2.data(streamId, body.slice(at, at + FRAME_BYTES), isLast ? h2.END_STREAM : h2.NO_FLAGS));
  }
}

/** Sends all requests at once on one connection. */
async function byHttp2(port: number, requests: readonly Request[], got: Map<string, Got>): Promise<void> {
  const client = await Http2Client.ready(port);
  client.opensWindows = true;
  await Promise.all(
    requests.map(async (request, i) => {
      const streamId = 2 * i + 1;
      const isPost = request.method === "POST";
      const flags = h2.END_HEADERS | (isPost ? 0 : h2.END_STREAM);
      client.send(h2.frame(h2.HEADERS, flags, streamId, block(requestFields(pathOf(request), request.method))));
      const body = isPost ? bodyOf(request, request.bodySize) : "";
      if (isPost) sendBody(client, streamId, body);
      if (request.leaves >= 0) {
        await turns(request.leaves);
        client.send(h2.reset(streamId));
        return;
      }
      const end = await client.sees(
        `end of ${streamId}`,
        (frame) =>
          frame.streamId === streamId &&
          (frame.type === h2.RST_STREAM ||
            ((frame.type === h2.DATA || frame.type === h2.HEADERS) && (frame.flags & h2.END_STREAM) !== 0)),
        PATIENCE_MS,
      );
      const own = client.frames.filter((frame) => frame.streamId === streamId);
      const data = own.filter(({ type }) => type === h2.DATA).map(({ payload }) => payload);
      const status = own.find(({ type }) => type === h2.HEADERS)?.fields.find(([name]) => name === ":status")?.[1];
      const whole = end.type !== h2.RST_STREAM;
      got.set(request.id, { status: Number(status ?? 0), body: Buffer.concat(data).toString("latin1"), whole });
    }),
  );
  client.destroy();
}

describe.each([
  ["http1", startHttp1Origin],
  ["h2c", startHttp2Origin],
])("an upstream over %s", (protocol, start) => {
  let origin: FatefulOrigin;
  let rig: Rig;
  let runs = 0;

  beforeAll(async () => {
    origin = await start();
    const servers = [{ address: "127.0.0.1", port: origin.port, max_fails: 1_000_000 }];
    rig = await Rig.start({
      upstreams: [{ name: "origin", protocol, servers, connection_pool: { max_connections: 3, max_idle: 2 } }],
      routes: [{ path_prefix: "/", upstream: "origin", read_timeout_ms: patient(80) }],
    });
  });

  afterAll(async () => {
    expect(rig.logged).toEqual([]);
    await rig.stop();
    await origin.stop();
  });

  async function run(wishes: readonly Wish[]): Promise<void> {
    runs++;
    const requests = wishes.map((each, i) => ({ ...each, id: `${runs}-${i}` }));
    const got = new Map<string, Got>();
    const queues = Array.from({ length: CLIENTS }, (_, client) =>
      requests.filter(({ isHttp2 }, i) => !isHttp2 && i % CLIENTS === client),
    );
    await Promise.all([
      ...queues.map((queue) => byHttp1(rig.port, queue, got)),
      byHttp2(
        rig.port,
        requests.filter(({ isHttp2 }) => isHttp2),
        got,
      ),
    ]);
    for (const request of requests) check(request, got.get(request.id));
    await rig.settled();
    await until("no request in flight", async () =>
      valueOf(await rig.page(), "turnpike_http_requests_in_flight") === 1 ? true : undefined,
    );
    const { open } = await rig.counts("origin");
    expect(open).toBeLessThanOrEqual(3);
    origin.forget();
  }

  function check(request: Request, got: Got | undefined): void {
    const { id, method, leaves } = request;
    const begun = origin.begun.get(id) ?? 0;
    const sent = origin.bodies.get(id);
    if (method === "POST") {
      const worked = begun - (origin.refused.get(id) ?? 0);
      expect([id, worked]).toEqual([id, Math.min(worked, 1)]);
      if (sent !== undefined) expect(sent === bodyOf(request, request.bodySize)).toBe(true);
    }
    if (leaves >= 0) return;
    if (got === undefined) throw new Error(`Request ${id} has not ended`);
    const expected = responseOf(request);
    // Responses of the gateway itself, and the origin's 503.
    if (got.whole && got.status !== 200) expect([502, 503, 504]).toContain(got.status);
    else if (got.whole) expect(got.body === expected).toBe(true);
    else if (got.status === 200) expect(expected.startsWith(got.body)).toBe(true);
    // Without a fault it succeeds, unless others shared its connection, or the machine is too busy for the timeout.
    const isSpared = request.fates.every((fate) => fate === "well") && got.status !== 504;
    if (isSpared && protocol === "http1") expect(got).toMatchObject({ status: 200, whole: true });
    // A request that failed before the head was tried once more. On a busy machine the first try can time out before
    // the origin has read it.
    if (method === "GET" && got.whole && got.status !== 200 && got.status !== 504)
      expect([got, begun >= 2]).toEqual([got, true]);
  }

  test("with any sequence of faults", async () => {
    await fc.assert(fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 24 }), run), {
      ...(TIME_MS === 0 ? { numRuns: RUNS } : { numRuns: 100_000, interruptAfterTimeLimit: TIME_MS }),
      endOnFailure: true,
    });
    expect(runs).toBeGreaterThan(3);
    expect(origin.faults).toEqual([]);
  });
});
