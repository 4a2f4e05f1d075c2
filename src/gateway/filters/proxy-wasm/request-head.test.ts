import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { type RequestHead } from "../../exchange/exchange.ts";
import { type Plain } from "../../exchange/exchange-state.ts";
import { testSettings } from "../testing/test-runtime.ts";
import { type FieldList } from "./guest/field-list.ts";
import { applyRequestFields, requestFields, trailerFields } from "./request-head.ts";

const HEAD = { method: "GET", path: "/a", query: "?q=1&key=secret", authority: "a.test", fields: "X-Tag: one\r\n" };

const visibleQuery = () => "?q=1";

/** A request of which the filter does not see the end of the query. */
function begin(change: Partial<Plain<RequestHead>> = {}) {
  const exchange = new ClientExchange(new Consumer(), { ...HEAD, bodyLength: 0, ...change });
  const list = requestFields(exchange, testSettings({ visibleQuery }));
  return { head: exchange.head, list, apply: () => applyRequestFields(exchange.head, list, visibleQuery()) };
}

/** The parts of a head that a filter can change. */
const shown = ({ method, path, query, authority, fields }: RequestHead) => ({ method, path, query, authority, fields });

function told(change: Partial<Plain<RequestHead>>) {
  const { list } = begin(change);
  const names = [":path", ":method", ":authority", ":scheme", "content-length", "x-forwarded-for", "x-request-id"];
  return [...names, "x-forwarded-proto", "x-tag"].map((name) => list.get(name));
}

test("a filter sees the request's fields, and those that the gateway tells its upstream", () => {
  const fields = ["/a?q=1", "GET", "a.test", "http"];
  expect(told({})).toEqual([...fields, undefined, "192.0.2.1", "id", "http", "one"]);
  expect(told({ bodyLength: 1, forwardedFor: "10.0.0.1" })).toEqual([
    ...fields,
    "1",
    "10.0.0.1, 192.0.2.1",
    "id",
    "http",
    "one",
  ]);
});

test("a request that its filter does not change stays as it is", () => {
  const { head, list, apply } = begin();
  expect([apply(), shown(head), list.isChanged]).toEqual([undefined, HEAD, false]);
});

test.each<readonly [string, (list: FieldList) => void, Partial<typeof HEAD>]>([
  ["a field", (list) => list.add("x-new", "1"), { fields: "X-Tag: one\r\nx-new: 1\r\n" }],
  ["the method", (list) => list.replace(":method", "PUT"), { method: "PUT" }],
  ["the path", (list) => list.replace(":path", "/b/../c?d=e?f"), { path: "/c", query: "?d=e?f" }],
  ["the path, without a query", (list) => list.replace(":path", "/c"), { path: "/c", query: "" }],
  ["the authority", (list) => list.replace("Host", "b.test:80"), { authority: "b.test:80" }],
  ["a field of the gateway", (list) => list.replace("x-forwarded-for", "1.1.1.1"), {}],
])("a filter changes %s alone", (_what, change, changed) => {
  const { head, list, apply } = begin();
  change(list);
  expect([apply(), shown(head)]).toEqual([undefined, { ...HEAD, ...changed }]);
});

test.each<readonly [string, string, string, Partial<Plain<RequestHead>>, string]>([
  ["a path with a space", ":path", "/a b", {}, "sets a path that cannot be sent"],
  ["a path without a slash", ":path", "a", {}, "sets a path that cannot be sent"],
  ["a path above the root", ":path", "/../a%2", {}, "sets a path that cannot be sent"],
  ["a fragment", ":path", "/a#b", {}, "sets a path that cannot be sent"],
  ["no path", ":path", "", {}, "sets a path that cannot be sent"],
  ["another authority", ":authority", "a/b", {}, "sets an invalid authority"],
  ["HEAD", ":method", "HEAD", {}, 'changes the method from GET to "HEAD"'],
  ["another method than HEAD", ":method", "GET", { method: "HEAD" }, 'changes the method from HEAD to "GET"'],
  ["CONNECT", ":method", "CONNECT", {}, 'changes the method from GET to "CONNECT"'],
  ["an unknown method", ":method", "MAKE", {}, 'changes the method from GET to "MAKE"'],
  ["a method of many characters", ":method", "X".repeat(99), {}, `changes the method from GET to "${"X".repeat(32)}"`],
  ["another method of an upgrade", ":method", "PUT", { upgrade: "websocket" }, 'changes the method from GET to "PUT"'],
  ["a field that cannot be sent", "x-a", "\r\n", {}, 'sets the field "x-a", which cannot be sent'],
])("a filter that sets %s fails its request", (...row) => {
  const [, name, value, change, reason] = row;
  const { head, list, apply } = begin(change);
  list.replace(name, value === "\r\n" ? "a\r\nb: c" : value);
  expect(apply()).toBe(reason);
  expect([head.method, head.path, head.authority]).toEqual([change.method ?? HEAD.method, HEAD.path, HEAD.authority]);
});

test("trailers have no pseudo-header fields, and those of the connection stay as they are", () => {
  const list = trailerFields("X-Sum: 1\r\n");
  list.replace("x-sum", "2");
  list.add("connection", "close");
  expect([list.count, list.fields, list.get(":path")]).toEqual([2, "x-sum: 2\r\n", undefined]);
});
