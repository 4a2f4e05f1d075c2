import { expect, test } from "bun:test";
import { publishedSchema } from "../../../../config/json-schema.ts";
import { type Json } from "../api/shapes.ts";
import { boundsText, emptyValue, kindOf, pathText, type SchemaNode, valueAt, variantsOf, withValue } from "./schema.ts";

function nodeAt(...keys: readonly string[]): SchemaNode {
  let node = publishedSchema() as SchemaNode;
  for (const key of keys) {
    const next = key === "[]" ? node.items : node.properties?.[key];
    if (next === undefined) throw new Error(`No such key: ${keys.join(".")}`);
    node = next;
  }
  return node;
}

test("every part of a route and an upstream has a control", () => {
  const kinds = (section: string) =>
    Object.fromEntries(
      Object.entries(nodeAt(section, "[]").properties ?? {}).map(([key, node]) => [key, kindOf(node)]),
    );
  expect(kinds("routes")).toMatchObject({
    path_prefix: "text",
    auth: "union",
    connect_timeout_ms: "number",
    request_buffering: "boolean",
    traffic_split: "items",
    upstream_headers: "items",
    cache: "object",
    body_schema: "json",
  });
  expect(kinds("upstreams")).toMatchObject({ servers: "items", load_balancer: "choice", health_check: "object" });
  expect(kindOf(nodeAt("routes", "[]", "cache", "vary"))).toBe("list");
});

test("the type selects the kind of authentication", () => {
  const variants = variantsOf(nodeAt("routes", "[]", "auth"));
  expect([...variants.keys()].toSorted()).toEqual(["anonymous", "api_key", "chain", "forward_auth", "jwt", "none"]);
});

test("paths are written as in the gateway's messages", () => {
  expect(pathText(["auth", "keys", 0, "name"])).toBe("auth.keys[0].name");
  expect(pathText(["servers", 12])).toBe("servers[12]");
});

test("a value is added, replaced and removed at any depth, and the rest stays unchanged", () => {
  const before: Json = { a: { b: [{ c: 1 }, { c: 2 }] }, d: true };
  expect(withValue(before, ["a", "b", 1, "c"], 3)).toEqual({ a: { b: [{ c: 1 }, { c: 3 }] }, d: true });
  expect(withValue(before, ["a", "b", 0], undefined)).toEqual({ a: { b: [{ c: 2 }] }, d: true });
  expect(withValue(before, ["a"], undefined)).toEqual({ d: true });
  expect(withValue({}, ["x", "y", 0], "z")).toEqual({ x: { y: ["z"] } });
  expect(valueAt(before, ["a", "b", 1, "c"])).toBe(2);
  expect(valueAt(before, ["toString"])).toBeUndefined();
  expect(before).toEqual({ a: { b: [{ c: 1 }, { c: 2 }] }, d: true });
});

test("bounds are shown unless they are those of the number format", () => {
  expect(boundsText({ minimum: 1, maximum: 65_535 })).toBe("1 to 65,535");
  expect(boundsText({ minimum: 0, maximum: 9_007_199_254_740_991 })).toBeUndefined();
  expect(boundsText({ minimum: 1, maximum: 2_147_483_647 })).toBe("1 at least");
});

test("a new item begins with its required keys, empty", () => {
  expect(emptyValue(nodeAt("upstreams", "[]", "servers", "[]"))).toEqual({});
  expect(emptyValue(nodeAt("routes", "[]", "traffic_split"))).toEqual([]);
});
