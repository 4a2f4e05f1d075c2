/** Filters as operators use them: reloads, changes through the admin interface, checks, dying workers, traces. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { attributesOf, decodeExport, spansIn } from "../policy/testing/otlp.ts";
import { Admin } from "../support/admin.ts";
import { serverAt } from "../support/gateway.ts";
import { statusOf, valuesOf } from "../support/message.ts";
import { descendants, Folder, Program, until } from "../support/program.ts";
import { valueOf } from "../support/prometheus.ts";
import { RawClient } from "../support/raw-client.ts";
import { type OriginConnection, RawOrigin } from "../support/raw-origin.ts";
import { counter, writeFilter } from "./testing/modules.ts";
import { SWITCHBOARD } from "./testing/switchboard.ts";

setDefaultTimeout(patient(60_000));

const WORKERS = 2;
const exported: string[] = [];
const collector = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    exported.push(await request.text());
    return Response.json({});
  },
});

let origin: RawOrigin;
let modules: Folder;
let admin: Admin;

beforeAll(async () => {
  origin = await RawOrigin.start();
  modules = new Folder();
  await writeFilter(modules, "changing.wasm", counter(1));
  await writeFilter(modules, "staying.wasm", counter(1));
  await writeFilter(modules, "switchboard.wasm", SWITCHBOARD);
  admin = await Admin.start({
    workers: WORKERS,
    config: {
      otel: { enabled: true, collector_url: collector.url.origin, max_batch_size: 1 },
      upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
      routes: ["/changing", "/staying", "/switch", "/plain"].map((path_prefix) => ({
        path_prefix,
        upstream: "origin",
      })),
      wasm_filters: [
        { match: "/changing", module: modules.file("changing.wasm") },
        { match: "/staying", module: modules.file("staying.wasm") },
        { match: "/switch", module: modules.file("switchboard.wasm") },
        { match: "/late", module: modules.file("staying.wasm") },
      ],
    },
  });
});

afterAll(async () => {
  await admin.stop();
  await origin.stop();
  await collector.stop(true);
  modules.remove();
});

function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${admin.port}${path}`, { headers, keepalive: false });
}

/** The status and the count of the filter, as `1.0003`. */
async function counted(client: RawClient, path: string): Promise<[number, string]> {
  client.send(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`);
  const message = await client.response();
  return [statusOf(message), valuesOf(message, "x-count").join()];
}

async function reload(): Promise<void> {
  expect((await admin.call("POST", "/v1/reload")).status).toBe(200);
}

interface Listed {
  readonly path_prefix: string;
  readonly wasm_filter: boolean;
  readonly wasm_required?: true;
}

async function listed(path: string): Promise<Listed | undefined> {
  const { routes } = (await admin.call("GET", "/v1/routes")).body as { routes: Listed[] };
  return routes.find(({ path_prefix: prefix }) => prefix === path);
}

test("a reload under load uses the changed module, and keeps the unchanged one", async () => {
  const pinned = await RawClient.open(admin.port);
  const [, first] = await counted(pinned, "/staying");
  const load = { isDone: false };
  const seen = new Set<string>();
  const drive = async (): Promise<void> => {
    const client = await RawClient.open(admin.port);
    while (!load.isDone) {
      const [status, count] = await counted(client, "/changing");
      seen.add(`${status} ${count.slice(0, 2)}`);
    }
    client.destroy();
  };
  const loads = Array.from({ length: 4 }, drive);
  await until("some load", () => (seen.size > 0 ? true : undefined));
  await writeFilter(modules, "changing.wasm", counter(2));
  await reload();
  const fresh = await RawClient.open(admin.port);
  expect((await counted(fresh, "/changing"))[1].startsWith("2.")).toBe(true);
  load.isDone = true;
  await Promise.all(loads);
  // Each response comes from one of the two modules, and none is unfiltered.
  expect([...seen].toSorted((a, b) => a.localeCompare(b))).toEqual(["200 1.", "200 2."]);
  const [, next] = await counted(pinned, "/staying");
  expect(Number(next)).toBeCloseTo(Number(first) + 0.0001, 6);
  pinned.destroy();
  fresh.destroy();
});

test("a request in flight ends with the filter with which it began", async () => {
  const held = Promise.withResolvers<OriginConnection>();
  origin.response = (_, connection) => held.resolve(connection);
  const waiting = ask("/switch/x", { "x-do": "e" });
  const connection = await held.promise;
  origin.reset();
  const before = admin.saved() as { wasm_filters: { match: string }[] };
  await Bun.write(
    admin.file,
    JSON.stringify({ ...before, wasm_filters: before.wasm_filters.filter(({ match }) => match !== "/switch") }),
  );
  await reload();
  expect(await (await ask("/switch/y", { "x-do": "e" })).text()).toBe("GET /switch/y");
  connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nheld");
  expect(await (await waiting).text()).toBe("held!");
  await Bun.write(admin.file, JSON.stringify(before));
  await reload();
  expect(await (await ask("/switch/y", { "x-do": "e" })).text()).toBe("GET /switch/y!");
});

test("an added route gets its filter, and loses it when the route is removed", async () => {
  expect((await ask("/late")).status).toBe(404);
  expect((await admin.call("POST", "/v1/routes", { body: { path_prefix: "/late", upstream: "origin" } })).status).toBe(
    201,
  );
  for (let i = 0; i < 8; i++) expect((await ask("/late")).headers.get("x-count")).toMatch(/^1\.\d{4}$/);
  expect(await listed("/late")).toMatchObject({ wasm_filter: true });
  expect(await listed("/plain")).toMatchObject({ wasm_filter: false });
  expect((await admin.call("DELETE", "/v1/routes/%2Flate")).status).toBe(200);
  for (let i = 0; i < 8; i++) expect((await ask("/late")).status).toBe(404);
});

test("a reload refuses a module that no longer loads, and check prints it; the old filter goes on", async () => {
  const path = modules.file("changing.wasm");
  const good = await Bun.file(path).bytes();
  await Bun.write(path, good.subarray(0, 50));
  const { status, body } = await admin.call("POST", "/v1/reload");
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("wasm_filters[0].module")]);
  for (let i = 0; i < 8; i++) expect((await ask("/changing")).status).toBe(200);
  const check = new Program(["check", admin.file]);
  expect(await check.exit()).toBe(1);
  expect(check.output).toMatch(/wasm_filters\[0\]\.module: Cannot load the filter "\S+changing\.wasm": .+\n/);
  expect(check.output).toMatch(
    /warning: \S.*wasm_filters\[3\]\.match: no route has the path_prefix "\/late"; the filter never runs\n/,
  );
  await Bun.write(path, good);
  await reload();
});

test("a start with a module that does not load closes its route until it loads, and the admin interface reports it", async () => {
  const path = modules.file("broken.wasm");
  await Bun.write(path, "no module");
  const broken = await Admin.start({
    workers: WORKERS,
    config: {
      routes: ["/broken", "/free"].map((path_prefix) => ({ path_prefix, fixed_response: { body: "hello" } })),
      wasm_filters: [{ match: "/broken", module: path }],
    },
  });
  try {
    const status = async (at: string) => (await fetch(`http://127.0.0.1:${broken.port}${at}`)).status;
    expect([await status("/broken"), await status("/free")]).toEqual([503, 200]);
    const [closed, free] = (await broken.call("GET", "/v1/routes")).body.routes;
    expect([closed, free]).toMatchObject([{ wasm_filter: true, wasm_required: true }, { wasm_filter: false }]);
    expect(free.wasm_required).toBeUndefined();
    expect(valueOf((await broken.call("GET", "/v1/metrics")).text, "turnpike_wasm_routes_closed")).toBe(WORKERS);
    // A change that does not concern the filter is not refused.
    const route = { path_prefix: "/more", fixed_response: { body: "more" } };
    expect((await broken.call("POST", "/v1/routes", { body: route })).status).toBe(201);
    await Bun.write(path, await Bun.file(modules.file("staying.wasm")).bytes());
    expect((await broken.call("POST", "/v1/reload")).status).toBe(200);
    expect(await status("/broken")).toBe(200);
  } finally {
    await broken.stop();
  }
});

test("when a worker is killed, no request passes unfiltered, and the new worker filters", async () => {
  const [victim] = descendants(admin.program.pid, "worker");
  if (victim === undefined) throw new Error("There is no worker");
  process.kill(victim, "SIGKILL");
  const restarts = async (): Promise<number> =>
    valueOf((await admin.call("GET", "/v1/metrics")).text, "turnpike_worker_restarts_total");
  const counts = new Set<boolean>();
  await until("the successor", async () => {
    const reply = await ask("/staying").catch(() => undefined);
    if (reply !== undefined) counts.add(reply.status === 200 && reply.headers.has("x-count"));
    return (await restarts()) > 0 ? true : undefined;
  });
  for (let i = 0; i < 16; i++) counts.add((await ask("/staying")).headers.has("x-count"));
  expect([...counts]).toEqual([true]);
});

test("each invocation is a span of its request, with outcome and fuel", async () => {
  const traceId = "ab".repeat(16);
  await ask("/switch/traced", { traceparent: `00-${traceId}-b7ad6b7169203331-01`, "x-do": "T" });
  const spans = (): ReturnType<typeof spansIn> =>
    spansIn(exported.filter((json) => json.includes(traceId))).filter((span) => span.traceId === traceId);
  await until("five spans", () => (spans().length >= 5 ? true : undefined));
  const byName = new Map(spans().map((span) => [span.name, span]));
  const [policy, request, response] = ["filter", "filter request", "filter response"].map((name) => byName.get(name));
  expect(request?.parentSpanId).toBe(policy?.spanId);
  const attributes = { "turnpike.filter.name": "switchboard.wasm", "turnpike.filter.phase": "request" };
  expect(attributesOf(request?.attributes)).toMatchObject({ ...attributes, "turnpike.filter.outcome": "allow" });
  expect(attributesOf(response?.attributes)).toMatchObject({ "turnpike.filter.outcome": "trap", "error.type": "trap" });
  expect(Number(attributesOf(request?.attributes)["turnpike.filter.fuel"])).toBeGreaterThan(0);
  for (const json of exported) decodeExport(json);
});
