import { expect, test } from "bun:test";
import fc from "fast-check";
import { normalisePath } from "../../lib/http/url-path.ts";
import { isAmbiguous, readings } from "./readings.ts";
import { RouteTable } from "./table.ts";

const TABLE = RouteTable.of(
  [
    ["/", false],
    ["/free", false],
    ["/paid", true],
    ["/paid/preview", false],
    ["/api/paid", true],
    ["/Docs", false],
    ["/docs", true],
    ["/%C3%89t%C3%A9", true],
    ["/cgi-bin/report.cgi/", true],
    ["/host", true, "shop.test"],
  ].map(([pathPrefix, isGuarded, host]) => ({
    pathPrefix: String(pathPrefix),
    isGuarded: isGuarded === true,
    host: host === undefined ? undefined : String(host),
  })),
);

function evades(path: string, authority = "any.test"): boolean {
  return TABLE.evades(authority, path, TABLE.match(authority, path));
}

const EVADING = [
  "/PAID",
  "/Paid/x",
  "/paid.",
  "/paid..",
  "/paid./x",
  "/paid%20/x",
  "/paid%20.",
  "/paid%09",
  "/pa%0Bid/x",
  "/paid%3Bx=1",
  "/paid%3B/x",
  "/paid%3Fx",
  "/paid%23x",
  "/paid%252Fx",
  "/%2570aid",
  "/%252570aid",
  "/free/..%252Fpaid",
  "/free/%252E%252E/paid",
  "/free/..%255Cpaid",
  "/free/..%253B/paid/x",
  "/free%252F..%252Fpaid%252Fx",
  "/x/%252E%252E/PAID",
  "/PAID/%252E%252E/free",
  "/api;v=1/paid",
  "/api;/paid/x",
  "/API/paid",
  "/api/PAID;x",
  "/paid/preview;x/..%252Fx",
  "/index.php/paid",
  "/a/b/app.php/paid/x",
  "/index.PHP/Paid",
  "/%EF%BC%8Fpaid",
  "/free%EF%BC%8F..%EF%BC%8Fpaid",
  "/%EF%BD%90aid",
  "/pa%E2%80%8Bid",
  "/%C3%A9t%C3%A9",
  "/dOCS",
  "/CGI-BIN/report.cgi/x",
];

const PASSING = [
  "/",
  "/free",
  "/Free/X;y=1",
  "/paid",
  "/paid/X",
  "/paid;x=1",
  "/paid/preview",
  "/paid/preview/X%20y",
  "/paidx",
  "/PAIDX",
  "/prepaid",
  "/free/paid",
  "/FREE/%70aid",
  "/Docs/X",
  "/docs/X",
  "/search/100%25",
  "/cgi-bin/other.cgi/x",
  "/Host",
  "*",
];

for (const path of EVADING) test(`${path} may be read as a guarded path`, () => expect(evades(path)).toBe(true));
for (const path of PASSING) test(`${path} passes no guarded route by`, () => expect(evades(path)).toBe(false));

test("a guarded route with a host guards only that host", () => {
  expect([evades("/Host", "shop.test"), evades("/host;x", "SHOP.test.:80"), evades("/Host", "other.test")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("no spelling of a path chooses between two guarded routes", () => {
  const routes = ["/admin", "/admin/super"].map((pathPrefix) => ({ pathPrefix, host: undefined, isGuarded: true }));
  const table = RouteTable.of(routes);
  const choose = (path: string): boolean => table.evades("h", path, table.match("h", path));
  expect([choose("/admin;x/super"), choose("/admin/SUPER"), choose("/admin/X"), choose("/admin/super;x")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("a prefix with capital letters is also guarded in lower case", () => {
  const table = RouteTable.of([{ pathPrefix: "/API", host: undefined, isGuarded: true }]);
  expect([table.evades("h", "/api", undefined), table.evades("h", "/apis", undefined)]).toEqual([true, false]);
});

test("without a guarded route there is only one reading", () => {
  const table = RouteTable.of([{ pathPrefix: "/a", host: undefined, isGuarded: false }]);
  expect(table.evades("h", "/A;x", undefined)).toBe(false);
});

test("an unambiguous path has one reading, the path itself", () => {
  const char = fc.constantFrom("/", ".", "%", "2", "5", "3", "b", "A", "a", ";", "~", "-", "p", "h");
  fc.assert(
    fc.property(fc.string({ unit: char, maxLength: 16 }), (text) => {
      const path = normalisePath(`/${text}`);
      if (path === undefined || isAmbiguous(path)) return;
      expect([...readings(path)]).toEqual([path]);
    }),
  );
});

test("the number of readings of the longest path is limited by its length", () => {
  const steps = ["/%2525252e", "/a;", "/.x.", "/....x", "/a.php", "%EF%BC%8F", "/A%20. "];
  for (const step of steps) {
    const path = `/${step.repeat(Math.ceil(65_536 / step.length))}`;
    const all = readings(path);
    expect(all.size).toBeLessThanOrEqual(16);
    for (const reading of all) expect(reading.length).toBeLessThanOrEqual(path.length);
  }
});
