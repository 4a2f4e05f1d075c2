import { expect, test } from "bun:test";
import { type RouteConfig } from "../config/config.ts";
import { loadValue } from "../config/load.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import { type Upstream } from "../upstream/upstream.ts";
import { type Upstreams } from "../upstream/upstreams.ts";
import { isServed, routeSplit, routeVariants } from "./route-split.ts";
import { type ForwardTarget } from "./target.ts";
import { TestClient } from "./testing/test-client.ts";

/** The upstreams `a` and `b`, and `empty` without servers. No other member is read. */
const UPSTREAMS = {
  get: (name: string) => ({ name, isEmpty: name === "empty" }) as Upstream,
} as unknown as Upstreams;
const NO_DEPS = {} as FeatureParts; // Only mirrors need them.
const TARGET = {} as ForwardTarget; // Each variant replaces what is read of it.

function routeOf(traffic_split: readonly object[], more: object = {}): RouteConfig {
  const server = { address: "127.0.0.1", port: 1 };
  const { config, problems } = loadValue({
    upstreams: ["a", "b", "empty"].map((name) => ({ name, servers: [server] })),
    routes: [{ path_prefix: "/shop", traffic_split, ...more }],
  });
  const [route] = config?.routes ?? [];
  if (route === undefined) throw new Error(JSON.stringify(problems));
  return route;
}

/** The route with payments that are settled before the response. Other keys of them are not read. */
function paidBefore(route: RouteConfig): RouteConfig {
  return { ...route, x402: { settle: "before" } } as RouteConfig;
}

const entry = (upstream: string, weight = 1, more: object = {}): object => ({ upstream, weight, ...more });

test.each<[what: string, entries: readonly object[], served: boolean]>([
  ["an upstream with servers", [entry("empty"), entry("a")], true],
  ["no upstream with servers", [entry("empty")], false],
  ["an upstream with servers of weight 0", [entry("empty"), entry("a", 0)], false],
  ["a redirect", [entry("empty"), { weight: 1, redirect: { host: "a.test" } }], true],
])("a split over %s is served, or not", (_what, entries, served) => {
  const route = routeOf(entries);
  expect([isServed(route, UPSTREAMS), isServed(paidBefore(route), UPSTREAMS)]).toEqual([served, served]);
});

test("a route without a split is served by its upstream", () => {
  const served = ["a", "empty"].map((upstream) =>
    isServed({ ...routeOf([entry("a")]), traffic_split: [], upstream }, UPSTREAMS),
  );
  expect(served).toEqual([true, false]);
});

/** The names of the upstreams that requests go to. */
function reached(route: RouteConfig): ReadonlySet<string> {
  const split = routeSplit(route, UPSTREAMS);
  const requests = Array.from({ length: 20 }, () => new TestClient().exchange);
  return new Set(requests.map((exchange) => split?.choose(exchange).name ?? ""));
}

test("requests that are paid before their response go to no upstream without servers, unless there is no other", () => {
  const both = routeOf([entry("a"), entry("empty")]);
  expect([reached(both), reached(paidBefore(both))]).toEqual([new Set(["a", "empty"]), new Set(["a"])]);
  expect(reached(paidBefore(routeOf([entry("empty")])))).toEqual(new Set(["empty"]));
  expect(reached(paidBefore(routeOf([entry("empty"), entry("a", 0)])))).toEqual(new Set(["empty"]));
});

test("only entries that change more than the upstream are variants", () => {
  const [plain, changed] = [
    routeOf([entry("a"), entry("b")]),
    routeOf([entry("a"), entry("b", 1, { rewrite: { host: "h" } })]),
  ];
  const made = [plain, changed].map((route) => [
    routeSplit(route, UPSTREAMS) !== undefined,
    routeVariants(route, TARGET, UPSTREAMS, NO_DEPS) !== undefined,
  ]);
  expect(made).toEqual([
    [true, false],
    [false, true],
  ]);
});

test("a client stays with its entry, also among entries of one upstream", () => {
  const hosts = ["one.test", "two.test"].map((host) => entry("a", 1, { rewrite: { host } }));
  const route = routeOf(
    [entry("a"), ...hosts, entry("b", 1, { headers: { request: { set: [{ name: "x-b", value: "1" }] } } })],
    {
      traffic_split_sticky: { cookie: { name: "share" } },
    },
  );
  const variants = routeVariants(route, TARGET, UPSTREAMS, NO_DEPS);
  const choose = (cookie = ""): { readonly chosen: string; readonly cookie: string } => {
    const { exchange } = new TestClient({ fields: cookie === "" ? "" : `Cookie: share=${cookie}\r\n` });
    const target = variants?.choose(exchange).apply(exchange, TARGET);
    const given = /share=([^;]*)/.exec(exchange.addedFields)?.[1] ?? cookie;
    const isEdited = exchange.head.fields.includes("x-b: 1");
    return { chosen: [target?.upstream.name, target?.host, isEdited].join(" "), cookie: given };
  };
  const first = Array.from({ length: 40 }, () => choose());
  expect(new Set(first.map(({ chosen }) => chosen))).toEqual(
    new Set(["a  false", "a one.test false", "a two.test false", "b  true"]),
  );
  for (const { chosen, cookie } of first) expect(choose(cookie).chosen).toBe(chosen);
});

test("an entry may redirect instead", () => {
  const route = routeOf([{ weight: 1, redirect: { host: "new.test" } }]);
  const client = new TestClient({ path: "/shop/a" });
  expect(
    routeVariants(route, TARGET, UPSTREAMS, NO_DEPS)?.choose(client.exchange).apply(client.exchange, TARGET),
  ).toBeUndefined();
  expect([client.status, client.field("location")]).toEqual([302, "http://new.test/shop/a"]);
});
