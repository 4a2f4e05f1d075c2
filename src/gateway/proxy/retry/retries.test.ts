/** Other tries: how many, by which methods, at which servers, and who is taken out of rotation. */
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import { createServer } from "node:net";
import { LOAD_BALANCERS } from "../../config/schema/upstreams.ts";
import { freePort, listeningPort } from "../../../lib/testing/listen.ts";
import { Folder, until } from "../../../../test/support/program.ts";
import { RawClient } from "../../../../test/support/raw-client.ts";
import { echo, type OriginConnection, RawOrigin } from "../../../../test/support/raw-origin.ts";
import { ask } from "../../../../test/proxy/testing/ask.ts";
import { Http2Origin } from "../../../../test/proxy/testing/http2-origin.ts";
import { Rig } from "../../../../test/proxy/testing/rig.ts";
import { patient } from "../../../lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const origins: RawOrigin[] = [];
let rig: Rig | undefined;

afterEach(async () => {
  await rig?.settled();
  expect(rig?.logged).toEqual([]);
  await rig?.stop();
  rig = undefined;
  await Promise.all(origins.splice(0).map((origin) => origin.stop()));
});

/** `count` origins that do `act` for each request. */
async function originsThat(count: number, act: RawOrigin["response"]): Promise<RawOrigin[]> {
  const started = await Promise.all(Array.from({ length: count }, () => RawOrigin.start()));
  for (const origin of started) origin.response = act;
  origins.push(...started);
  return started;
}

async function serve(servers: readonly object[], route: object = {}, upstream: object = {}): Promise<Rig> {
  rig = await Rig.start({
    upstreams: [
      { name: "origin", servers: servers.map((server) => ({ address: "127.0.0.1", ...server })), ...upstream },
    ],
    routes: [{ path_prefix: "/", upstream: "origin", ...route }],
  });
  return rig;
}

function respond204(stream: ServerHttp2Stream): void {
  stream.respond({ ":status": 204 });
  stream.end();
}

const reset = (_: unknown, connection: OriginConnection): void => connection.reset();

describe("a failing server is tried", () => {
  test.each([0, 1, 2, 3])("once and %d times more, and each try but the first is counted as one", async (retries) => {
    const [origin] = await originsThat(1, reset);
    const gateway = await serve([{ port: origin?.port, max_fails: 100 }], { retry: { max_retries: retries } });
    expect(await ask(gateway, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 502 });
    expect(origin?.requests).toHaveLength(retries + 1);
    const tries = { requests: retries + 1, retries, failures: retries + 1, open: 0 };
    expect(await gateway.counts("origin")).toMatchObject(tries);
  });

  test.each([
    ["GET", 2],
    ["HEAD", 2],
    ["OPTIONS", 2],
    ["POST", 1],
    ["PUT", 1],
    ["DELETE", 1],
    ["PATCH", 1],
  ])("by %s %d times in all", async (method, tries) => {
    const [origin] = await originsThat(1, reset);
    const gateway = await serve([{ port: origin?.port, max_fails: 100 }]);
    expect(await ask(gateway, "HTTP/1.1", { method, path: "/x" })).toMatchObject({ status: 502 });
    expect(origin?.requests).toHaveLength(tries);
  });

  test("by a GET with a body once", async () => {
    const [origin] = await originsThat(1, reset);
    const gateway = await serve([{ port: origin?.port, max_fails: 100 }], { retry: { max_retries: 3 } });
    expect(await ask(gateway, "HTTP/1.1", { path: "/x", body: "body" })).toMatchObject({ status: 502 });
    expect(origin?.summaries).toEqual(["GET /x body"]);
  });

  test("as long as total_timeout_ms lasts, whatever max_retries says", async () => {
    const [origin] = await originsThat(1, () => {});
    const route = { read_timeout_ms: 150, total_timeout_ms: 400, retry: { max_retries: 50 } };
    const gateway = await serve([{ port: origin?.port, max_fails: 100 }], route);
    const began = performance.now();
    expect(await ask(gateway, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 504 });
    expect(performance.now() - began).toBeGreaterThanOrEqual(400);
    // Two whole tries, and what is left for a third.
    expect(origin?.requests.length).toBeLessThanOrEqual(3);
  });
});

describe("without a connection", () => {
  test.each([
    [true, 200],
    [false, 502],
  ])("connect_any_method: %p makes a POST a %d", async (connect_any_method, status) => {
    const [origin] = await originsThat(1, echo);
    const servers = [{ port: origin?.port, backup: true }, { port: await freePort() }];
    const gateway = await serve(servers, { retry: { connect_any_method } });
    expect(await ask(gateway, "HTTP/1.1", { method: "POST", path: "/x", body: "body" })).toMatchObject({ status });
    expect(origin?.summaries).toEqual(status === 200 ? ["POST /x body"] : []);
  });

  test("a POST that a server has not processed goes to another server, also without connect_any_method", async () => {
    const [leaving, other] = [await Http2Origin.start(), await Http2Origin.start()];
    leaving.onHead = ({ connection }) => {
      leaving.stopListening();
      connection.goaway(0);
      connection.socket.end();
    };
    const servers = [{ port: leaving.port }, { port: other.port, backup: true }];
    const gateway = await serve(servers, { retry: { max_retries: 1 } }, { protocol: "h2c" });
    expect(await ask(gateway, "HTTP/1.1", { method: "POST", path: "/x" })).toMatchObject({ status: 200 });
    expect([leaving.on("/x").length, other.on("/x").length]).toEqual([1, 1]);
    await other.stop();
  });

  test("connect_any_method sends no POST again that was sent", async () => {
    const [first, second] = await originsThat(2, reset);
    const servers = [{ port: first?.port }, { port: second?.port }];
    const gateway = await serve(servers, { retry: { connect_any_method: true, max_retries: 3 } });
    expect(await ask(gateway, "HTTP/1.1", { method: "POST", path: "/x" })).toMatchObject({ status: 502 });
    expect([...(first?.requests ?? []), ...(second?.requests ?? [])]).toHaveLength(1);
  });

  test("a name that does not resolve is a 502, and blamed", async () => {
    const gateway = await serve([{ address: "nowhere.invalid", port: 80 }], { retry: { max_retries: 0 } });
    const outcome = await ask(gateway, "HTTP/1.1", { path: "/x" });
    expect(outcome).toMatchObject({ status: 502 });
    expect(outcome.body).not.toContain("nowhere");
    expect(await gateway.counts("origin")).toMatchObject({ failures: 1, open: 0 });
  });

  test("a socket that is gone is a 502", async () => {
    const unix = "/tmp/turnpike-test-no-such.sock";
    rig = await Rig.start({
      upstreams: [{ name: "origin", servers: [{ unix }] }],
      routes: [{ path_prefix: "/", upstream: "origin" }],
    });
    const outcome = await ask(rig, "HTTP/1.1", { path: "/x" });
    expect(outcome).toMatchObject({ status: 502 });
    expect(outcome.body).not.toContain("no-such");
  });
});

test("a request that pauses before its next try is not in flight at the server that failed", async () => {
  const [origin] = await originsThat(1, reset);
  const retry = { max_retries: 1, backoff_ms: 3_600_000, max_backoff_ms: 3_600_000 };
  const gateway = await serve([{ port: origin?.port, max_fails: 100 }], { retry, total_timeout_ms: 3_600_000 });
  const client = await RawClient.open(gateway.port);
  client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
  await until("the pause", () =>
    origin?.requests.length === 1 && gateway.states.inFlight(0) === 0 ? true : undefined,
  );
  expect(client.rest()).toBe("");
  client.destroy();
});

describe("another try goes", () => {
  test("to another server, if there is one", async () => {
    const [bad] = await originsThat(1, reset);
    const [good] = await originsThat(1, echo);
    const gateway = await serve([{ port: bad?.port, max_fails: 1000 }, { port: good?.port }]);
    for (let i = 0; i < 20; i++)
      expect(await ask(gateway, "HTTP/1.1", { path: `/${i}` })).toMatchObject({ status: 200 });
    expect(good?.requests).toHaveLength(20);
    const tries = bad?.requests.length;
    expect(await gateway.counts("origin")).toMatchObject({ requests: 20 + (tries ?? 0), retries: tries });
  });

  test.each([502, 503, 504])(
    "to another server behind a %d by GET, and the connection is not used again",
    async (status) => {
      const [bad] = await originsThat(1, (_, connection) =>
        connection.send(`HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\nno`),
      );
      const [good] = await originsThat(1, echo);
      const gateway = await serve([{ port: bad?.port }, { port: good?.port }]);
      for (let i = 0; i < 4; i++)
        expect(await ask(gateway, "HTTP/1.1", { path: `/${i}` })).toMatchObject({ status: 200 });
      const tries = bad?.requests.length ?? 0;
      expect(tries).toBeGreaterThan(0);
      expect(bad?.connections).toHaveLength(tries);
      await gateway.opened("origin", 1);
      expect(await gateway.counts("origin")).toMatchObject({ failures: 0, retries: tries });
      // By POST it is the response.
      const posts = [1, 2].map((i) => ask(gateway, "HTTP/1.1", { method: "POST", path: `/${i}`, body: "x" }));
      expect((await Promise.all(posts)).map((outcome) => outcome.status).toSorted((a, b) => a - b)).toEqual([
        200,
        status,
      ]);
    },
  );

  test.each(LOAD_BALANCERS)("to one that was not tried yet, as long as there is one: %s", async (load_balancer) => {
    const bad = await originsThat(3, (_, to) => to.send("HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno"));
    const [good] = await originsThat(1, echo);
    const servers = [...bad, good].map((origin) => ({ port: origin?.port }));
    const gateway = await serve(servers, { retry: { max_retries: 3 } }, { load_balancer });
    const asked = Array.from({ length: 40 }, (_, i) => ask(gateway, "HTTP/1.1", { path: `/${i}` }));
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
    for (const origin of bad) expect(new Set(origin.summaries).size).toBe(origin.requests.length);
  });

  test("to a backup, where every primary is out, and nowhere where backups are too: 502 at once", async () => {
    const [primary] = await originsThat(1, reset);
    const [backup] = await originsThat(1, echo);
    const servers = [
      { port: primary?.port, max_fails: 2 },
      { port: backup?.port, max_fails: 2, backup: true },
    ];
    const gateway = await serve(servers);
    for (let i = 0; i < 10; i++)
      expect(await ask(gateway, "HTTP/1.1", { path: `/${i}` })).toMatchObject({ status: 200 });
    expect([primary?.requests.length, backup?.requests.length]).toEqual([2, 10]);
    if (backup !== undefined) backup.response = reset;
    for (let i = 0; i < 3; i++)
      expect(await ask(gateway, "HTTP/1.1", { path: `/${i}` })).toMatchObject({ status: 502 });
    // The stale connection's replay, and two failures.
    expect(backup?.requests.length).toBe(13);
    const last = await ask(gateway, "HTTP/1.1", { path: "/x" });
    expect(last).toMatchObject({ status: 502 });
    expect(last.body).toContain("no server of the upstream is in rotation");
  });
});

describe("where the last try puts the last server out of rotation, the response tells of that try", () => {
  test("a time-out: 504", async () => {
    const [origin] = await originsThat(1, () => {});
    const gateway = await serve([{ port: origin?.port, max_fails: 1 }], { read_timeout_ms: 100 });
    expect(await ask(gateway, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 504 });
    expect(origin?.requests).toHaveLength(1);
  });

  test("a refusal: 502 that says so", async () => {
    const gateway = await serve([{ port: await freePort(), max_fails: 1 }]);
    const outcome = await ask(gateway, "HTTP/1.1", { path: "/x" });
    expect(outcome).toMatchObject({ status: 502 });
    expect(outcome.body).toContain("the upstream refused the connection");
  });

  test("a 503 that arrived after other requests had put the server out of rotation is passed on", async () => {
    const [origin] = await originsThat(1, () => {});
    const gateway = await serve([{ port: origin?.port, max_fails: 1 }]);
    const late = ask(gateway, "HTTP/1.1", { path: "/late" });
    await origin?.until("a request", () => (origin.requests.length === 1 ? true : undefined));
    // Sent while the server is in rotation; the response comes when it is out.
    const unavailable = ask(gateway, "HTTP/1.1", { path: "/unavailable" });
    await origin?.until("another", () => (origin.requests.length === 2 ? true : undefined));
    gateway.states.failed(0, { maxFails: 1, failTimeoutMs: 30_000 });
    expect(gateway.states.isInRotation(0, 30_000)).toBe(false);
    const second = origin?.connections.find(({ received }) => received.includes("/unavailable"));
    second?.send("HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno");
    expect(await unavailable).toMatchObject({ status: 503, body: "no" });
    origin?.connections.find(({ received }) => received.includes("/late"))?.reset();
    expect(await late).toMatchObject({ status: 502 });
  });
});

describe("a server is out of rotation", () => {
  test("behind max_fails failures in a row", async () => {
    const [origin] = await originsThat(1, reset);
    const gateway = await serve([{ port: origin?.port, max_fails: 3 }], { retry: { max_retries: 0 } });
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await ask(gateway, "HTTP/1.1", { path: `/${i}` })).status);
    expect(statuses).toEqual([502, 502, 502, 502, 502]);
    expect(origin?.requests).toHaveLength(3);
  });

  test("for fail_timeout_ms, and back when it serves", async () => {
    const [origin] = await originsThat(1, reset);
    const servers = [{ port: origin?.port, max_fails: 1, fail_timeout_ms: 400 }];
    const gateway = await serve(servers, { retry: { max_retries: 0 } });
    const began = performance.now();
    expect(await ask(gateway, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 502 });
    if (origin !== undefined) origin.response = echo;
    await until("a response", async () =>
      (await ask(gateway, "HTTP/1.1", { path: "/again" })).status === 200 ? true : undefined,
    );
    expect(performance.now() - began).toBeGreaterThanOrEqual(400);
    expect(origin?.summaries.filter((text) => text === "GET /again")).toHaveLength(1);
  });

  test("not while it serves between its failures", async () => {
    let count = 0;
    // A GET would be sent again on a new connection after a reset of a pooled one.
    const [origin] = await originsThat(1, (request, to) => (++count % 2 === 1 ? to.reset() : echo(request, to)));
    const gateway = await serve([{ port: origin?.port, max_fails: 2 }], { retry: { max_retries: 0 } });
    const statuses = [];
    for (let i = 0; i < 6; i++)
      statuses.push((await ask(gateway, "HTTP/1.1", { method: "POST", path: `/${i}` })).status);
    expect(statuses).toEqual([502, 200, 502, 200, 502, 200]);
  });

  test.each(["http1", "h2c"] as const)("that begins responses and does not end them, %s", async (protocol) => {
    const servers: object[] = [];
    if (protocol === "http1") {
      const [origin] = await originsThat(1, (_, to) => to.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"));
      servers.push({ port: origin?.port, max_fails: 3 });
    }
    const http2Origin = await Http2Origin.start();
    http2Origin.onRequest = (request) => {
      request.head(200, [["content-length", "10"]]);
      request.reset(2);
    };
    if (protocol === "h2c") servers.push({ port: http2Origin.port, max_fails: 3 });
    const gateway = await serve(servers, {}, { protocol });
    for (let i = 0; i < 3; i++)
      expect(await ask(gateway, "HTTP/1.1", { path: `/${i}` })).toMatchObject({ whole: false });
    expect(await ask(gateway, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 502, whole: true });
    expect(await gateway.counts("origin")).toMatchObject({ requests: 3, failures: 3 });
    await http2Origin.stop();
  });

  test("not for a complete response with any status", async () => {
    const [origin] = await originsThat(1, (_, to) => to.send("HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno"));
    const gateway = await serve([{ port: origin?.port, max_fails: 1 }]);
    for (let i = 0; i < 3; i++)
      expect(await ask(gateway, "HTTP/1.1", { path: `/${i}` })).toMatchObject({ status: 503 });
    expect(await gateway.counts("origin")).toMatchObject({ requests: 6, failures: 0 });
  });
});

test.each(["http1", "h2c"])(
  "servers at Unix sockets are reached, and other ones where those are gone, %s",
  async (protocol) => {
    const folder = new Folder();
    const unix = folder.file("origin.sock");
    const server =
      protocol === "http1"
        ? createServer((socket) => socket.on("data", () => socket.write("HTTP/1.1 204 No Content\r\n\r\n")))
        : createHttp2Server().on("stream", respond204);
    await new Promise<void>((resolve) => server.listen(unix, resolve));
    rig = await Rig.start({
      upstreams: [
        { name: "origin", protocol, servers: [{ unix: folder.file("gone.sock"), max_fails: 100 }, { unix }] },
      ],
      routes: [{ path_prefix: "/", upstream: "origin" }],
    });
    for (let i = 0; i < 4; i++) expect(await ask(rig, "HTTP/1.1", { path: `/${i}` })).toMatchObject({ status: 204 });
    const { failures, retries } = await rig.counts("origin");
    expect(failures).toBe(retries);
    server.close();
    folder.remove();
  },
);

test("servers at IPv6 addresses are reached", async () => {
  const server = createServer((socket) => socket.on("data", () => socket.end("HTTP/1.1 204 No Content\r\n\r\n")));
  const port = await new Promise<number>((resolve) => {
    server.once("error", () => resolve(0));
    server.listen(0, "::1", () => resolve(listeningPort(server)));
  });
  // A machine without IPv6 has no such address.
  if (port === 0) return;
  const gateway = await serve([{ address: "::1", port }]);
  expect(await ask(gateway, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 204 });
  await new Promise((resolve) => server.close(resolve));
});
