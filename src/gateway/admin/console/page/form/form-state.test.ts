import { expect, test } from "bun:test";
import { isBelow, ofSettings, within } from "./form-state.ts";

const at = (path: string) => ({ path, message: "m" });

test("a diagnostic belongs to the item of a form, or to another", () => {
  const { own, others } = within([at("routes[1]"), at("routes[1].a"), at("routes[10].a"), at("x")], "routes", 1);
  expect([own, others].map((list) => list.map(({ path }) => path))).toEqual([
    ["", "a"],
    ["routes[10].a", "x"],
  ]);
  const split = ofSettings([at("routes[0]"), at("upstreams"), at("server.a"), at("routesx")]);
  expect([split.own, split.others].map((list) => list.map(({ path }) => path))).toEqual([
    ["server.a", "routesx"],
    ["routes[0]", "upstreams"],
  ]);
});

test.each([
  ["a", "", true],
  ["a", "a", true],
  ["a.b", "a", true],
  ["a[0]", "a", true],
  ["ab", "a", false],
  ["a", "a.b", false],
])("%j is below %j: %p", (path, parent, expected) => {
  expect(isBelow(path, parent)).toBe(expected);
});
