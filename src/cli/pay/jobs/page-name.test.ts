import { expect, test } from "bun:test";
import { pageNames } from "./page-name.ts";

test.each([
  ["https://example.com/", "example.com"],
  ["https://example.com/guide/tides/", "example.com_guide_tides"],
  ["https://example.com:8443/a?b=1&c=2", "example.com-8443_a-b-1-c-2"],
  ["https://example.com/%E6%BD%AE", "example.com_潮"],
  ["https://example.com/..%2f..%2f..%2fetc%2fpasswd", "example.com_.._.._.._etc_passwd"],
  ["https://example.com/a%00b%0ac%5cd", "example.com_a-b-c-d"],
  ["https://example.com/%ff", "example.com_-ff"],
  ["https://example.com/a...", "example.com_a"],
  ["nonsense", "page"],
])("the name of %s is %s", (url, name) => {
  expect(pageNames(url)[0]).toBe(name);
});

test("a long name is cut and has a hash, so that it stays unique", () => {
  const [a, b] = ["潮", "汐"].map((end) => pageNames(`https://example.com/${"潮".repeat(300)}${end}`)[0]);
  expect(a).not.toBe(b);
  expect(Buffer.byteLength(a ?? "")).toBeLessThan(200);
  expect(a).toMatch(/^example\.com_潮+-[0-9a-f]{12}$/);
});

test("the second name of a page differs from that of every other page", () => {
  const [, one] = pageNames("https://example.com/a/b");
  const [, other] = pageNames("https://example.com/a_b");
  expect([one === other, one.slice(0, -13)]).toEqual([false, "example.com_a_b"]);
});
