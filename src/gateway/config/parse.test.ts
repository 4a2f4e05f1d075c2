import { expect, test } from "bun:test";
import { loadValue } from "./load.ts";
import { ParseCache } from "./parse.ts";
import { PLACEHOLDER } from "./secrets.ts";

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
