import { expect, test } from "bun:test";
import { loadValue } from "./load.ts";
import { MAX_ROOT_KEYS, MAX_VALUES, ParseCache } from "./parse.ts";
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

test("an empty list where one needs an item is called empty", () => {
  const auth = { type: "chain", methods: [] };
  const { problems } = loadValue({ upstreams: [], routes: [{ path_prefix: "/", upstream: "o", auth }] });
  expect(problems).toContainEqual({
    path: "routes[0].auth.methods",
    message: "expected at least one method, found an empty array",
  });
});

test("a section, a route, an upstream and an unknown key have a bounded number of values, which one slice loads", () => {
  const servers = [{ address: "127.0.0.1", port: 9 }];
  const route = { path_prefix: "/", upstream: "o" };
  const many = Array.from({ length: MAX_VALUES }, (_, i) => i);
  const message = `expected at most ${MAX_VALUES} values, found an object`;
  const problemsOf = (more: object) =>
    loadValue({ upstreams: [{ name: "o", servers }], routes: [route], ...more }).problems;
  expect(problemsOf({ routes: [route, { ...route, path_prefix: "/a", body_schema: { enum: many } }] })).toEqual([
    { path: "routes[1]", message },
  ]);
  expect(problemsOf({ upstreams: [{ name: "o", servers, note: many }], routes: [] })).toEqual([
    { path: "upstreams[0]", message },
  ]);
  expect(problemsOf({ cors: { allow_origins: many } })).toEqual([{ path: "cors", message }]);
  expect(problemsOf({ note: many })).toEqual([
    { path: "note", message: `expected at most ${MAX_VALUES} values, found an array` },
  ]);
  // Lists are objects too, and count.
  expect(problemsOf({ note: many.slice(1) })).toEqual([]);
  expect(
    problemsOf({ routes: Array.from({ length: 20_000 }, (_, i) => ({ ...route, path_prefix: `/${i}` })) }),
  ).toEqual([]);
  const keys = Object.fromEntries(many.slice(0, MAX_ROOT_KEYS + 1).map((i) => [`k${i}`, 1]));
  expect(problemsOf(keys)).toEqual([{ path: "", message: `expected at most ${MAX_ROOT_KEYS} keys, found an object` }]);
});
