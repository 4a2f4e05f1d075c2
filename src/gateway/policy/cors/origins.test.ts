import { expect, test } from "bun:test";
import { createOriginMatch } from "./origins.ts";

test("a star matches whole labels of a host, and no character that would end it", () => {
  const allows = createOriginMatch(["https://*.example.com", "http://*.localhost:3000", "https://one.test"]);
  const yes = ["https://a.example.com", "https://a.b_c.d-e.example.com", "http://x.localhost:3000", "https://one.test"];
  const no = [
    "https://example.com",
    "https://aexample.com",
    "https://.example.com",
    "https://a..example.com",
    "https://A.example.com",
    "https://a.example.com:443",
    "https://a.example.com.",
    "http://a.example.com",
    "https://evil.test/.example.com",
    "https://evil.test?.example.com",
    "https://evil.test#.example.com",
    "https://evil.test:80@.example.com",
    "https://[::1].example.com",
    "https://*.example.com",
    "http://x.localhost:30000",
    "https://two.test",
    "null",
    "*",
    "",
  ];
  expect(yes.filter((origin) => !allows(origin))).toEqual([]);
  expect(no.filter(allows)).toEqual([]);
});

test("labels for a star are as long as a host at most", () => {
  const allows = createOriginMatch(["https://*.example.com"]);
  expect([253, 254].map((length) => allows(`https://${"a".repeat(length)}.example.com`))).toEqual([true, false]);
});

test("an invalid origin is checked in linear time", () => {
  const allows = createOriginMatch(["https://*.example.com"]);
  for (let length = 1; length <= 253; length++)
    expect(allows(`https://${"a".repeat(length)}!.example.com`)).toBe(false);
  expect(allows(`https://${"a.".repeat(1_000_000)}a.example.com`)).toBe(false);
});

test("a star matches every value, and a list with it too", () => {
  for (const origins of [["*"], ["https://a.test", "*"]]) {
    const allows = createOriginMatch(origins);
    expect(["https://b.test", "null", "", "https://a_b.test:1"].every(allows)).toBe(true);
  }
});
