import { expect, test } from "bun:test";
import { publishedSchema } from "../../../../config/json-schema.ts";
import { type Json } from "../api/shapes.ts";
import {
  boundsText,
  defaultText,
  emptyValue,
  fieldText,
  kindOf,
  pathText,
  type SchemaNode,
  valueAt,
  variantsOf,
  withValue,
} from "./schema.ts";

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
  expect(withValue(before, ["a", "b", 0], undefined)).toStrictEqual({ a: { b: [{ c: 2 }] }, d: true });
  expect(withValue(before, ["a"], undefined)).toStrictEqual({ d: true });
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

test.each<[string, SchemaNode]>([
  ["choice", { type: "string", enum: ["a"] }],
  ["union", { type: "object", oneOf: [] }],
  ["json", { type: "object" }],
  ["object", { type: "object", properties: {} }],
  ["text", { type: "string" }],
  ["number", { type: "integer" }],
  ["number", { type: "number" }],
  ["boolean", { type: "boolean" }],
  ["json", {}],
  ["json", { type: "null" }],
  ["json", { type: "array" }],
  ["list", { type: "array", items: { type: "string" } }],
  ["list", { type: "array", items: { type: "integer" } }],
  ["list", { type: "array", items: { enum: ["a"] } }],
  ["json", { type: "array", items: { type: "boolean" } }],
  ["json", { type: "array", items: { type: "array", items: { type: "string" } } }],
  ["items", { type: "array", items: { type: "object", properties: {} } }],
  ["items", { type: "array", items: { oneOf: [] } }],
])("the control is %s for %j", (kind, node) => {
  expect(kindOf(node)).toBe(kind as ReturnType<typeof kindOf>);
});

test.each<[Json, SchemaNode]>([
  ["", { type: "string" }],
  ["", { type: "number" }],
  ["a", { enum: ["a", "b"] }],
  ["", { enum: [] }],
  [false, { type: "boolean" }],
  [[], { type: "array", items: { type: "string" } }],
  [{ type: "x" }, { oneOf: [{ properties: { type: { const: "x" } } }, { properties: { type: { const: "y" } } }] }],
  [{ type: "" }, { oneOf: [{}] }],
  [
    { a: [] },
    {
      type: "object",
      required: ["a", "b"],
      properties: { a: { type: "array" }, b: { type: "string" }, c: { type: "array" } },
    },
  ],
])("the first value is %j for %j", (value, node) => {
  expect(emptyValue(node)).toEqual(value);
});

test.each<[string, Json | undefined]>([
  ["", undefined],
  ["", null],
  ["a", "a"],
  ["0", 0],
  ["false", false],
  ['{"a":1}', { a: 1 }],
  ["[1]", [1]],
])("%j is the text of %j", (text, value) => {
  expect(fieldText(value)).toBe(text);
});

test.each<[string | undefined, Json | undefined]>([
  [undefined, undefined],
  [undefined, null],
  [undefined, ""],
  [undefined, { a: 1 }],
  [undefined, []],
  ["a, 1", ["a", 1]],
  ["0", 0],
  ["false", false],
])("%j is the default of %j", (text, value) => {
  expect(defaultText(value === undefined ? {} : { default: value })).toBe(text);
});

test("bounds on one side are shown as such", () => {
  expect(boundsText({})).toBeUndefined();
  expect(boundsText({ maximum: 5 })).toBe("5 at most");
  expect(boundsText({ maximum: 2_147_483_646 })).toBe("2,147,483,646 at most");
  expect(boundsText({ minimum: 0, maximum: 5 })).toBe("0 to 5");
});

test("a path into a value of another shape finds nothing, and a change replaces it", () => {
  expect(valueAt({ a: "text" }, ["a", "b"])).toBeUndefined();
  expect(valueAt({ a: { 0: "x" } }, ["a", 0])).toBeUndefined();
  expect(valueAt(["x"], ["0"])).toBeUndefined();
  expect(valueAt(undefined, [])).toBeUndefined();
  expect(withValue(["x"], ["a"], 1)).toEqual({ a: 1 });
  expect(withValue({ a: 1 }, [0], "x")).toEqual(["x"]);
  expect(withValue(["x", "y"], [2], "z")).toEqual(["x", "y", "z"]);
  expect(withValue(["x", "y"], [1], "z")).toEqual(["x", "z"]);
  expect(withValue(["x", "y"], [5], undefined)).toEqual(["x", "y"]);
  expect(withValue("x", [], 1)).toBe(1);
});
