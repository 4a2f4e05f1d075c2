import { describe, expect, test } from "bun:test";
import { ANYWHERE, PUBLIC_WEB } from "../../egress/guard.ts";
import { isOfSite, isShown, resultUrl, urlKey } from "./result-url.ts";

const BASE = "https://engine.test/html/";

describe("the address of a result", () => {
  const CASES: readonly (readonly [raw: unknown, url: string | undefined])[] = [
    ["https://a.test", "https://a.test/"],
    ["/relative?q=1", "https://engine.test/relative?q=1"],
    ["//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.test%2Fx%3Fy%3D1%26z&rut=ab", "https://a.test/x?y=1&z"],
    ["https://www.google.com/url?q=https://a.test/&sa=U", "https://a.test/"],
    [
      `//duckduckgo.com/l/?uddg=${encodeURIComponent("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa.test%2F")}`,
      "https://a.test/",
    ],
    ["https://a.test/?utm_source=n&id=5&fbclid=x&gclid=y#part", "https://a.test/?id=5#part"],
    ["https://a.test/?q=a%20b+c", "https://a.test/?q=a%20b+c"],
    ["https://user:pass@a.test/", "https://a.test/"],
    ["javascript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["//duckduckgo.com/l/?uddg=file:///etc/passwd", undefined],
    ["ftp://a.test/", undefined],
    ["http://", undefined],
    ["http://[::1", undefined],
    [`https://a.test/${"x".repeat(3000)}`, undefined],
    [undefined, undefined],
    [7, undefined],
  ];
  test.each(CASES)("%j is %j", (raw, url) => {
    expect(resultUrl(raw, BASE)).toBe(url);
  });
});

describe("addresses of the same page", () => {
  const SAME: readonly (readonly [string, string])[] = [
    ["http://a.test/x", "https://a.test/x"],
    ["https://A.TEST/x", "https://a.test/x"],
    ["https://a.test:443/x", "http://a.test:80/x"],
    ["https://a.test/x/", "https://a.test/x"],
    ["https://www.a.test/", "https://a.test"],
    ["https://m.a.test/x", "https://a.test/x"],
    ["https://a.test/x#part", "https://a.test/x"],
    ["https://a.test/x?utm_source=1", "https://a.test/x"],
    ["https://a.test/x?b=2&a=1", "https://a.test/x?a=1&b=2"],
    ["https://a.test/x/amp/", "https://a.test/x"],
    ["https://a.test/x.amp", "https://a.test/x"],
    ["https://a.test/x?amp=1", "https://a.test/x"],
    ["https://a.test/index.html", "https://a.test/"],
    ["https://a.test./x", "https://a.test/x"],
  ];
  test.each(SAME)("%s and %s", (one, other) => {
    expect(urlKey(one)).toBe(urlKey(other));
  });

  const DIFFERENT: readonly (readonly [string, string])[] = [
    ["https://a.test/x", "https://a.test/X"],
    ["https://a.test/x?id=1", "https://a.test/x?id=2"],
    ["https://a.test:8080/", "https://a.test/"],
    ["https://b.a.test/", "https://a.test/"],
    ["https://www.test/", "https://m.test/"],
    ["https://a.test/champ", "https://a.test/ch"],
  ];
  test.each(DIFFERENT)("not %s and %s", (one, other) => {
    expect(urlKey(one)).not.toBe(urlKey(other));
  });
});

describe("a result is never on a private host", () => {
  const PRIVATE = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "127.0.0.1.",
    "１２７.0.0.1",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "172.16.0.1",
    "192.168.1.1",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[fe80::1]",
    "[fd00::1]",
    "[2002:7f00:1::]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "router",
    "printer.local",
    "metadata.google.internal",
    "nas.home.arpa",
    "db.corp",
    "127.0.0.1.nip.io",
  ];
  test.each(PRIVATE)("%s", (host) => {
    const { hostname } = new URL(resultUrl(`http://${host}/`, "https://engine.test/") ?? "");
    expect([isShown(hostname, PUBLIC_WEB), isShown(hostname, ANYWHERE)]).toEqual([false, true]);
  });

  test.each([
    "example.com",
    "local.example.com",
    "internal.io",
    "1.1.1.1",
    "[2606:4700::1111]",
    "xn--e1afmkfd.xn--p1ai",
  ])("but may be on %s", (host) => {
    expect(isShown(host, PUBLIC_WEB)).toBe(true);
  });
});

test("a site has its subdomains, and no host that only ends like it", () => {
  const hosts = ["example.com", "a.example.com", "example.com.", "badexample.com", "example.com.evil.test"];
  expect(hosts.map((host) => isOfSite(host, "example.com"))).toEqual([true, true, true, false, false]);
});
