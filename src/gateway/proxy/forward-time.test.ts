/** Upstreams and clients that stall, in each phase: what bounds the wait, who is blamed for it, and what stays behind. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createServer as createHttp2Server } from "node:http2";
import { createServer, type Server } from "node:net";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import * as h2 from "../../../test/support/http2-frames.ts";
import { get, Http2Client } from "../../../test/support/http2-client.ts";
import { until } from "../../../test/support/program.ts";
import { valuesOf, statusOf } from "../../../test/support/message.ts";
import { RawClient } from "../../../test/support/raw-client.ts";
import { echo, RawOrigin } from "../../../test/support/raw-origin.ts";
import { ask } from "../../../test/proxy/testing/ask.ts";
import { DeafPort } from "../../../test/proxy/testing/deaf-port.ts";
import { Rig } from "../../../test/proxy/testing/rig.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const WAIT_MS = 200;
const LARGE = 8 * 1024 * 1024;

let origin: RawOrigin;
let rig: Rig;

beforeEach(async () => {
  origin = await RawOrigin.start();
});

afterEach(async () => {
  await rig.settled();
  expect(rig.logged).toEqual([]);
  await rig.stop();
  await origin.stop();
});

interface Serving {
  readonly port?: number;
  readonly upstream?: object;
  readonly pool?: object;
  readonly route?: object;
  readonly rest?: object;
}

async function serve({ port = origin.port, upstream, pool = {}, route, rest }: Serving = {}): Promise<void> {
  const server = { address: "127.0.0.1", port, max_fails: 1000 };
  rig = await Rig.start({
    upstreams: [{ name: "origin", servers: [server], connection_pool: pool, ...upstream }],
    routes: [{ path_prefix: "/", upstream: "origin", retry: { max_retries: 0 }, ...route }],
    ...rest,
  });
}

const GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";

describe("a server that", () => {
  test.each(["http1", "h2c"])("takes no connection is a 504 behind connect_timeout_ms, %s", async (protocol) => {
    const deaf = new DeafPort();
    await deaf.full();
    await serve({ port: deaf.port, upstream: { protocol }, route: { connect_timeout_ms: WAIT_MS } });
    const began = performance.now();
    const outcomes = await Promise.all([1, 2, 3].map((i) => ask(rig, "HTTP/1.1", { path: `/${i}` })));
    expect(outcomes.map(({ status }) => status)).toEqual([504, 504, 504]);
    expect(performance.now() - began).toBeGreaterThanOrEqual(WAIT_MS);
    expect(await rig.counts("origin")).toMatchObject({ failures: 3, waiting: 0 });
    deaf.close();
  });

  test("takes no connection holds no place when the pool's own connect_timeout_ms is over", async () => {
    const deaf = new DeafPort();
    await deaf.full();
    await serve({ port: deaf.port, pool: { connect_timeout_ms: WAIT_MS, max_connections: 1 } });
    expect(await ask(rig, "HTTP/1.1", { path: "/1" })).toMatchObject({ status: 504 });
    await rig.opened("origin", 0);
    deaf.close();
  });

  test("says nothing to a TLS handshake is a 504, and one that says something else a 502", async () => {
    const silent = await listening(() => {});
    await serve({ port: silent.port, upstream: { tls: true }, route: { connect_timeout_ms: WAIT_MS } });
    expect(await ask(rig, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 504 });
    expect(await rig.counts("origin")).toMatchObject({ failures: 1 });
    await rig.stop();
    silent.close();
    const wrong = await listening((socket) => socket.on("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
    await serve({ port: wrong.port, upstream: { tls: true } });
    expect(await ask(rig, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 502 });
    expect(await rig.counts("origin")).toMatchObject({ failures: 1, open: 0 });
    expect(rig.logged.splice(0)).toEqual([expect.stringMatching(/ over TLS: its bytes are not TLS 1\.2 or 1\.3$/)]);
    wrong.close();
  });

  test("does not read a request body is a 504 behind send_timeout_ms, and its connection is given up", async () => {
    const unread = await listening((socket) => socket.pause());
    await serve({ port: unread.port, route: { send_timeout_ms: WAIT_MS } });
    const body = "x".repeat(LARGE);
    expect(await ask(rig, "HTTP/1.1", { method: "POST", path: "/x", body })).toMatchObject({ status: 504 });
    expect(await rig.counts("origin")).toMatchObject({ failures: 1, open: 0 });
    unread.close();
  });

  test("says 100 and resets within the body is a 502, and the POST is not sent again", async () => {
    await serve({ route: { request_buffering: false, retry: { max_retries: 3, connect_any_method: true } } });
    origin.onBytes = (connection) => {
      if (connection.received.endsWith("\r\n\r\n")) connection.send("HTTP/1.1 100 Continue\r\n\r\n");
      else if (connection.received.includes("some")) connection.reset();
    };
    const client = await RawClient.open(rig.port);
    client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n");
    expect(statusOf(await client.response())).toBe(100);
    client.send("some");
    expect(statusOf(await client.response())).toBe(502);
    client.destroy();
    expect(origin.bytes.match(/POST \/x/g)).toHaveLength(1);
    expect(await rig.counts("origin")).toMatchObject({ failures: 1, open: 0 });
  });

  test("drips its head meets total_timeout_ms, whatever it sends meanwhile", async () => {
    await serve({ route: { read_timeout_ms: WAIT_MS, total_timeout_ms: 2 * WAIT_MS } });
    origin.response = (_, connection) => {
      connection.send("HTTP/1.1 200 OK\r\nX: ");
      const drip = setInterval(() => (connection.closed ? clearInterval(drip) : connection.send("y")), 20);
    };
    expect(await ask(rig, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 504 });
    expect(await rig.counts("origin")).toMatchObject({ failures: 1, open: 0 });
  });

  test("drips its body is cut off at total_timeout_ms, but for a stream of events", async () => {
    await serve({ route: { total_timeout_ms: 2 * WAIT_MS } });
    origin.response = (request, connection) => {
      const type = request.startLine.includes("/events") ? "text/event-stream" : "text/plain";
      connection.send(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n\r\n`);
      let sent = 0;
      const drip = setInterval(() => {
        if (++sent === 40 || connection.closed) clearInterval(drip);
        if (sent === 40) connection.end();
        else connection.send("y");
      }, 20);
    };
    expect(await ask(rig, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 200, whole: false });
    const events = { status: 200, whole: true, body: "y".repeat(39) };
    expect(await ask(rig, "HTTP/1.1", { path: "/events" })).toMatchObject(events);
  });
});

/** A server whose connections are `onConnection`'s. */
async function listening(onConnection: Parameters<typeof createServer>[1]): Promise<Server & { port: number }> {
  const server = createServer({ allowHalfOpen: true }, onConnection);
  const port = await listenOnLoopback(server);
  server.on("connection", (socket) => socket.on("error", () => {}));
  return Object.assign(server, { port });
}

describe("a client that", () => {
  test("sends its body slowly takes no server out, when total_timeout_ms is over", async () => {
    await serve({
      route: { request_buffering: false, send_timeout_ms: 50, read_timeout_ms: 50, total_timeout_ms: WAIT_MS },
    });
    const client = await RawClient.open(rig.port);
    client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100\r\n\r\nsome");
    expect(statusOf(await client.response())).toBe(504);
    client.destroy();
    expect(await rig.counts("origin")).toMatchObject({ failures: 0, open: 0 });
  });

  test.each(["http1", "h2c"])(
    "reads slowly takes no server out, when total_timeout_ms is over, %s",
    async (protocol) => {
      const server = createHttp2Server();
      server.on("stream", (stream) => {
        stream.on("error", () => {});
        stream.respond({ ":status": 200 });
        stream.end("x".repeat(LARGE));
      });
      const port = await listenOnLoopback(server);
      origin.response = (_, connection) => connection.send(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(LARGE)}`);
      let failures = Number.POSITIVE_INFINITY;
      // Until the gateway pauses the server, the server is to blame. A busy machine needs more time for that.
      for (let waitMs = WAIT_MS; failures > 0 && waitMs <= patient(8 * WAIT_MS); waitMs *= 2) {
        if (waitMs > WAIT_MS) await rig.stop();
        // Paused at the server, as if there were no room to buffer for the client.
        const route = { response_buffering: false, read_timeout_ms: 2 * waitMs, total_timeout_ms: 4 * waitMs };
        await serve({ port: protocol === "http1" ? origin.port : port, upstream: { protocol }, route });
        const client = await RawClient.open(rig.port);
        client.socket.pause();
        client.send(GET);
        await until("a request", async () => ((await rig.counts("origin")).requests === 1 ? true : undefined));
        await rig.settled();
        ({ failures } = await rig.counts("origin"));
        client.destroy();
      }
      expect(failures).toBe(0);
      server.close();
    },
  );
});

/** Has the one connection of the pool busy. */
async function occupy(): Promise<RawClient> {
  const holder = await RawClient.open(rig.port);
  origin.response = () => {};
  holder.send(GET);
  await origin.until("the holder", () => (origin.requests.length === 1 ? true : undefined));
  return holder;
}

describe("requests that wait for one connection", () => {
  test("are a 504 behind connect_timeout_ms, for which the server is not blamed", async () => {
    await serve({ pool: { max_connections: 1 }, route: { connect_timeout_ms: WAIT_MS } });
    const holder = await occupy();
    const outcome = await ask(rig, "HTTP/1.1", { path: "/2" });
    expect(outcome).toMatchObject({ status: 504 });
    expect(outcome.body).toContain("no connection to the upstream in time");
    expect(await rig.counts("origin")).toMatchObject({ failures: 0, open: 1, waiting: 0 });
    holder.destroy();
  });

  test("wait only once without another server, for any number of tries", async () => {
    await serve({ pool: { max_connections: 1 }, route: { connect_timeout_ms: WAIT_MS, retry: { max_retries: 3 } } });
    const holder = await occupy();
    expect(await ask(rig, "HTTP/1.1", { path: "/2" })).toMatchObject({ status: 504 });
    expect(await rig.counts("origin")).toMatchObject({ requests: 2, retries: 0 });
    holder.destroy();
  });

  test("are 4096 at most: one more is a 503 with Retry-After, and all go when their client goes", async () => {
    await serve({ pool: { max_connections: 1, client_share: 100 }, rest: { http2: { max_streams: 5000 } } });
    const holder = await occupy();
    const crowd = await Http2Client.ready(rig.port);
    const paths = Array.from({ length: 4096 }, (_, i) => get(2 * i + 1, `/${i}`));
    crowd.send(...paths);
    await until("a full queue", async () => ((await rig.counts("origin")).waiting === 4096 ? true : undefined));
    const client = await RawClient.open(rig.port);
    client.send(GET);
    const refused = await client.response();
    expect([statusOf(refused), valuesOf(refused, "retry-after")]).toEqual([503, ["1"]]);
    client.destroy();
    crowd.destroy();
    await until("an empty queue", async () => ((await rig.counts("origin")).waiting === 0 ? true : undefined));
    origin.response = echo;
    holder.destroy();
    expect(await ask(rig, "HTTP/1.1", { path: "/after" })).toMatchObject({ status: 200 });
    expect(await rig.counts("origin")).toMatchObject({ failures: 0, waiting: 0 });
  });

  test("end only with their own client", async () => {
    await serve({ pool: { max_connections: 1 } });
    const holder = await occupy();
    const client = await Http2Client.ready(rig.port);
    client.send(get(1, "/leaves"), get(3, "/stays"));
    await until("both", async () => ((await rig.counts("origin")).waiting === 2 ? true : undefined));
    client.send(h2.reset(1));
    await until("one", async () => ((await rig.counts("origin")).waiting === 1 ? true : undefined));
    origin.response = echo;
    holder.destroy();
    expect((await client.response(3)).body.toString()).toBe("GET /stays");
    expect(origin.summaries).not.toContain("GET /leaves");
    client.destroy();
  });
});

describe("an HTTP/2 client that resets its stream closes the HTTP/1.1 upstream's connection", () => {
  test.each(["before the head", "within the response's body"])("%s", async (phase) => {
    await serve();
    origin.response = (_, connection) => {
      if (phase !== "before the head") connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    };
    const client = await Http2Client.ready(rig.port);
    client.send(get(1, "/x"));
    await origin.until("the request", () => (origin.requests.length === 1 ? true : undefined));
    if (phase !== "before the head") await client.sees("the body", ({ type }) => type === h2.DATA);
    client.send(h2.reset(1));
    await rig.opened("origin", 0);
    await origin.until("the end", () => (origin.connections[0]?.closed === true ? true : undefined));
    expect(await rig.counts("origin")).toMatchObject({ failures: 0 });
    client.destroy();
  });
});
