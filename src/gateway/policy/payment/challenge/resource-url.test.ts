import { expect, test } from "bun:test";
import { type ResourceLocation, requestedUrls } from "./resource-url.ts";

const BARE: ResourceLocation = { fixed: "", publicUrl: "", baseUrl: "http://127.0.0.1:8080", hasHost: false };
const PUBLIC: ResourceLocation = {
  ...BARE,
  publicUrl: "https://api.example.com/v1",
  baseUrl: "https://api.example.com/v1",
};
const HEAD = { scheme: "http", authority: "shop.example:8080", path: "/reports/1", query: "?a=1&b=2" } as const;

const CASES: readonly (readonly [name: string, ResourceLocation, Partial<typeof HEAD> | object, string])[] = [
  ["the client's own scheme, host, path and query", BARE, {}, "http://shop.example:8080/reports/1?a=1&b=2"],
  ["https, where the request came so", BARE, { scheme: "https" }, "https://shop.example:8080/reports/1?a=1&b=2"],
  ["x402.public_url in place of the host", PUBLIC, {}, "https://api.example.com/v1/reports/1?a=1&b=2"],
  [
    "a route's own host with the public scheme",
    { ...PUBLIC, hasHost: true },
    {},
    "https://shop.example:8080/reports/1?a=1&b=2",
  ],
  ["the listener, for a request without a host", BARE, { authority: "" }, "http://127.0.0.1:8080/reports/1?a=1&b=2"],
  ["resource_url as it is", { ...PUBLIC, fixed: "https://x.example/r" }, {}, "https://x.example/r"],
  [
    "odd characters, encoded",
    BARE,
    { query: `?a="<b>'\u00fc|\\` },
    "http://shop.example:8080/reports/1?a=%22%3Cb%3E%27%FC%7C%5C",
  ],
];

for (const [name, location, change, url] of CASES) {
  test(`a challenge has ${name}`, () => {
    expect(requestedUrls(location, { ...HEAD, ...change })[0]).toBe(url);
  });
}

test("a query that is too long is left out, and a path that is too long gives no URL", () => {
  expect(requestedUrls(BARE, { ...HEAD, query: `?${"x".repeat(2048)}` })).toEqual([
    "http://shop.example:8080/reports/1",
  ]);
  expect(requestedUrls(BARE, { ...HEAD, path: `/${"x".repeat(2048)}` })).toEqual([]);
});

test("a URL of 2048 characters stands for its request, and a longer one is left out", () => {
  const base = "http://shop.example:8080/";
  const urlsOf = (length: number): readonly number[] =>
    requestedUrls(BARE, { ...HEAD, path: "/", query: `?${"x".repeat(length - base.length - 1)}` }).map(
      (url) => url.length,
    );
  expect([urlsOf(2048), urlsOf(2049)]).toEqual([[2048, base.length], [base.length]]);
});
