import { expect, test } from "bun:test";
import { QueryParameter } from "./query-parameter.ts";

test("a parameter is found and removed in every percent-encoded spelling, and nothing else changes", () => {
  const parameter = new QueryParameter("api_key");
  for (const [query, values, rest] of [
    ["", [], ""],
    ["?", [], "?"],
    ["?api_key=a", ["a"], ""],
    ["?api_key", [""], ""],
    ["?api_key=", [""], ""],
    ["?x=1&api_key=a&y=%zz&&z", ["a"], "?x=1&y=%zz&&z"],
    ["?%61pi%5Fkey=%61+%2B%3d=", ["a++=="], ""],
    ["?api_key=a&API_KEY=b&api_key=c", ["a", "c"], "?API_KEY=b"],
    ["?xapi_key=a&api_keyx=a&api%255Fkey=a", [], "?xapi_key=a&api_keyx=a&api%255Fkey=a"],
    ["?a;api_key=b", [], "?a;api_key=b"],
    ["?%", [], "?%"],
    ["?api_key=%C3%A9", ["\u00c3\u00a9"], ""],
  ] as const) {
    expect([query, parameter.values(query), parameter.without(query)]).toEqual([query, [...values], rest]);
  }
});

test("an empty name matches no parameter", () => {
  const parameter = new QueryParameter("");
  expect([parameter.values("?=a&%"), parameter.without("?=a&%")]).toEqual([[], "?=a&%"]);
});
