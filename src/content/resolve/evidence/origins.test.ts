import { expect, test } from "bun:test";
import { originsOf, ownerOf } from "./origins.ts";
import { planOf } from "./plan.ts";

test.each([
  ["https://www.bbc.co.uk/x", "bbc"],
  ["https://bbc.com/", "bbc"],
  ["https://ana.github.io/", "ana.github.io"],
  ["http://192.0.2.1:80/x", "192.0.2.1"],
  ["http://192.0.2.1:8080/x", "192.0.2.1:8080"],
  ["http://[2001:db8::1]:81/", "[2001:db8::1]:81"],
  ["nonsense", "nonsense"],
])("the owner of %s is %s", (url, owner) => {
  expect(ownerOf(url)).toBe(owner);
});

const PLAN = planOf("Did the bridge open, according to Reuters?", "", Date.UTC(2026, 5, 15));

test.each([
  ["The bridge opened, Harbour Press reported.", ["harbour press"]],
  ["The bridge opened, first reported by The Courier.", ["courier"]],
  ["The bridge opened. Source: Dock Wire.", ["dock wire"]],
  ["The bridge opened, according to Reuters.", []],
  [`${"x ".repeat(300)}The bridge opened, first reported by Dock Wire. ${"x ".repeat(300)}`, []],
  [`${"x ".repeat(300)}The bridge opened, first reported by Dock Wire. ${"x ".repeat(100)}`, ["dock wire"]],
  [`${"x ".repeat(100)}The bridge opened, first reported by Dock Wire. ${"x ".repeat(300)}`, ["dock wire"]],
])("the origins of %j are %p", (text, origins) => {
  const source = { url: "https://a.example/", title: "", text, published: undefined, language: "en", isHint: false };
  expect(originsOf(PLAN, source, [])).toEqual(origins);
});

test("a quote names the origin of its page", () => {
  const text = "x ".repeat(1_000);
  const source = { url: "https://a.example/", title: "", text, published: undefined, language: "en", isHint: false };
  expect(originsOf(PLAN, source, ["It opened, first reported by Dock Wire."])).toEqual(["dock wire"]);
});
