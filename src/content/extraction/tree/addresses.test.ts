import { describe, expect, test } from "bun:test";
import { Addresses, baseOf, withoutFragment } from "./addresses.ts";
import { parseTree } from "./tree.ts";

const URL_BASE = "https://site.test/d/p?x=1#f";
const addressesOf = (html = "") => new Addresses(parseTree(html), URL_BASE);

const long = (length: number) => `https://x.test/${"a".repeat(length - 15)}`;

describe("a link is", () => {
  test.each<[string, string | undefined]>([
    ["a", "https://site.test/d/a"],
    ["#a", "https://site.test/d/p?x=1#a"],
    ["#a b", "https://site.test/d/p?x=1#a%20b"],
    ["https://x.test/a.html", "https://x.test/a.html"],
    ["https://x.test/../a", "https://x.test/a"],
    ["HTTPS://X.test", "https://x.test/"],
    ["mailto:a@x.test", "mailto:a@x.test"],
    ["tel:1", "tel:1"],
    ["ftp://x.test/", "ftp://x.test/"],
    ["javascript:x", undefined],
    ["data:x", undefined],
    ["http://[", undefined],
  ])("%p as %p", (href, address) => {
    expect(addressesOf().link(href)).toBe(address as string);
  });

  test("at most 8,192 characters long, and all links 20,000,000", () => {
    expect([addressesOf().link(long(8_192))?.length, addressesOf().link(long(8_193))]).toEqual([8_192, undefined]);
    const addresses = addressesOf();
    for (let at = 0; at < 2_500; at += 1) expect(addresses.link(long(8_000))).toBeDefined();
    expect(addresses.link("a")).toBeUndefined();
    expect(addresses.link("#a")).toBeUndefined();
  });
});

test.each<[string, string | undefined]>([
  ["a.png", "https://site.test/d/a.png"],
  ["http://x.test/a", "http://x.test/a"],
  ["ftp://x.test/a", undefined],
  ["mailto:a@x.test", undefined],
  ["data:x", undefined],
])("the picture %p is at %p", (source, address) => {
  expect(addressesOf().media(source)).toBe(address as string);
});

describe("the base of a page is", () => {
  test.each<[string, string, string]>([
    ["its address", "", "https://site.test/d/p?x=1"],
    ["its first one", "<base target=x><base href=' /b/#f '><base href=/c/>", "https://site.test/b/"],
    ["one in its body", "<body><base href=/b/>", "https://site.test/b/"],
    ["none deeper in its body", "<body><div><base href=/b/></div>", "https://site.test/d/p?x=1"],
    ["none of another scheme", "<base href=ftp://x/>", "https://site.test/d/p?x=1"],
    ["none that is not valid", "<base href='http://['>", "https://site.test/d/p?x=1"],
    ["one of 2,048 characters", `<base href="/${"b".repeat(2_047)}">`, `https://site.test/${"b".repeat(2_047)}`],
    ["not a longer one", `<base href="/${"b".repeat(2_048)}">`, "https://site.test/d/p?x=1"],
  ])("%s", (_which, html, base) => {
    expect(baseOf(parseTree(html), URL_BASE)).toBe(base);
  });
});

test("the fragment of an address begins at its first sign", () => {
  expect(["a#b#c", "a", "#"].map(withoutFragment)).toEqual(["a", "a", ""]);
});
