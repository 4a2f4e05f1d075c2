import { expect, test } from "bun:test";
import { loadValue } from "./load.ts";
import { ParseCache } from "./parse.ts";
import { PLACEHOLDER } from "./secrets.ts";

function nested(levels: number, core: unknown): unknown {
  let value = core;
  for (let i = 0; i < levels; i++) value = { value };
  return value;
}

test("the depth of a value is counted again if a known value is nested deeper than before", () => {
  const cache = new ParseCache();
  const core = nested(3, []);
  expect([cache.depthOf(1, 5), cache.depthOf({}, 5), cache.depthOf(core, 5)]).toEqual([0, 1, 4]);
  expect(cache.depthOf(nested(1, core), 5)).toBe(5);
  expect(cache.depthOf(nested(2, core), 5)).toBe(6);
  const deep = nested(9, {});
  expect(cache.depthOf(deep, 4)).toBe(5);
  expect(cache.depthOf(deep, 20)).toBe(10);
});

test("a placeholder is found in a route that was added to known routes", () => {
  const cache = new ParseCache();
  const upstreams = [{ name: "o", servers: [{ address: "127.0.0.1", port: 9 }] }];
  const known = { path_prefix: "/a", upstream: "o" };
  expect(loadValue({ upstreams, routes: [known] }, cache).problems).toEqual([]);
  const auth = { type: "api_key", keys: [{ name: "me", key: PLACEHOLDER }] };
  const withSecret = { path_prefix: "/b", upstream: "o", auth };
  const { problems } = loadValue({ upstreams, routes: [known, withSecret] }, cache);
  expect(problems.map(({ path }) => path)).toEqual(["routes[1].auth.keys[0].key"]);
  // A route with a problem never counts as clean.
  expect(loadValue({ upstreams, routes: [withSecret] }, cache).problems).toHaveLength(1);
});
