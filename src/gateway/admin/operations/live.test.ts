import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { patient } from "../../../lib/testing/patience.ts";
import { AdminRig, FULL_KEY, READ_ONLY_KEY, type RigCall } from "../testing/admin-rig.ts";

setDefaultTimeout(patient(20_000));

let rig: AdminRig;

beforeEach(async () => {
  rig = await AdminRig.start();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** The text of a stream up to a part of it. */
async function readUntil(response: Response, part: string): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ; ) {
    if (text.includes(part)) {
      await reader?.cancel();
      return text;
    }
    const piece = await reader?.read();
    if (piece === undefined || piece.done) throw new Error(`the stream has ended: ${text}`);
    text += piece.value;
  }
}

test("stored events are read as JSON, from an id on", async () => {
  for (const message of ["one", "two", "three"]) rig.events.add({ kind: "worker", message });
  const stored = async (query: string, headers: Record<string, string> = {}) => {
    const {
      status,
      body,
      headers: sent,
    } = await rig.call("GET", `/v1/events${query}`, { key: READ_ONLY_KEY, headers });
    expect([status, sent.get("vary"), sent.get("content-type")]).toEqual([
      200,
      "Accept",
      "application/json;charset=utf-8",
    ]);
    return body.events.map(({ message }: { message: string }) => message);
  };
  expect(await stored("?format=json")).toEqual(["one", "two", "three"]);
  expect(await stored("", { accept: "application/JSON" })).toEqual(["one", "two", "three"]);
  const [first] = rig.told;
  expect(await stored(`?format=json&since=${first?.id}`)).toEqual(["two", "three"]);
  // The header field is that of a client that reconnects.
  expect(await stored("?format=json&since=0", { "last-event-id": String(first?.id) })).toEqual(["two", "three"]);
  for (const since of ["x", "-1", "1.5", "99999999999999999"]) {
    expect((await rig.call("GET", `/v1/events?since=${since}`)).body).toMatchObject({
      status: 400,
      code: "bad_request",
    });
  }
});

test("events are streamed from an id on, and else from the next event on", async () => {
  rig.events.add({ kind: "worker", message: "before" });
  const all = await rig.fetch("GET", "/v1/events?since=0");
  expect([all.headers.get("content-type"), all.headers.get("x-accel-buffering"), all.headers.get("vary")]).toEqual([
    "text/event-stream",
    "no",
    "Accept",
  ]);
  expect(await readUntil(all, '"message":"before"')).toContain("event: worker\n");
  const next = await rig.fetch("GET", "/v1/events");
  rig.events.add({ kind: "worker", message: "after" });
  expect(await readUntil(next, '"message":"after"')).not.toContain("before");
});

test("the read-only key gets only some of the streams, so that operators get the last ones", async () => {
  const sockets: Socket[] = [];
  /** Begins a stream, which stays open, and returns the start of the response. */
  const begin = async (path: string, key: string): Promise<string> => {
    const socket = connect(Number(new URL(rig.server.url ?? "").port), "127.0.0.1");
    sockets.push(socket);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n\r\n`);
    const [data] = await once(socket, "data");
    return String(data);
  };
  for (const [path, readers, all] of [
    ["/v1/events", 24, 32],
    ["/v1/requests", 6, 8],
  ] as const) {
    for (let i = 0; i < readers; i++) expect(await begin(path, READ_ONLY_KEY)).toStartWith("HTTP/1.1 200 ");
    expect(await begin(path, READ_ONLY_KEY)).toMatch(/^HTTP\/1\.1 503 .*retry-after: 2\r\n.*"code":"overloaded"/s);
    for (let i = readers; i < all; i++) expect(await begin(path, FULL_KEY)).toStartWith("HTTP/1.1 200 ");
    expect(await begin(path, FULL_KEY)).toMatch(/^HTTP\/1\.1 503 .*"code":"overloaded"/s);
  }
  for (const socket of sockets) socket.destroy();
});

test.each<[string, number]>([
  ["", 200],
  ["?status=1", 200],
  ["?status=5&paid", 200],
  [`?text=${"x".repeat(200)}`, 200],
  [`?text=${"x".repeat(201)}`, 400],
  ["?status=0", 400],
  ["?status=6", 400],
  ["?status=20", 400],
  ["?text=a&text=b", 400],
])("requests are watched with the filter %p: %d", async (query, status) => {
  const response = await rig.fetch("GET", `/v1/requests${query}`);
  expect(response.status).toBe(status);
  await response.body?.cancel();
});

test("the log has its newest lines, and the figures are those of the gateway", async () => {
  rig.events.addLine("a line", 2);
  expect((await rig.call("GET", "/v1/log")).body).toEqual({ lines: [{ time_ms: rig.now, worker: 2, text: "a line" }] });
  expect((await rig.call("GET", "/v1/overview")).body).toMatchObject({ started_at_ms: 17, time_ms: rig.now });
  expect((await rig.call("GET", "/v1/history")).status).toBe(200);
  expect((await rig.call("GET", "/v1/content")).body).toMatchObject({ available: false });
  expect((await rig.call("GET", "/v1/funnel")).body).toEqual({ hour: [], days: [] });
  expect((await rig.call("GET", "/v1/payments")).body).toMatchObject({ available: true, days: [] });
  const metrics = await rig.call("GET", "/v1/metrics", { key: READ_ONLY_KEY });
  expect(metrics.text).toStartWith("up 1\n# HELP turnpike_sales_atomic_units_total ");
  expect(metrics.headers.get("content-type")).toBe("text/plain; version=0.0.4");
});

test("the status has the state of the file, and a tag that changes with it", async () => {
  const { body, headers } = await rig.call("GET", "/v1/status", { key: READ_ONLY_KEY });
  expect(body).toMatchObject({
    status: "ok",
    started_at_ms: 17,
    routes: 0,
    upstreams: 0,
    port: 8080,
    workers: 3,
    config: { path: rig.file, changed_in_memory: false, changed_on_disk: false, difference: [] },
    certificates: [{ path: "/a.pem", valid_from_ms: 1, valid_to_ms: 2_000_000_000_000 }],
    facilitators: { members: [], breakers_open: 0, gas: [] },
  });
  const known = () => rig.call("GET", "/v1/status", { headers: { "if-none-match": headers.get("etag") ?? "" } });
  expect((await known()).status).toBe(304);
  const stale = await rig.call("GET", "/v1/status", { headers: { "if-match": '"x"' } });
  expect(stale.body).toMatchObject({ status: 412 });
  const upstream = { name: "a", servers: [{ address: "127.0.0.1", port: 9 }] };
  expect((await rig.call("POST", "/v1/upstreams", { body: upstream })).status).toBe(201);
  const changed = await known();
  expect(changed.body).toMatchObject({ upstreams: 1, config: { changed_in_memory: true } });
  expect(changed.body.config.difference).toHaveLength(1);
});

test("a session begins with a key, changes only with its CSRF token, and ends", async () => {
  for (const body of [{}, { key: 5 }, [], "null"]) {
    expect((await rig.call("POST", "/v1/session", { key: "", body })).body).toMatchObject({
      status: 400,
      detail: 'Cannot log in: the body is not {"key": "..."}',
    });
  }
  expect((await rig.call("POST", "/v1/session", { key: "", body: { key: "wrong" } })).status).toBe(401);
  const large = JSON.stringify({ key: "x".repeat(8192) });
  expect((await rig.call("POST", "/v1/session", { key: "", body: large })).status).toBe(413);
  expect(rig.messages.filter((text) => text.includes("logged in"))).toEqual([]);
  const begun = await rig.call("POST", "/v1/session", { key: "", body: { key: FULL_KEY } });
  const { csrf_token: csrf } = begun.body;
  expect([begun.status, begun.body]).toEqual([200, { access: "full", csrf_token: csrf }]);
  const cookie = /^(turnpike_session=[\w-]+); HttpOnly; SameSite=Strict; Path=\/$/.exec(
    begun.headers.get("set-cookie") ?? "",
  );
  expect(rig.told.at(-1)).toMatchObject({
    kind: "session",
    outcome: "done",
    message: "127.0.0.1 has logged in to the console",
    by: { kind: "console", key: "api_key", address: "127.0.0.1" },
  });
  const by = (headers: object = {}): RigCall => ({ key: "", headers: { cookie: cookie?.[1] ?? "", ...headers } });
  // A page of another port of this host can send the cookie, and must not learn the token.
  expect((await rig.call("GET", "/v1/session", by())).body).toEqual({ access: "full", csrf_token: "" });
  const both = by({ "x-csrf-token": csrf });
  expect((await rig.call("GET", "/v1/session", both)).body).toEqual({ access: "full", csrf_token: csrf });
  for (const [method, path] of [
    ["DELETE", "/v1/usage"],
    ["GET", "/v1/usage?reset=0"],
    ["POST", "/v1/config/persist"],
  ] as const) {
    expect((await rig.call(method, path, by())).body).toMatchObject({ status: 403, code: "missing_csrf_token" });
    expect((await rig.call(method, path, both)).status).toBe(200);
  }
  const end = await rig.call("DELETE", "/v1/session", both);
  expect([end.body, end.headers.get("set-cookie")]).toEqual([
    { ok: true },
    "turnpike_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0",
  ]);
  expect((await rig.call("GET", "/v1/session", both)).status).toBe(401);
  const reader = await rig.call("POST", "/v1/session", { key: "", body: { key: READ_ONLY_KEY } });
  expect(reader.body.access).toBe("read");
  expect((await rig.call("GET", "/v1/session")).body).toEqual({ access: "full", csrf_token: "" });
  // A client with a key may end a session that does not exist.
  expect((await rig.call("DELETE", "/v1/session")).body).toEqual({ ok: true });
});

test("the usage is read as JSON or CSV, and reset by the full key only", async () => {
  const json = await rig.call("GET", "/v1/usage", { key: READ_ONLY_KEY });
  expect([json.body, json.headers.get("vary")]).toEqual([
    expect.objectContaining({ consumers: [], routes: [] }),
    "Accept",
  ]);
  for (const [path, headers] of [
    ["/v1/usage?format=csv", {}],
    ["/v1/usage", { accept: "text/html, text/csv" }],
  ] as const) {
    const csv = await rig.call("GET", path, { headers });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toBe('attachment; filename="usage.csv"');
    expect(csv.text).toContain(",");
  }
  expect((await rig.call("GET", "/v1/usage?format=xml")).body).toMatchObject({ consumers: [] });
  for (const [method, path] of [
    ["GET", "/v1/usage?reset"],
    ["GET", "/v1/usage?reset=true"],
    ["DELETE", "/v1/usage"],
  ] as const) {
    expect((await rig.call(method, path, { key: READ_ONLY_KEY })).body).toMatchObject({
      status: 403,
      code: "forbidden",
    });
    const { length } = rig.messages;
    expect((await rig.call(method, path)).body).toMatchObject({ consumers: [] });
    expect(rig.messages.slice(length)).toEqual(["reset the usage"]);
  }
  for (const no of ["0", "false", "NO"])
    expect((await rig.call("GET", `/v1/usage?reset=${no}`, { key: READ_ONLY_KEY })).status).toBe(200);
  expect((await rig.call("GET", "/v1/usage/hours")).body).toEqual({ hours: [] });
});

test("a reset of the usage that fails is in the events", async () => {
  await rig.during(
    () => undefined,
    async () => {
      expect((await rig.call("DELETE", "/v1/usage")).body).toMatchObject({ status: 503, code: "store_unavailable" });
      expect((await rig.call("GET", "/v1/usage")).body).toMatchObject({ status: 503, code: "store_unavailable" });
    },
  );
  expect(rig.told.map(({ outcome, message }) => [outcome, message])).toEqual([
    ["failed", expect.stringMatching(/^reset the usage: Cannot read the usage: .*no store/)],
  ]);
});

test("a tenant is evicted by its key, once", async () => {
  rig.tenants = [{ key: "one & two", path: "/s", last_used_ms: 1, workers: 1 }];
  expect((await rig.call("GET", "/v1/tenants", { key: READ_ONLY_KEY })).body).toEqual({ tenants: rig.tenants });
  const drop = (query: string, key?: string) =>
    rig.call("DELETE", `/v1/tenants${query}`, key === undefined ? {} : { key });
  expect((await drop("?key=one+%26+two", READ_ONLY_KEY)).status).toBe(403);
  for (const query of ["", "?key="])
    expect((await drop(query)).body).toMatchObject({ status: 400, code: "bad_request" });
  expect((await drop("?key=three")).body).toMatchObject({ status: 404, detail: 'Cannot find the tenant "three"' });
  expect((await drop("?key=one+%26+two")).body).toEqual({ ok: true, deleted: "one & two" });
  expect(rig.told).toEqual([
    expect.objectContaining({ kind: "tenant", outcome: "done", key: "one & two", by: expect.anything() }),
  ]);
  expect((await drop("?key=one+%26+two")).status).toBe(404);
});

test("jobs are listed and cancelled at the content service, and only those that run", async () => {
  const socket = `/tmp/turnpike-jobs-${process.pid}.sock`;
  const asked: unknown[] = [];
  let status = 200;
  const service: Server = createServer((request, response) => {
    asked.push([request.method, request.url]);
    response.statusCode = status;
    response.end(JSON.stringify({ jobs: [] }));
  });
  await new Promise<void>((resolve) => service.listen(socket, resolve));
  await using own = await AdminRig.start({}, { content: socket });
  try {
    expect((await own.call("GET", "/v1/jobs", { key: READ_ONLY_KEY })).body).toEqual({ available: true, jobs: [] });
    expect((await own.call("DELETE", "/v1/jobs/a%2Fb", { key: READ_ONLY_KEY })).status).toBe(403);
    expect((await own.call("DELETE", "/v1/jobs/a%2Fb")).body).toEqual({ ok: true, cancelled: "a/b" });
    expect(own.told).toEqual([
      expect.objectContaining({ kind: "job", outcome: "done", job: "a/b", message: 'the job "a/b" is cancelled' }),
    ]);
    status = 404;
    expect((await own.call("DELETE", "/v1/jobs/a")).body).toMatchObject({ status: 404, code: "not_found" });
    status = 500;
    expect((await own.call("DELETE", "/v1/jobs/a")).body).toMatchObject({ status: 503, code: "overloaded" });
    expect(own.told).toHaveLength(1);
    expect(asked).toEqual([
      ["GET", "/jobs"],
      ["DELETE", "/jobs/a%2Fb"],
      ["DELETE", "/jobs/a"],
      ["DELETE", "/jobs/a"],
    ]);
    status = 200;
    expect((await own.call("GET", "/v1/content")).body).toEqual({ available: true, health: { jobs: [] } });
  } finally {
    service.closeAllConnections();
    service.close();
    rmSync(socket, { force: true });
  }
  expect((await rig.call("GET", "/v1/jobs")).body).toMatchObject({ available: false });
  expect((await rig.call("DELETE", "/v1/jobs/a")).status).toBe(404);
});
