/** The caches of routes: their keys and limits, and the responses that outlast a reload. */
import { expect, test } from "bun:test";
import { loadValue } from "../../config/load.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type ForwardTarget } from "../target.ts";
import { TestClient } from "../testing/test-client.ts";
import { type ResponseCache } from "./cache.ts";
import { provideCaches } from "./provide-caches.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const JWT = {
  type: "jwt",
  algorithm: "HS256",
  secret: SECRET,
  claims_to_headers: [{ claim: "plan", header: "X-Plan" }],
};

/** The counts that telemetry received. */
let told: unknown[] = [];
let date = Date.parse("2026-06-15T12:00:00Z");

type Provided = ReturnType<typeof provideCaches>;

function provide(routes: readonly object[], previous?: Provided) {
  const { config, problems } = loadValue({
    upstreams: [{ name: "u", servers: [{ address: "127.0.0.1", port: 1 }] }],
    routes: routes.map((route, i) => ({ path_prefix: `/${i}`, upstream: "u", ...route })),
  });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  told = [];
  const telemetry = {
    counts: { add: (...change: readonly unknown[]) => told.push(change) },
    traffic: { route: (name: string) => ({ cached: (how: string) => told.push([name, how]) }) },
  };
  // Caches use no other parts.
  const caches = provideCaches({ config, telemetry, clock: () => date } as unknown as FeatureParts, previous);
  const asked: Exchange[] = [];
  const variants = { choose: () => ({ apply: (exchange: Exchange) => void asked.push(exchange) }) };
  // No other member is read before the variant is chosen.
  const target = { variants } as unknown as ForwardTarget;
  const route = (i: number) => config.routes[i] ?? expect.unreachable();
  return {
    caches,
    asked,
    of: (i: number) => caches.of(route(i), target),
    beside: (i: number) => caches.beside(route(i), target),
  };
}

/** Asks a cache for a path; `reply` has the upstream's response with this body. */
function ask(cache: ResponseCache | undefined, asked: Exchange[], reply = "", client = new TestClient()): string {
  cache?.serve(client.exchange);
  const own = asked.pop();
  const fields = "Cache-Control: max-age=60\r\nDate: Mon, 15 Jun 2026 12:00:00 GMT\r\n";
  own?.response.start({ status: 200, reason: "", fields, bodyLength: reply.length });
  own?.response.data(Buffer.from(reply));
  own?.response.end("");
  return client.body;
}

test("a route has a cache if its configuration asks for one", () => {
  const { of } = provide([{}, { cache: {} }]);
  expect([of(0), of(1)?.keyNames]).toEqual([undefined, ["accept-encoding"]]);
});

test("a cache has the limits and the key of its route, and every field that names a consumer is part of that key", () => {
  const cache = {
    ttl_s: 7,
    max_entry_bytes: 5,
    vary: ["X-Language", "X-Plan"],
    targeted_fields: ["CDN-Cache-Control"],
  };
  const { of } = provide([{ cache }, { cache, auth: JWT }]);
  const plain = of(0);
  expect(plain?.policy).toEqual({ ttl: 7, targets: ["cdn-cache-control"] });
  expect([plain?.maxEntryBytes, plain?.keyNames]).toEqual([5, ["accept-encoding", "x-language", "x-plan"]]);
  expect(of(1)?.keyNames).toEqual(["accept-encoding", "x-language", "x-plan", "x-consumer-name"]);
});

test("telemetry counts the requests, the responses and the bytes of a cache", () => {
  const { of, asked, caches } = provide([{ cache: {} }]);
  expect(ask(of(0), asked, "page")).toBe("page");
  const stored = told.splice(0);
  expect(stored).toContainEqual(["cacheRequests", 1, "miss"]);
  expect(stored).toContainEqual(["/0", "miss"]);
  expect(stored).toContainEqual(["cacheEntries", 1]);
  const bytes = stored.flatMap((change) => (Array.isArray(change) && change[0] === "cacheBytes" ? [change[1]] : []));
  expect(bytes).toEqual([of(0)?.store.bytes]);
  expect(ask(of(0), asked)).toBe("page");
  expect(told).toEqual([
    ["cacheRequests", 1, "hit"],
    ["/0", "hit"],
  ]);
  told = [];
  caches.close(undefined);
  expect(told).toEqual([
    ["cacheEntries", -1],
    ["cacheBytes", -Number(bytes[0])],
  ]);
});

test("a response has the age by its Date and the system clock", () => {
  const { of, asked } = provide([{ cache: {} }]);
  date += 30_000;
  ask(of(0), asked, "page");
  const client = new TestClient();
  expect(ask(of(0), asked, "", client)).toBe("page");
  expect(client.field("age")).toBe("30");
  date -= 30_000;
});

test("a reload keeps the responses of routes that have not changed, and drops those of others", () => {
  const routes = [{ cache: {} }, { cache: { ttl_s: 1 } }, { cache: {} }];
  const before = provide(routes);
  for (const i of [0, 1, 2]) ask(before.of(i), before.asked, `old ${i}`);
  const after = provide([{ cache: {} }, { cache: { ttl_s: 2 } }, {}], before.caches);
  before.caches.close(after.caches);
  expect([0, 1, 2].map((i) => before.of(i)?.store.entries)).toEqual([1, 0, 0]);
  expect([0, 1].map((i) => ask(after.of(i), after.asked, `new ${i}`))).toEqual(["old 0", "new 1"]);
  // A request that the earlier configuration still serves stores nothing in a cache that is closed.
  ask(before.of(1), before.asked, "late");
  expect([before.of(1)?.store.entries, after.of(1)?.store.entries]).toEqual([0, 1]);
});

test("an unsafe method on a route without a cache invalidates its URI on every route with a prefix of its path", () => {
  const routes = ["/", "/", "/1", "/2"].map((path_prefix, i) => {
    return { path_prefix, name: `${i}`, match: { headers: [{ name: `X-${i}` }] }, cache: {} };
  });
  const { of, beside, asked } = provide([...routes, { path_prefix: "/1/a" }]);
  const stored = () => routes.map((_, i) => of(i)?.store.entries);
  for (const path of ["/1/a", "/1/b"]) {
    for (const i of routes.keys()) ask(of(i), asked, "page", new TestClient({ path }));
  }
  expect(stored()).toEqual([2, 2, 2, 2]);
  for (const [method, status, isUncopied] of [
    ["GET", 200, false],
    ["POST", 400, false],
    // A check of an unpaid request's form.
    ["POST", 204, true],
    ["POST", 200, false],
  ] as const) {
    expect(stored()).toEqual([2, 2, 2, 2]);
    const client = new TestClient({ path: "/1/a", method });
    Object.assign(client.exchange, { isUncopied });
    beside(4)?.serve(client.exchange);
    const upstream = asked.pop()?.response;
    upstream?.start({ status, reason: "", fields: "", bodyLength: 0 });
    upstream?.end("");
    expect(client.status).toBe(status);
  }
  // The last route serves no path of the request.
  expect(stored()).toEqual([1, 1, 1, 2]);
});

test.each([
  [false, [{ match: { methods: ["POST"] } }, {}]],
  [false, [{}, { cache: {} }]],
  [true, [{ match: { methods: ["POST"] } }, { cache: {} }]],
  [true, [{}, { cache: {}, match: { methods: ["GET"] } }]],
])("a route is watched if it can share a URI with a route that caches: %p for %j", (isWatched, routes) => {
  expect(provide(routes).beside(0) !== undefined).toBe(isWatched);
});
