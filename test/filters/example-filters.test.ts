/** The filters of examples/filters/ for proxy-wasm, in a real gateway. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { EXAMPLES, exampleFilters } from "../../src/gateway/filters/module/testing/example-filters.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { type ProtocolGateway, PROTOCOLS, startProtocols } from "../policy/protocols.ts";

// The compiler is slow on a busy machine.
setDefaultTimeout(patient(30_000));

const TIMEOUT_MS = 1000;

let origin: Bun.Server<undefined>;
/** Accepts `ann`, gives no response for `bob`, and refuses all others. */
let auth: Bun.Server<undefined>;
const asked: string[] = [];
let gateway: ProtocolGateway;

beforeAll(async () => {
  origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const names = ["x-filter", "x-api-key"].map((name) => `${name}=${request.headers.get(name) ?? ""}`);
      return new Response(`a cat, ${names.join(", ")}, ${await request.text()}`);
    },
  });
  auth = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const user = request.headers.get("x-user") ?? "";
      asked.push(`${new URL(request.url).pathname}${new URL(request.url).search} ${user}`);
      if (user === "bob") return new Promise<Response>(() => {});
      return new Response("", { status: user === "ann" ? 200 : 401 });
    },
  });
  const modules = await exampleFilters(...EXAMPLES);
  const proxied = ["add-header", "api-key", "rewrite-body", "ask-upstream", "visits"] as const;
  const configs: Readonly<Record<string, string>> = {
    "api-key": "sesame",
    "ask-upstream": "auth",
    "add-header": "text",
  };
  gateway = await startProtocols({
    upstreams: [
      { name: "origin", servers: [{ address: "127.0.0.1", port: origin.port }] },
      { name: "auth", servers: [{ address: "127.0.0.1", port: auth.port }] },
    ],
    routes: proxied.map((name) => ({ path_prefix: `/${name}`, upstream: "origin" })),
    wasm_filters: proxied.map((name) => ({ match: `/${name}`, module: modules[name], config: configs[name] ?? "" })),
  });
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all([origin.stop(true), auth.stop(true)]);
});

test.each(PROTOCOLS)("a filter adds fields to requests and responses over %s", async (protocol) => {
  const reply = await gateway.request(protocol, { path: "/add-header" });
  expect(reply.text).toContain("x-filter=add-header");
  expect(reply.header("x-configured")).toBe("text");
});

test.each(PROTOCOLS)("a filter requires a key, and does not forward it to the upstream, over %s", async (protocol) => {
  const refused = await gateway.request(protocol, { path: "/api-key" });
  expect([refused.status, refused.text]).toEqual([401, "key required"]);
  const passed = await gateway.request(protocol, { path: "/api-key", headers: { "x-api-key": "sesame" } });
  expect([passed.status, passed.text]).toEqual([200, "a cat, x-filter=, x-api-key=, "]);
});

test.each(PROTOCOLS)("a filter changes the bodies of responses over %s", async (protocol) => {
  const body = "cats ".repeat(4000);
  const reply = await gateway.request(protocol, { method: "POST", path: "/rewrite-body", body });
  expect(reply.text).toBe(`a dog, x-filter=, x-api-key=, ${"dogs ".repeat(4000)}`);
});

test.each(PROTOCOLS)("a filter queries an upstream before it lets a request pass over %s", async (protocol) => {
  asked.length = 0;
  const ask = (user: string, body: string) =>
    gateway.request(protocol, { method: "POST", path: "/ask-upstream?a=b", headers: { "x-user": user }, body });
  const [ann, eve] = await Promise.all([ask("ann", "hello"), ask("eve", "hello")]);
  expect([ann.status, ann.text]).toEqual([200, "a cat, x-filter=, x-api-key=, hello"]);
  expect([eve.status, eve.text]).toEqual([403, "not for you"]);
  expect(asked.toSorted()).toEqual(["/may?path=%2Fask-upstream%3Fa%3Db ann", "/may?path=%2Fask-upstream%3Fa%3Db eve"]);
  const began = performance.now();
  const bob = await ask("bob", "hello");
  expect([bob.status, bob.text]).toEqual([503, "no response from the upstream"]);
  expect(performance.now() - began).toBeGreaterThanOrEqual(TIMEOUT_MS * 0.9);
});

test("a filter counts in shared data and in a metric, and logs in its tick", async () => {
  for (const visits of ["1", "2", "3"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, since they are counted
    const reply = await gateway.request("HTTP/1.1", { path: "/visits" });
    expect(reply.header("x-visits")).toBe(visits);
  }
  const metrics = await gateway.plain({ path: "/metrics" });
  expect(metrics.text).toMatch(/visits_total\S* 3\b/);
  await gateway.program.sees(/visits: 3/);
});
