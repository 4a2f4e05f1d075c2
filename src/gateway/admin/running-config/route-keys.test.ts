import { expect, test } from "bun:test";
import { keysOf, methodsOf, withKey, withoutKey } from "./route-keys.ts";

const key = (name: string) => ({ name, key: `key of ${name}` });
const keys = (...names: string[]) => ({ type: "api_key", header: "x", keys: names.map(key) });
const BASIC = { type: "basic", keys: [key("no API key")] };
const chain = (...methods: unknown[]) => ({ type: "chain", methods });

test("the methods of a route are those of its chains, in order", () => {
  expect(methodsOf(keys("a"))).toEqual([keys("a")]);
  const nested = chain(BASIC, chain(keys("a"), "no method"), keys("b"));
  expect(methodsOf(nested)).toEqual([BASIC, keys("a"), keys("b")]);
  for (const none of [undefined, null, "api_key", []]) expect(methodsOf(none)).toEqual([]);
  // Only a chain has further methods.
  expect(methodsOf({ ...BASIC, methods: [keys("a")] })).toEqual([{ ...BASIC, methods: [keys("a")] }]);
  expect(methodsOf({ type: "chain", methods: "none" })).toEqual([{ type: "chain", methods: "none" }]);
});

test("the keys of a route are those of its lists of API keys, in order", () => {
  const nested = chain(keys("a", "b"), BASIC, chain(keys("c")), { type: "api_key" });
  expect(keysOf(nested).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  expect(keysOf({ type: "api_key", keys: [key("a"), "no key", null] })).toEqual([key("a")]);
  expect(keysOf(BASIC)).toEqual([]);
});

test("a key is added to the end of the first list alone", () => {
  expect(withKey(keys("a"), key("new"))).toEqual(keys("a", "new"));
  expect(withKey(chain(BASIC, keys(), keys("b")), key("new"))).toEqual(chain(BASIC, keys("new"), keys("b")));
  expect(withKey({ type: "api_key" }, key("new"))).toEqual({ type: "api_key", keys: [key("new")] });
  for (const none of [BASIC, chain(BASIC), undefined, "api_key"]) expect(withKey(none, key("new"))).toBeUndefined();
});

test("a key is removed by its number in all lists, if it has the owner", () => {
  const auth = chain(keys("a", "b"), BASIC, chain(keys("c", "b")));
  expect(withoutKey(auth, 2, "b")).toEqual(chain(keys("a"), BASIC, chain(keys("c", "b"))));
  expect(withoutKey(auth, 4, "b")).toEqual(chain(keys("a", "b"), BASIC, chain(keys("c"))));
  expect(withoutKey(keys("a"), 1, "a")).toEqual(keys());
  for (const [number, owner] of [
    [1, "b"],
    [3, "b"],
    [0, "a"],
    [5, "b"],
  ] as const)
    expect(withoutKey(auth, number, owner)).toBeUndefined();
  expect(withoutKey(undefined, 1, "a")).toBeUndefined();
});
