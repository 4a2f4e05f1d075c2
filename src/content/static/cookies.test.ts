import { describe, expect, test } from "bun:test";
import { CookieJar } from "./cookies.ts";

const NOW = Date.UTC(2026, 10, 21);

/** The Cookie field of a request to `to` after a response from `from` set these cookies. */
function sent(from: string, setCookies: readonly string[], to = from): string {
  const jar = new CookieJar();
  jar.store(new URL(from), setCookies, NOW);
  return jar.header(new URL(to), NOW);
}

const FROM = "https://www.shop.test/a/b";

describe("a cookie", () => {
  test.each([
    ["a=1", FROM, "a=1"],
    ["a=1", "https://www.shop.test/a/", "a=1"],
    ["a=1", "https://www.shop.test/", ""],
    ["a=1", "https://www.shop.test/ab", ""],
    ["a=1; Path=/", "https://www.shop.test/x", "a=1"],
    ["a=1; Path=/x", "https://www.shop.test/x/y", "a=1"],
    ["a=1; Path=/x", "https://www.shop.test/xy", ""],
    ["a=1; Path=relative", "https://www.shop.test/a/c", "a=1"],
    ["a=1; Path=/", "https://shop.test/", ""],
    ["a=1; Path=/", "https://other.www.shop.test/", ""],
    ["a=1; Path=/; Domain=www.shop.test", "https://www.shop.test/", "a=1"],
    ["a=1; Path=/; Domain=www.shop.test", "https://x.www.shop.test/", "a=1"],
    ["a=1; Path=/; Domain=.SHOP.test", "https://shop.test/", "a=1"],
    ["a=1; Path=/; Domain=shop.test", "https://my.shop.test/", "a=1"],
    ["a=1; Path=/; Domain=shop.test", "https://myshop.test/", ""],
    ["a=1; Path=/; Domain=other.test", FROM, ""],
    ["a=1; Path=/; Domain=test", FROM, ""],
    ["a=1; Path=/; Domain=x.www.shop.test", FROM, ""],
    ["a=1; Path=/; Secure", "http://www.shop.test/", ""],
    ["a=1; Path=/; Secure", FROM, "a=1"],
    ["__Host-a=1; Path=/; Secure", FROM, "__Host-a=1"],
    ["__Host-a=1; Path=/; Secure; Domain=www.shop.test", FROM, ""],
    ["__Secure-a=1; Path=/", FROM, ""],
    ["a=1; Max-Age=0", FROM, ""],
    ["a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT", FROM, "a=1"],
    ["a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", FROM, ""],
    ["a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT", FROM, "a=1"],
    ["a=b=c; HttpOnly; SameSite=Lax", FROM, "a=b=c"],
    ["alone", FROM, "alone"],
    ["=", FROM, ""],
    ["a=1\r\nX: y", FROM, ""],
    [`a=${"x".repeat(5000)}`, FROM, ""],
  ])("%.60j goes to %s as %j", (setCookie, to, expected) => {
    expect(sent(FROM, [setCookie], to)).toBe(expected);
  });

  test("is not set for a country's whole suffix, nor for other addresses", () => {
    expect(sent("https://a.co.uk/", ["a=1; Domain=co.uk"])).toBe("");
    expect(sent("https://www.bbc.co.uk/", ["a=1; Domain=bbc.co.uk"], "https://news.bbc.co.uk/")).toBe("a=1");
    expect(sent("http://127.0.0.1/", ["a=1; Domain=127.0.0.1"])).toBe("a=1");
    expect(sent("http://127.0.0.1/", ["a=1; Domain=0.0.1"])).toBe("");
  });

  test("with Secure is rejected from a server without TLS", () => {
    expect(sent("http://shop.test/", ["a=1; Secure"], "https://shop.test/")).toBe("");
  });

  test("replaces one with its name, and longer paths come first", () => {
    expect(sent(FROM, ["a=1; Path=/", "b=2; Path=/a", "a=3; Path=/", "c=4; Path=/a/b"])).toBe("c=4; b=2; a=3");
    expect(sent(FROM, ["a=1", "a=; Max-Age=0"])).toBe("");
  });

  test("is one of a hundred at most", () => {
    const many = Array.from({ length: 1000 }, (_, n) => `n${n}=${n}`);
    const names = sent(FROM, many).split("; ");
    expect([names.length, names[0], names.at(-1)]).toEqual([100, "n900=900", "n999=999"]);
  });
});
