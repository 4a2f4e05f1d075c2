import { expect, test } from "bun:test";
import { parseCall } from "./call-arguments.ts";
import { bodyOf } from "./pay-arguments.ts";
import { UsageError } from "../common/usage-error.ts";

function parameters(...args: string[]): unknown {
  const request = parseCall(args);
  // The round trip through JSON gives objects their prototypes back.
  return JSON.parse(JSON.stringify(request.parameters));
}

const READ: readonly (readonly [args: readonly string[], parameters: object])[] = [
  [["read", "http://a.example"], { url: "http://a.example" }],
  [["scrape", "u", "--set", "format=text", "--set", "timeout=60"], { url: "u", format: "text", timeout: 60 }],
  [["pdf", "u", "--set", "landscape=true", "--set", "scale=0.5"], { url: "u", landscape: true, scale: 0.5 }],
  [
    ["extract", "u", "--set", "selectors.title=h1", "--set", "selectors.price=.p"],
    { url: "u", selectors: { title: "h1", price: ".p" } },
  ],
  [["extract", "--set", 'urls=["u"]', "--set", "schema={}"], { urls: ["u"], schema: {} }],
  [["extract", "u", "--set", 'selectors={"a":"b"}'], { url: "u", selectors: { a: "b" } }],
  [["qr", "some text", "--set", "size=64"], { data: "some text", size: 64 }],
  [["qr", "--set", 'data="123"'], { data: "123" }],
  [["qr", "--set", "data=a=b"], { data: "a=b" }],
  [["qr", "2"], { data: "2" }],
  [["browser", "2"], { minutes: 2 }],
  [["search", "q"], { query: "q" }],
  [["batch", "a", "b"], { urls: ["a", "b"] }],
  [["batch", "--set", 'urls=["a"]'], { urls: ["a"] }],
  [["resolve", "Will it?", "--set", 'sources=["a"]'], { question: "Will it?", sources: ["a"] }],
  [["session", "--set", "ttl=3600"], { ttl: 3600 }],
  [["health"], {}],
  [["read", "example.com"], { url: "https://example.com" }],
  [["read", "docs.example.com:8443/a?b#c"], { url: "https://docs.example.com:8443/a?b#c" }],
  [["read", "[2001:db8::1]/a"], { url: "https://[2001:db8::1]/a" }],
  [["read", "localhost:8000/a"], { url: "http://localhost:8000/a" }],
  [["read", "127.0.0.1"], { url: "http://127.0.0.1" }],
  [["read", "mailto:a@example.com"], { url: "mailto:a@example.com" }],
  [["batch", "example.com", "http://example.org/"], { urls: ["https://example.com", "http://example.org/"] }],
  [["search", "example.com"], { query: "example.com" }],
  [["qr", "example.com"], { data: "example.com" }],
];

for (const [args, expected] of READ) {
  test(`${args.join(" ")} is parsed`, () => {
    expect(parameters(...args)).toEqual(expected);
  });
}

test("a limit is an amount with or without its token, and an error explains a dollar sign that a shell expanded", () => {
  for (const text of ["0.05", "0.05 USDC", "$0.05"]) {
    const request = parseCall(["read", "a", "--max-price", text, "--max-total", text]);
    expect(request).toMatchObject({ payer: { maxPrice: "$0.05", maxTotal: "$0.05" } });
  }
  for (const eaten of ["", "bash.05", "/bin/sh.05", ".05"]) {
    expect(() => parseCall(["read", "a", "--max-total", eaten])).toThrow("which a shell replaces");
  }
});

test("a key named __proto__ is a normal key", () => {
  const request = parseCall(["qr", "x", "--set", "__proto__.polluted=1"]);
  expect(JSON.stringify(request.parameters)).toBe('{"__proto__":{"polluted":1},"data":"x"}');
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

const SENSELESS: readonly (readonly string[])[] = [
  [],
  ["fly"],
  ["toString"],
  ["read"],
  ["read", "a", "b"],
  ["health", "a"],
  ["browser", "two"],
  ["browser", "-1"],
  ["read", "a", "--set", "novalue"],
  ["read", "a", "--set", "=1"],
  ["read", "a", "--set", "a..b=1"],
  ["read", "a", "--set", "x=1", "--set", "x.y=2"],
  ["read", "a", "--unknown"],
  ["read", "a", "--max-price", "cheap"],
  ["read", "a", "--max-price", "$0.00"],
  ["read", "a", "--max-total", "$007"],
];

for (const args of SENSELESS) {
  test(`"${args.join(" ")}" is refused as usage`, () => {
    expect(() => parseCall(args)).toThrow(UsageError);
  });
}

test("a search with content is the operation that sells it, at its own path", () => {
  const calls = [
    ["search", "q"],
    ["search", "q", "--set", "content=markdown"],
    ["search_content", "q"],
  ];
  const called = calls.map((args) => {
    const { name, operation, parameters: sent } = parseCall(args);
    return [name, operation.path, sent["content"]];
  });
  expect(called).toEqual([
    ["search", undefined, undefined],
    ["search_content", "/search/content", "markdown"],
    ["search_content", "/search/content", "markdown"],
  ]);
});

test("a file that cannot be read is named with the reason in words", async () => {
  const absent = "/nowhere/report.pdf";
  expect(() => parseCall(["parse", absent])).toThrow(`Cannot read the file "${absent}": there is no such file`);
  expect(await bodyOf(`@${absent}`).catch(String)).toEndWith(`-d cannot read "${absent}": there is no such file`);
});
