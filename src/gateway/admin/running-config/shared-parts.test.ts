import { expect, test } from "bun:test";
import { atOnce } from "../../../lib/slices.ts";
import { sharedSteps } from "./shared-parts.ts";

function copyOf<T>(value: T): T {
  return structuredClone(value);
}

const route = (prefix: string, upstream = "a") => ({ path_prefix: prefix, upstream });

test("a document that is read again shares its equal parts with the one before", () => {
  const before = { server: { port: 1 }, routes: [route("/a"), route("/b"), route("/c")] };
  expect(atOnce(sharedSteps(copyOf(before), before))).toMatchObject(before);
  const next = { server: { port: 2 }, routes: [route("/new"), route("/a"), route("/c", "b"), route("/b")] };
  const shared = atOnce(sharedSteps(copyOf(next), before)) as typeof next;
  expect(shared).toEqual(next);
  const [a, b] = before.routes;
  expect([shared.routes[1] === a, shared.routes[3] === b, shared.server === before.server]).toEqual([
    true,
    true,
    false,
  ]);
});

test("the items of long lists are compared in steps, between which requests are served", () => {
  const document = { routes: Array.from({ length: 500 }, (_, at) => route(`/${at}`)) };
  let steps = 0;
  for (const _ of sharedSteps(copyOf(document), document)) steps += 1;
  expect(steps).toBe(500);
});

test("an unchanged list stays the same object, and a key named __proto__ stays a key", () => {
  const before: unknown = JSON.parse('{"routes": [{"path_prefix": "/"}], "__proto__": {"x": 1}}');
  const shared = atOnce(sharedSteps(JSON.parse(JSON.stringify(before)), before));
  expect(Reflect.get(Object(shared), "routes")).toBe(Reflect.get(Object(before), "routes"));
  expect(Object.keys(Object(shared))).toEqual(["routes", "__proto__"]);
});
