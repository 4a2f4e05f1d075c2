/**
 * Many concurrent requests to an HTTP/2 upstream: how they share its connections, and what is lost with one connection.
 */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import * as h2 from "../support/http2-frames.ts";
import { until } from "../support/program.ts";
import { RawClient } from "../support/raw-client.ts";
import { ask, type Outcome } from "./testing/ask.ts";
import { Http2Origin, type OriginRequest } from "./testing/http2-origin.ts";
import { Rig } from "./testing/rig.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

let origin: Http2Origin;
let rig: Rig;

beforeEach(async () => {
  origin = await Http2Origin.start();
});

afterEach(async () => {
  await rig.settled();
  expect(rig.logged).toEqual([]);
  expect(origin.faults).toEqual([]);
  await rig.stop();
  await origin.stop();
});

async function serve(pool: object = {}, route: object = {}): Promise<void> {
  rig = await Rig.start({
    upstreams: [
      {
        name: "origin",
        protocol: "h2c",
        servers: [{ address: "127.0.0.1", port: origin.port, max_fails: 1000 }],
        connection_pool: pool,
      },
    ],
    routes: [{ path_prefix: "/", upstream: "origin", ...route }],
  });
}

/** This number of concurrent requests, each on its own connection. */
function askAll(count: number, method = "GET", body?: string): Promise<Outcome[]> {
  const own = body === undefined ? {} : { body };
  return Promise.all(Array.from({ length: count }, (_, i) => ask(rig, "HTTP/1.1", { method, path: `/${i}`, ...own })));
}

/** Holds requests until this number has arrived. */
function holdUntil(count: number): { readonly held: Promise<OriginRequest[]>; readonly most: () => number } {
  const { promise, resolve } = Promise.withResolvers<OriginRequest[]>();
  const held: OriginRequest[] = [];
  origin.onRequest = (request) => {
    held.push(request);
    if (held.length === count) resolve(held);
  };
  return { held: promise, most: () => held.length };
}

function response(request: OriginRequest): void {
  request.response(200, `${request.method} ${request.path}`);
}

/** All received statuses. */
function statusesOf(outcomes: readonly Outcome[]): number[] {
  return [...new Set(outcomes.map(({ status }) => status))];
}

/**
 * Refuses requests above its announced limit, as a server may (RFC 9113 §5.1.2), and responds to the others a little
 * later.
 */
function takeAtMost(count: number): { most: number; refused: number } {
  const seen = { most: 0, refused: 0 };
  const open = new Map<unknown, number>();
  origin.onRequest = (request) => {
    const before = open.get(request.connection) ?? 0;
    if (before >= count) {
      seen.refused++;
      request.reset(h2.REFUSED_STREAM);
      return;
    }
    open.set(request.connection, before + 1);
    seen.most = Math.max(seen.most, before + 1);
    setImmediate(() => {
      open.set(request.connection, (open.get(request.connection) ?? 1) - 1);
      response(request);
    });
  };
  return seen;
}

describe("a server that accepts few streams on a connection", () => {
  test.each([1, 3])(
    "%d at a time: the maximum number of connections is opened, and each gets no more streams than it accepts",
    async (count) => {
      origin.settings = [[h2.MAX_CONCURRENT_STREAMS, count]];
      const seen = takeAtMost(count);
      await serve({ max_connections: 8 });
      const outcomes = await askAll(100);
      expect(statusesOf(outcomes)).toEqual([200]);
      expect(seen.refused).toBe(0);
      expect(seen.most).toBeLessThanOrEqual(count);
      expect(origin.requests).toHaveLength(100);
      expect(origin.connections.length).toBeLessThanOrEqual(8);
      expect(await rig.counts("origin")).toMatchObject({ failures: 0, retries: 0, waiting: 0 });
    },
  );

  test("simultaneous requests all reach the server, on the necessary number of connections", async () => {
    origin.settings = [[h2.MAX_CONCURRENT_STREAMS, 10]];
    const { held } = holdUntil(50);
    await serve();
    const asked = askAll(50);
    const requests = await held;
    expect(new Set(requests.map(({ connection }) => connection)).size).toBe(5);
    for (const request of requests) response(request);
    expect(statusesOf(await asked)).toEqual([200]);
    expect((await rig.counts("origin")).connections).toBeLessThanOrEqual(6);
  });

  test("which accepts none at first gets the waiting requests when it accepts streams", async () => {
    origin.settings = [[h2.MAX_CONCURRENT_STREAMS, 0]];
    await serve({ max_connections: 1 });
    // The first request is sent before the server has announced its limit.
    origin.onRequest = (request) => request.reset(h2.REFUSED_STREAM);
    const asked = askAll(5);
    await until("the waiting requests", async () => ((await rig.counts("origin")).waiting === 5 ? true : undefined));
    origin.onRequest = response;
    origin.open[0]?.send(h2.settings([h2.MAX_CONCURRENT_STREAMS, 2]));
    expect(statusesOf(await asked)).toEqual([200]);
  });
});

describe("a server with only one connection", () => {
  test("and refuses a request gets it again on that connection, with any method, unless its body was already being sent", async () => {
    await serve({ max_connections: 1 });
    const refused = new Set<string>();
    origin.onRequest = (request) => {
      if (refused.has(request.path)) response(request);
      else {
        refused.add(request.path);
        request.reset(h2.REFUSED_STREAM);
      }
    };
    const fields = [["content-length", "0"]] as const;
    expect(await ask(rig, "HTTP/1.1", { path: "/get" })).toMatchObject({ status: 200, body: "GET /get" });
    expect(await ask(rig, "HTTP/1.1", { method: "POST", path: "/bare", fields })).toMatchObject({ status: 200 });
    expect(await ask(rig, "HTTP/1.1", { method: "POST", path: "/full", body: "x" })).toMatchObject({ status: 502 });
    expect([origin.on("/get").length, origin.on("/bare").length, origin.on("/full").length]).toEqual([2, 2, 1]);
    expect(await rig.counts("origin")).toMatchObject({ connections: 1, open: 1, failures: 1 });
  });
});

describe("a connection that is lost with 50 requests on it", () => {
  test("retries each GET once", async () => {
    await serve({ max_connections: 2 });
    await ask(rig, "HTTP/1.1", { path: "/before" });
    const { held } = holdUntil(50);
    const asked = askAll(50);
    await held;
    origin.onRequest = response;
    origin.open[0]?.reset();
    expect(statusesOf(await asked)).toEqual([200]);
    for (let i = 0; i < 50; i++) expect(origin.on(`/${i}`)).toHaveLength(2);
    expect(await rig.counts("origin")).toMatchObject({ failures: 0, open: 1 });
  });

  test("fails every POST, and sends none twice", async () => {
    await serve();
    await ask(rig, "HTTP/1.1", { path: "/before" });
    const { held } = holdUntil(50);
    const asked = askAll(50, "POST", "body");
    await held;
    origin.onRequest = response;
    origin.open[0]?.reset();
    expect(statusesOf(await asked)).toEqual([502]);
    expect(origin.requests).toHaveLength(51);
    expect(await rig.counts("origin")).toMatchObject({ failures: 50, open: 0 });
  });

  test("by a GOAWAY: requests after its last stream are sent again, with any method, and the others get their responses on it", async () => {
    await serve({ max_connections: 2 });
    await ask(rig, "HTTP/1.1", { path: "/before" });
    const { held } = holdUntil(50);
    const fields = [["content-length", "0"]] as const;
    const asked = Promise.all(
      Array.from({ length: 50 }, (_, i) => ask(rig, "HTTP/1.1", { method: "POST", path: `/${i}`, fields })),
    );
    const requests = (await held).toSorted((a, b) => a.streamId - b.streamId);
    origin.onRequest = response;
    const last = requests[24]?.streamId ?? 0;
    origin.open[0]?.goaway(last);
    await origin.until("the others", () => (origin.requests.length === 76 ? true : undefined));
    for (const request of requests.slice(0, 25)) response(request);
    expect(statusesOf(await asked)).toEqual([200]);
    expect(origin.requests).toHaveLength(76);
    expect(await rig.counts("origin")).toMatchObject({ failures: 0 });
    // The old connection closes after its last response.
    await rig.opened("origin", 1);
  });
});

describe("a server that", () => {
  test("sends GOAWAY while it is idle gets the next request on a new connection", async () => {
    await serve();
    await ask(rig, "HTTP/1.1", { path: "/1" });
    origin.open[0]?.goaway(1);
    await rig.opened("origin", 0);
    expect(await ask(rig, "HTTP/1.1", { method: "POST", path: "/2", body: "x" })).toMatchObject({ status: 200 });
    expect(await rig.counts("origin")).toMatchObject({ connections: 2, failures: 0 });
  });

  test("closes the connection while it is idle gets the next request on a new one", async () => {
    await serve();
    await ask(rig, "HTTP/1.1", { path: "/1" });
    origin.open[0]?.socket.end();
    await rig.opened("origin", 0);
    expect(await ask(rig, "HTTP/1.1", { method: "POST", path: "/2", body: "x" })).toMatchObject({ status: 200 });
  });

  test("never sends SETTINGS causes a 504 for all waiting requests, counts a failure for each, and gets requests again when it works", async () => {
    origin.settings = undefined;
    origin.onRequest = () => {};
    await serve(
      { connect_timeout_ms: 200 },
      { connect_timeout_ms: 200, read_timeout_ms: 300, retry: { max_retries: 0 } },
    );
    expect(statusesOf(await askAll(20))).toEqual([504]);
    expect(origin.requests).toHaveLength(1);
    await rig.settled();
    expect(await rig.counts("origin")).toMatchObject({ failures: 20, connections: 1 });
    origin.settings = [];
    origin.onRequest = response;
    expect(statusesOf(await askAll(3))).toEqual([200]);
  });

  test("serves on one connection, while another one opens slowly, gets no failure for requests that wait too long", async () => {
    origin.settings = [[h2.MAX_CONCURRENT_STREAMS, 1]];
    origin.onRequest = () => {};
    await serve({ max_connections: 2 }, { connect_timeout_ms: 400, retry: { max_retries: 0 } });
    const reached = async (count: number): Promise<void> => {
      await origin.until("a request", () => (origin.requests.length === count ? true : undefined));
    };
    const waiting = async (count: number): Promise<void> => {
      await until("who waits", async () => ((await rig.counts("origin")).waiting === count ? true : undefined));
    };
    const first = ask(rig, "HTTP/1.1", { path: "/first" });
    await reached(1);
    // The second connection never announces a limit of requests.
    origin.settings = undefined;
    const second = ask(rig, "HTTP/1.1", { path: "/second" });
    await reached(2);
    const third = ask(rig, "HTTP/1.1", { path: "/third" });
    await waiting(1);
    const fourth = ask(rig, "HTTP/1.1", { path: "/fourth" });
    await waiting(2);
    for (const request of origin.on("/first")) response(request);
    await reached(3);
    expect(await fourth).toMatchObject({ status: 504 });
    expect(await rig.counts("origin")).toMatchObject({ failures: 0 });
    for (const request of origin.on("/third")) response(request);
    for (const { connection } of origin.on("/second")) connection.reset();
    expect((await Promise.all([first, second, third])).map(({ status }) => status)).toEqual([200, 502, 200]);
  });

  test("refuses the connection fails all requests that wait for it, after few attempts", async () => {
    const { port } = origin;
    await origin.stop();
    await serve({}, { retry: { max_retries: 0 } });
    expect(statusesOf(await askAll(60))).toEqual([502]);
    const counts = await rig.counts("origin");
    expect(counts).toMatchObject({ requests: 60, failures: 60, open: 0 });
    expect(counts.connections).toBeLessThan(60);
    origin = await Http2Origin.start(port);
    expect(statusesOf(await askAll(3))).toEqual([200]);
  });

  test("opens no windows stalls only a request body, which gets 504 by send_timeout_ms", async () => {
    await serve({}, { send_timeout_ms: 200, retry: { max_retries: 0 } });
    origin.onConnection = (connection) => {
      connection.opensWindows = false;
    };
    const stalled = ask(rig, "HTTP/1.1", { method: "POST", path: "/large", body: "x".repeat(300_000) });
    await origin.until("all that the windows let through", () =>
      (origin.on("/large")[0]?.body.length ?? 0) === 65_535 ? true : undefined,
    );
    expect(await ask(rig, "HTTP/1.1", { path: "/other" })).toMatchObject({ status: 200 });
    expect(await stalled).toMatchObject({ status: 504 });
    await origin.until("the reset", () => (origin.on("/large")[0]?.resetCode === h2.CANCEL ? true : undefined));
    expect(await rig.counts("origin")).toMatchObject({ failures: 1, connections: 1, open: 1 });
  });

  test("sends 100 to a client that waits for it gets its body, and one that sends 417 does not", async () => {
    await serve({}, { request_buffering: false });
    origin.onHead = (request) => {
      expect(request.field("expect")).toBe("100-continue");
      if (request.path === "/go") request.head(100);
      else request.response(417, "no");
    };
    origin.onRequest = (request) => request.response(200, request.body.toString());
    const head = "Host: a.test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";
    const client = await RawClient.open(rig.port);
    client.send(`POST /go HTTP/1.1\r\n${head}`);
    expect((await client.response()).startLine).toBe("HTTP/1.1 100 Continue");
    client.send("body");
    expect((await client.response()).body).toBe("body");
    client.send(`POST /no HTTP/1.1\r\n${head}`);
    expect((await client.response()).startLine).toBe("HTTP/1.1 417 Expectation Failed");
    await client.closed();
    client.destroy();
    expect(origin.on("/no")).toMatchObject([{ ended: false, resetCode: h2.CANCEL }]);
  });

  test("sends 1xx and trailers has both reach clients of HTTP/1.1 and HTTP/2", async () => {
    await serve();
    origin.onRequest = (request) => {
      request.head(103, [["link", "</a>"]]);
      request.head(200);
      request.data("body");
      request.connection.send(
        h2.frame(h2.HEADERS, h2.END_BOTH, request.streamId, Buffer.from("\x00\x05x-sum\x011", "latin1")),
      );
    };
    for (const protocol of ["HTTP/1.1", "HTTP/2"] as const) {
      const { trailers, ...outcome } = await ask(rig, protocol, { path: "/x", fields: [["te", "trailers"]] });
      expect(outcome).toMatchObject({ status: 200, body: "body", whole: true });
      expect(trailers.map(([name, value]) => [name.toLowerCase(), value])).toEqual([["x-sum", "1"]]);
    }
    const client = await RawClient.open(rig.port);
    client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect((await client.response()).startLine).toBe("HTTP/1.1 103 Early Hints");
    client.destroy();
  });
});
