/** Failures on the way to tenants, over every protocol. The machines are servers in this process. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { onRequest, op } from "../../src/gateway/filters/module/testing/assembler.ts";
import { until } from "../../src/lib/testing/until.ts";
import { Clients, type Protocol, PROTOCOLS, type Reply, type Request } from "../policy/protocols.ts";
import { RawClient } from "../support/raw-client.ts";
import { SERVERS } from "./testing/server-machine.ts";
import { tenantFilter } from "./testing/tenant-filter.ts";
import { TenantGateway, type Told } from "./testing/tenant-gateway.ts";

const ALLOWS = onRequest(op.i32(0));
let tenants: TenantGateway;
let clients: Clients;
let next = 0;

beforeAll(async () => {
  tenants = await TenantGateway.start({
    kind: SERVERS,
    filters: {
      "/": tenantFilter("x-tenant"),
      "/host/": tenantFilter("host"),
      "/always/": tenantFilter("x-start"),
      "/unnamed/": ALLOWS,
      "/edited/": tenantFilter("x-tenant"),
      "/guarded/": tenantFilter("x-tenant"),
      "/strict/": tenantFilter("x-tenant"),
      "/bodies/": tenantFilter("x-tenant", true),
    },
    routes: (socketDir) => {
      const tenant = { socket_dir: socketDir, header: "x-tenant" };
      const added = { set: [{ name: "X-Added", value: "by-the-gateway" }] };
      return [
        { path_prefix: "/", tenant, max_body_bytes: 2_000_000, read_timeout_ms: 60_000 },
        {
          path_prefix: "/host/",
          tenant: { socket_dir: socketDir },
          rewrite_pattern: "/host/",
          rewrite_replacement: "/",
        },
        { path_prefix: "/always/", tenant: { ...tenant, skip_filter_when_warm: false } },
        { path_prefix: "/unnamed/", tenant },
        { path_prefix: "/edited/", tenant, headers: { request: added } },
        { path_prefix: "/guarded/", tenant, auth: { type: "api_key", keys: [{ key: "the-right-one", name: "a" }] } },
        { path_prefix: "/strict/", tenant, retry: { max_retries: 0 } },
        { path_prefix: "/bodies/", tenant },
      ];
    },
    config: { wasm_host_call_deadline_ms: 30_000, wasm_control_connections: 8 },
  });
  clients = new Clients(tenants.gateway.tlsPort, tenants.gateway.quicPort);
});
afterEach(() => {
  tenants.manager.response = () => undefined;
});
afterAll(async () => {
  await clients.close();
  await tenants.stop();
});

function request(protocol: Protocol, asked: Request): Promise<Reply> {
  return tenants.gateway.request(protocol, asked);
}

/** A tenant that no test has used. */
function fresh(): string {
  return `t${next++}`;
}

const told = (reply: Reply): Told => reply.json as Told; // Machines send JSON of this form.

function as(tenant: string, asked: Request = {}): Request {
  return { path: "/", ...asked, headers: { "x-tenant": tenant } };
}

/** A command that the manager does not reply to before `release` is called. */
function held(): { readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { manager } = tenants;
  manager.response = (tenant) => promise.then(() => manager.path(tenant));
  return { release: resolve };
}

test.each(PROTOCOLS)("%s: a cold tenant is started, and warm requests stream bodies of any size", async (protocol) => {
  const tenant = fresh();
  const body = "b".repeat(20_000);
  expect(told(await request(protocol, as(tenant, { method: "POST", body })))).toMatchObject({ tenant, body: 20_000 });
  const large = "c".repeat(60_000);
  expect(told(await request(protocol, as(tenant, { method: "PUT", body: large })))).toMatchObject({ body: 60_000 });
  for (const path of ["/big", "/big-chunked"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { body: received } = await request(protocol, as(tenant, { path }));
    expect(received.equals(Buffer.alloc(1_000_000, "t"))).toBe(true);
  }
  expect(await request(protocol, as(tenant, { method: "HEAD" }))).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  expect(tenants.manager.asked.filter((asked) => asked === tenant).length).toBe(1);
});

test("a body larger than the snapshot fails closed while the tenant is cold, and streams when it is warm", async () => {
  const tenant = fresh();
  const body = "x".repeat(1_000_000);
  const cold = await tenants.ask(tenant, "/", { method: "POST", body });
  expect([cold.status, cold.headers.get("retry-after")]).toEqual([503, "1"]);
  const chunked = await request("HTTP/1.1", as(tenant, { method: "POST", body: body.slice(0, 100_000), trailers: [] }));
  expect([chunked.status, chunked.header("retry-after")]).toEqual([503, "1"]);
  await tenants.told(tenant);
  expect((await tenants.told(tenant, "/", { method: "POST", body })).body).toBe(1_000_000);
});

/** A metric of the tenants. */
async function metric(name: string): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${tenants.gateway.plainPort}/metrics`)).text();
  return Number(new RegExp(`^turnpike_wasm_${name} (\\d+)$`, "m").exec(page)?.[1]);
}

/** Requests to cold tenants. */
const misses = (): Promise<number> => metric("tenant_misses_total");

describe.each(["/", "/bodies/"])("on %s", (path) => {
  test.each([...PROTOCOLS, "HTTP/1.1 chunked"] as const)(
    "%s: a client that sends its body slowly delays no other client of the tenant",
    async (kind) => {
      const tenant = fresh();
      const { promise, resolve } = Promise.withResolvers<void>();
      const before = await misses();
      const protocol = kind === "HTTP/1.1 chunked" ? "HTTP/1.1" : kind;
      const trailers = kind === "HTTP/1.1 chunked" ? { trailers: [] } : {};
      const body = "b".repeat(1000);
      const slow = request(protocol, as(tenant, { path, method: "POST", body, rest: promise, ...trailers }));
      await until(async () => (await misses()) > before);
      expect((await tenants.told(tenant, path, { method: "POST", body: "quick" })).body).toBe(5);
      resolve();
      expect(told(await slow)).toMatchObject({ tenant, body: 1000 });
      expect(tenants.manager.asked.filter((asked) => asked === tenant).length).toBe(1);
    },
  );
});

test("clients of all protocols wait for one start", async () => {
  const tenant = fresh();
  const { release } = held();
  const asked = [...PROTOCOLS, ...PROTOCOLS].map((protocol) => request(protocol, as(tenant)));
  await until(() => tenants.manager.asked.includes(tenant));
  release();
  const boots = (await Promise.all(asked)).map((reply) => told(reply).boot);
  expect(new Set(boots).size).toBe(1);
  expect(tenants.manager.asked.filter((key) => key === tenant).length).toBe(1);
});

test("if the first start fails, the next request in line starts the tenant", async () => {
  const tenant = fresh();
  const { manager } = tenants;
  const { promise, resolve } = Promise.withResolvers<void>();
  let starts = 0;
  manager.response = () => (starts++ === 0 ? promise.then(() => Promise.reject(new Error("no room"))) : undefined);
  const replies = [1, 2, 3].map(() => tenants.ask(tenant));
  await until(() => manager.asked.includes(tenant));
  resolve();
  const statuses = (await Promise.all(replies)).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 403]);
  expect(starts).toBe(2);
});

test.each(PROTOCOLS)("%s: if the first client leaves, the next request in line starts the tenant", async (protocol) => {
  const tenant = fresh();
  const { manager } = tenants;
  const { release } = held();
  const leave = await clients.open(protocol, "/", [["x-tenant", tenant]]);
  await until(() => manager.asked.includes(tenant));
  const second = tenants.told(tenant);
  const third = await clients.open(protocol, "/", [["x-tenant", tenant]]);
  // The second request waits, or already runs the filters.
  await Bun.sleep(0);
  third();
  leave();
  // The third request may arrive last, and run the filters for a moment.
  await until(() => manager.asked.filter((key) => key === tenant).length >= 2);
  release();
  expect((await second).tenant).toBe(tenant);
});

test.each([
  ["outside of socket_dir", () => tenants.folder.file("outside.sock")],
  ["that leads out of it by ..", () => tenants.folder.file("vms/../outside.sock")],
  ["that leads out of it by a link", () => tenants.folder.file("vms/link.sock")],
  ["that is not there", () => tenants.folder.file("vms/absent.sock")],
  ["that is not a socket", () => tenants.folder.file("vms/file")],
  ["that is not absolute", () => "vms/x.sock"],
])("a path %s gets 502, and is not forwarded", async (_what, path) => {
  const { folder, manager } = tenants;
  const outside = folder.file("outside.sock");
  const server = Bun.serve({ unix: outside, fetch: () => new Response("outside") });
  try {
    mkdirSync(folder.file("vms"), { recursive: true });
    writeFileSync(folder.file("vms/file"), "");
    try {
      symlinkSync(outside, folder.file("vms/link.sock"));
    } catch {
      // The row before created it.
    }
    const tenant = fresh();
    manager.response = () => path();
    const reply = await tenants.ask(tenant);
    expect(reply.status).toBe(502);
    const text = await reply.text();
    expect(text).toContain("no-upstream");
    expect(text).not.toContain(folder.path);
    expect(await tenants.warm()).not.toContain(tenant);
  } finally {
    await server.stop(true);
  }
});

test("a warm tenant's folder that has become a link out of socket_dir is not followed", async () => {
  const { folder, manager } = tenants;
  const tenant = fresh();
  const inside = folder.file(`vms/${tenant}`);
  const outside = folder.file(`outside-${tenant}`);
  for (const path of [inside, outside]) mkdirSync(path);
  const servers = [inside, outside].map((path) =>
    Bun.serve({ unix: `${path}/s.sock`, fetch: () => new Response(path) }),
  );
  manager.response = () => `${inside}/s.sock`;
  try {
    expect(await (await tenants.ask(tenant)).text()).toBe(inside);
    await servers[0]?.stop(true);
    renameSync(inside, `${inside}-before`);
    symlinkSync(outside, inside);
    for (const method of ["POST", "GET", "POST", "GET"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const reply = await tenants.ask(tenant, "/", { method });
      expect([method, reply.status]).toEqual([method, 502]);
    }
  } finally {
    await servers[1]?.stop(true);
  }
});

test("a filter that names no socket causes 502", async () => {
  const reply = await tenants.ask(fresh(), "/unnamed/");
  expect([reply.status, await reply.text()]).toEqual([502, expect.stringContaining("has not named a socket")]);
});

test("a request without a key is started each time, and no mapping is stored", async () => {
  const before = await tenants.warm();
  const asked = tenants.manager.asked.length;
  const replies = [];
  const key = "k".repeat(129);
  const tenant = fresh();
  for (let i = 0; i < 2; i++) {
    const headers = { "x-tenant": key, "x-start": tenant };
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    replies.push(await request("HTTP/1.1", { path: "/always/", headers }));
  }
  expect(replies.map((reply) => told(reply).tenant)).toEqual([tenant, tenant]);
  expect(tenants.manager.asked.length).toBe(asked + 2);
  expect(await tenants.warm()).toEqual(before);
});

/** The open connections of a Unix socket's server. 03 is the kernel's code for a connected socket. */
function connectionsTo(path: string): number {
  const lines = readFileSync("/proc/net/unix", "latin1").split("\n");
  return lines.filter((line) => / 03 +\d+ /.test(line) && line.endsWith(` ${path}`)).length;
}

async function openFrom(localAddress: string): Promise<RawClient> {
  const socket = connect({ port: tenants.gateway.plainPort, host: "127.0.0.1", localAddress });
  await once(socket, "connect");
  return new RawClient(socket);
}

test("a client with more requests than a tenant's connections leaves a part of them to other clients", async () => {
  const tenant = fresh();
  await tenants.told(tenant);
  const head = `Host: h\r\nX-Tenant: ${tenant}\r\n\r\n`;
  const before = await metric("tenant_hits_total");
  const busy = await Promise.all(Array.from({ length: 70 }, () => openFrom("127.0.0.1")));
  for (const client of busy) client.send(`GET /stream HTTP/1.1\r\n${head}`);
  await until(async () => (await metric("tenant_hits_total")) >= before + busy.length);
  const other = await openFrom("127.0.0.2");
  other.send(`GET / HTTP/1.1\r\n${head}`);
  expect((await other.response()).body).toContain(tenant);
  for (const client of [...busy, other]) client.destroy();
});

test("a request without a key leaves no connection to its tenant open, unlike one with a key", async () => {
  const [kept, closed] = [fresh(), fresh()];
  const path = await tenants.manager.path(kept);
  await request("HTTP/1.1", as(kept));
  expect(connectionsTo(path)).toBe(1);
  const headers = { "x-tenant": "k".repeat(129), "x-start": closed };
  expect(told(await request("HTTP/1.1", { path: "/always/", headers })).tenant).toBe(closed);
  const other = await tenants.manager.path(closed);
  await until(() => connectionsTo(other) === 0);
  expect(connectionsTo(path)).toBe(1);
});

test.each(PROTOCOLS)("%s: the host names the tenant, without port and in lower case", async (protocol) => {
  const tenant = fresh();
  tenants.manager.response = () => tenants.manager.path(tenant);
  const first = told(await request(protocol, { path: "/host/a?b=c", authority: `${tenant}.Example:8443` }));
  expect(first).toMatchObject({ tenant, host: `${tenant}.Example:8443`, url: "/a?b=c" });
  const asked = tenants.manager.asked.length;
  const second = told(await request(protocol, { path: "/host/", authority: `${tenant.toUpperCase()}.example` }));
  expect([second.boot === first.boot, tenants.manager.asked.length]).toEqual([true, asked]);
  expect(await tenants.warm()).toContain(`${tenant}.example`);
});

test("without skip_filter_when_warm the filter runs for each request, and must not park requests of warm tenants", async () => {
  const tenant = fresh();
  const start = { "x-tenant": tenant, "x-start": tenant };
  const cold = await request("HTTP/1.1", { path: "/always/", headers: start });
  expect([told(cold).tenant, cold.header("x-seen")]).toEqual([tenant, "yes"]);
  const warm = await request("HTTP/1.1", { path: "/always/", headers: { "x-tenant": tenant } });
  expect([told(warm).tenant, warm.header("x-seen")]).toEqual([tenant, "yes"]);
  const parked = await request("HTTP/1.1", { path: "/always/", headers: start });
  expect([parked.status, parked.text.includes("filter-failed")]).toEqual([500, true]);
});

test.each([
  ["/cut", 502],
  ["/cut-chunked", 502],
  ["/reset", 502],
  ["/garbage", 502],
])("%s: a POST gets %i, once, and the tenant is cold", async (path, status) => {
  const tenant = fresh();
  const { boot } = await tenants.told(tenant);
  const reply = await tenants.ask(tenant, path, { method: "POST", body: "x" });
  expect(reply.status).toBe(status);
  expect(await tenants.warm()).not.toContain(tenant);
  const after = await tenants.told(tenant);
  expect(after.boot).toBe(boot);
  expect(tenants.manager.asked.filter((key) => key === tenant).length).toBe(2);
});

test.each(PROTOCOLS)("%s: a large response that breaks off is cut off, and the tenant is cold", async (protocol) => {
  const tenant = fresh();
  await tenants.told(tenant);
  let received: number | undefined;
  void request(protocol, as(tenant, { path: "/big-stalls", method: "POST", body: "x" })).then(
    ({ body }) => void (received = body.length),
    () => {},
  );
  await tenants.told(tenant, "/late");
  await tenants.manager.kill(tenant);
  await until(async () => !(await tenants.warm()).includes(tenant));
  expect(received).not.toBe(1_000_000);
});

test.each(PROTOCOLS)(
  "%s: a GET of a tenant whose machine has died starts it again, without an error for the client",
  async (protocol) => {
    const tenant = fresh();
    const before = told(await request(protocol, as(tenant, { path: "/edited/x" })));
    await tenants.manager.kill(tenant);
    const replies = await Promise.all([1, 2, 3].map(() => request(protocol, as(tenant, { path: "/edited/x" }))));
    for (const reply of replies) {
      expect(told(reply)).toMatchObject({ tenant, added: "by-the-gateway", url: "/edited/x" });
      expect(told(reply).boot).not.toBe(before.boot);
    }
  },
);

test("a POST of a tenant whose machine has died gets 502, and the next one starts it", async () => {
  const tenant = fresh();
  await tenants.told(tenant);
  await tenants.manager.kill(tenant);
  expect((await tenants.ask(tenant, "/", { method: "POST", body: "x" })).status).toBe(502);
  expect((await tenants.told(tenant, "/", { method: "POST", body: "x" })).body).toBe(1);
});

test("with max_retries 0 a GET of a tenant whose machine has died gets 502", async () => {
  const tenant = fresh();
  await tenants.told(tenant, "/strict/");
  await tenants.manager.kill(tenant);
  expect((await tenants.ask(tenant, "/strict/")).status).toBe(502);
  expect((await tenants.told(tenant, "/strict/")).tenant).toBe(tenant);
});

test.each(PROTOCOLS)("%s: a refused client starts no tenant, and reaches no warm one", async (protocol) => {
  const tenant = fresh();
  const refused = await request(protocol, as(tenant, { path: "/guarded/" }));
  expect([refused.status, tenants.manager.asked.includes(tenant)]).toEqual([401, false]);
  const headers = { "x-tenant": tenant, "x-api-key": "the-right-one" };
  expect(told(await request(protocol, { path: "/guarded/", headers })).tenant).toBe(tenant);
  expect((await request(protocol, as(tenant, { path: "/guarded/" }))).status).toBe(401);
});

test("each chunk of a long response reaches its client before the end", async () => {
  const tenant = fresh();
  const client = await RawClient.open(tenants.gateway.plainPort);
  client.send(`GET /stream HTTP/1.1\r\nHost: h\r\nX-Tenant: ${tenant}\r\n\r\n`);
  await client.sees(`"tenant":"${tenant}"`);
  client.destroy();
});

test("a request that has waited for the maximum park time gets 503", async () => {
  const tenant = fresh();
  await tenants.reload({ wasm_host_call_deadline_ms: 400 });
  try {
    const { release } = held();
    const replies = await Promise.all([1, 2, 3, 4].map(() => tenants.ask(tenant)));
    release();
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    // The first parked request fails, and possibly the next one in the queue.
    expect([statuses[0], statuses.at(-1)]).toEqual([500, 503]);
    const late = replies.find(({ status }) => status === 503);
    expect(await late?.text()).toContain("tenant-starting");
    expect(await tenants.warm()).not.toContain(tenant);
  } finally {
    await tenants.reload({ wasm_host_call_deadline_ms: 30_000 });
  }
});

test("a filter sees the responses to requests that it allowed, and not those of warm tenants", async () => {
  const tenant = fresh();
  expect((await request("HTTP/1.1", as(tenant))).header("x-seen")).toBe("yes");
  expect((await request("HTTP/1.1", as(tenant))).header("x-seen")).toBeUndefined();
});

test("a tenant that fails each time is restarted once, not endlessly", async () => {
  const tenant = fresh();
  await tenants.told(tenant);
  const reply = await tenants.ask(tenant, "/reset");
  expect(reply.status).toBe(502);
  expect(tenants.manager.asked.filter((key) => key === tenant).length).toBe(2);
});

test("a WebSocket goes to its tenant, warm or cold", async () => {
  const tenant = fresh();
  for (const message of ["one", "two"]) {
    // oxlint-disable-next-line no-await-in-loop -- first cold, then warm
    const client = await RawClient.open(tenants.gateway.plainPort);
    client.send(
      `GET / HTTP/1.1\r\nHost: h\r\nX-Tenant: ${tenant}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    // oxlint-disable-next-line no-await-in-loop
    await client.sees("\r\n\r\n");
    expect(client.received).toStartWith("HTTP/1.1 101 ");
    client.send(message);
    // oxlint-disable-next-line no-await-in-loop
    await client.sees(`${tenant}:${message}`);
    client.destroy();
  }
  expect(tenants.manager.asked.filter((key) => key === tenant).length).toBe(1);
});

test("a client that waits for 100 gets it, warm or cold", async () => {
  const tenant = fresh();
  for (const _ of ["cold", "warm"]) {
    // oxlint-disable-next-line no-await-in-loop -- first cold, then warm
    const client = await RawClient.open(tenants.gateway.plainPort);
    client.send(
      `POST / HTTP/1.1\r\nHost: h\r\nX-Tenant: ${tenant}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
    );
    // oxlint-disable-next-line no-await-in-loop
    await client.sees("HTTP/1.1 100 ");
    client.send("hello");
    // oxlint-disable-next-line no-await-in-loop
    await client.sees('"body":5');
    client.destroy();
  }
});

test("a reload during a start loses no request, and keeps warm tenants", async () => {
  const [warm, cold] = [fresh(), fresh()];
  const { boot } = await tenants.told(warm);
  const { release } = held();
  const replies = [1, 2, 3].map(() => tenants.told(cold));
  await until(() => tenants.manager.asked.includes(cold));
  await tenants.reload({ access_log: { enabled: false, format: "json" } });
  const late = tenants.told(cold);
  release();
  const boots = (await Promise.all([...replies, late])).map((reply) => reply.boot);
  expect(new Set(boots).size).toBe(1);
  const asked = tenants.manager.asked.length;
  expect([(await tenants.told(warm)).boot, tenants.manager.asked.length]).toEqual([boot, asked]);
});

test("a request that waits during a reload of the filters starts the tenant with the earlier filters", async () => {
  const tenant = fresh();
  const { release } = held();
  const leave = await clients.open("HTTP/1.1", "/", [["x-tenant", tenant]]);
  await until(() => tenants.manager.asked.includes(tenant));
  const second = tenants.told(tenant);
  // A later request of another tenant has its response, so this one waits by now.
  await tenants.gateway.request("HTTP/1.1", { path: "/.healthz" });
  const file = await Bun.file(tenants.gateway.folder.file("turnpike.json")).json();
  const filters = file.wasm_filters.map((filter: object) => ({ ...filter, fuel: 4_000_000 }));
  await tenants.reload({ wasm_filters: filters });
  leave();
  await until(() => tenants.manager.asked.filter((key) => key === tenant).length === 2);
  release();
  expect((await second).tenant).toBe(tenant);
});

test("operators see warm tenants, evict one, add a tenant route and remove it", async () => {
  const tenant = fresh();
  await tenants.told(tenant);
  expect(await tenants.warm()).toContain(tenant);
  const path = await tenants.manager.path(tenant);
  expect(connectionsTo(path)).toBe(1);
  expect((await tenants.admin("DELETE", `/v1/tenants?key=${tenant}`)).status).toBe(200);
  expect(await tenants.warm()).not.toContain(tenant);
  await until(() => connectionsTo(path) === 0);
  const { boot } = await tenants.told(tenant);
  expect((await tenants.told(tenant)).boot).toBe(boot);
  const socketDir = tenants.folder.file("vms");
  const route = { path_prefix: "/added/", tenant: { socket_dir: socketDir, header: "x-tenant" } };
  expect(await tenants.admin("POST", "/v1/routes", route)).toMatchObject({
    status: 400,
    body: { errors: [{ path: "routes[8].tenant", message: expect.stringContaining("requires an entry") }] },
  });
  expect((await tenants.admin("DELETE", `/v1/routes/${encodeURIComponent("/edited/")}?force=true`)).status).toBe(200);
  const again = { path_prefix: "/edited/", tenant: { socket_dir: socketDir, header: "x-tenant" } };
  expect(await tenants.admin("POST", "/v1/routes?force=true", again)).toMatchObject({ status: 201 });
  expect((await tenants.told(tenant, "/edited/")).tenant).toBe(tenant);
});

test("the metrics count hits, misses, evictions and warm tenants", async () => {
  const names = ["tenant_hits_total", "tenant_misses_total", "tenant_evictions_total"];
  const read = (): Promise<number[]> => Promise.all(names.map(metric));
  const tenant = fresh();
  const before = await read();
  const since = async (): Promise<number[]> => (await read()).map((value, i) => value - (before[i] ?? 0));
  await tenants.told(tenant);
  expect(await since()).toEqual([0, 1, 0]);
  expect(await metric("tenants_active")).toBeGreaterThan(0);
  await tenants.told(tenant);
  await tenants.admin("DELETE", `/v1/tenants?key=${tenant}`);
  expect(await since()).toEqual([1, 1, 1]);
  expect([await metric("park_active"), await metric("pool_pinned")]).toEqual([0, 0]);
});
