import { expect, test } from "bun:test";
import { configSchema, type Config } from "../../config/config.ts";
import { isContentRoute } from "./content-route.ts";

const SERVER = { unix: "/run/content.sock" };
const CONTENT = { name: "content", servers: [SERVER] };
const ROUTE = { path_prefix: "/", upstream: "content" };

function configOf(route: object, upstream: object): Config {
  const upstreams = [
    { ...CONTENT, ...upstream },
    { name: "other", servers: [{ address: "192.0.2.1", port: 80 }] },
  ];
  return configSchema.parse({ upstreams, routes: [{ ...ROUTE, ...route }] });
}

function judge(route: object, upstream: object = {}, name: string | undefined = "content"): boolean {
  const { routes, upstreams } = configOf(route, upstream);
  return routes.every((each) => isContentRoute(each, upstreams, name));
}

test("a route with the content service as its only upstream is a content route", () => {
  expect(judge({})).toBe(true);
  expect(judge({ traffic_split: [] })).toBe(true);
});

test("a route to which another server may respond is not a content route", () => {
  expect(judge({ upstream: "other" })).toBe(false);
  expect(judge({ traffic_split: [{ upstream: "other", weight: 1 }] })).toBe(false);
  expect(judge({}, { servers: [SERVER, { address: "192.0.2.1", port: 80 }] })).toBe(false);
  expect(judge({}, { dns_discovery: { hostname: "content.test" } })).toBe(false);
  expect(judge({}, { catalog_discovery: { service: "content" } })).toBe(false);
});

test("without a content service there is no content route", () => {
  const { routes, upstreams } = configOf({}, {});
  for (const each of routes) expect(isContentRoute(each, upstreams, undefined)).toBe(false);
});
