import { describe, expect, test } from "bun:test";
import { httpDate } from "../../../lib/http/http-date.ts";
import { fieldValue } from "../../../lib/http/fields.ts";
import { parseCacheControl } from "./cache-control.ts";
import { initialAge, isOfUse, isStorable, lifetimeOf, type ResponseFacts } from "./freshness.ts";

const NOW = 1_800_000_000_000;
const DATE = `Date: ${httpDate(NOW)}\r\n`;
const KEY = ["accept-encoding", "accept-language"];

function facts(fields: string, status = 200): ResponseFacts {
  return { status, fields, control: parseCacheControl(fieldValue(fields, "cache-control") ?? ""), date: NOW };
}

function at(seconds: number): string {
  return httpDate(NOW + seconds * 1000);
}

describe("freshness lifetime (RFC 9111 §4.2.1, §4.2.2)", () => {
  test.each<[string, string, number, number]>([
    ["s-maxage counts before max-age", "Cache-Control: max-age=10, s-maxage=20\r\n", 60, 20],
    ["max-age counts before Expires", `Cache-Control: max-age=10\r\nExpires: ${at(99)}\r\n${DATE}`, 60, 10],
    ["Expires counts from Date", `Expires: ${at(30)}\r\nDate: ${at(10)}\r\n`, 60, 20],
    ["Expires that has passed is stale", `Expires: ${at(-30)}\r\n${DATE}`, 60, 0],
    ["an Expires that is not a date has passed", `Expires: 0\r\n${DATE}`, 60, 0],
    ["an invalid Date is replaced by the time of receipt", `Expires: ${at(30)}\r\nDate: x\r\n`, 60, 30],
    ["ttl_s without an explicit lifetime", DATE, 60, 60],
    ["a tenth of the time since the last change if ttl_s is 0", `Last-Modified: ${at(-1000)}\r\n${DATE}`, 0, 100],
    ["nothing where ttl_s is 0 and nothing is known", DATE, 0, 0],
  ])("%s", (_, fields, ttl, expected) => {
    expect(lifetimeOf(facts(fields), ttl)).toBe(expected);
  });

  test("a status that is not cacheable by default gets no ttl, unless the response is public", () => {
    expect(lifetimeOf(facts(DATE, 302), 60)).toBe(0);
    expect(lifetimeOf(facts(`Cache-Control: public\r\n${DATE}`, 302), 60)).toBe(60);
    expect(lifetimeOf(facts(DATE, 404), 60)).toBe(60);
  });
});

describe("age (RFC 9111 §4.2.3, §5.1)", () => {
  test.each<[string, string, number]>([
    ["nothing", DATE, 2],
    ["an Age, and the time on the way", `Age: 30\r\n${DATE}`, 32],
    ["the first of a list", `Age: 30, 5\r\n${DATE}`, 32],
    ["the first of several lines", `Age: 30\r\nAge: 5\r\n${DATE}`, 32],
    ["one that is not a number", `Age: a\r\n${DATE}`, 2],
    ["a negative one", `Age: -7\r\n${DATE}`, 2],
    ["a Date that lies back", `Date: ${at(-100)}\r\n`, 102],
    ["a Date that is yet to come", `Date: ${at(100)}\r\n`, 2],
  ])("%s", (_, fields, expected) => {
    expect(initialAge(fields, 2000, NOW + 2000)).toBe(expected);
  });
});

describe("storable responses (RFC 9111 §3, §3.5, §4.1)", () => {
  const plain = { hasAuthorization: false, control: parseCacheControl("") };
  const FRESH = `Cache-Control: max-age=60\r\n${DATE}`;
  test.each<[string, string, number, boolean]>([
    ["fresh by its own words", FRESH, 200, true],
    ["silent, of a status that is kept unasked", DATE, 200, true],
    ["silent, of another status", DATE, 302, false],
    ["of another status, fresh by its own words", FRESH, 302, true],
    ["an error, fresh by its own words", FRESH, 503, true],
    ["a part", FRESH, 206, false],
    ["no-store", "Cache-Control: max-age=60, No-Store\r\n", 200, false],
    ["no-cache", "Cache-Control: max-age=60, no-cache\r\n", 200, false],
    ["private", "Cache-Control: max-age=60, PRIVATE\r\n", 200, false],
    ["private for a field", 'Cache-Control: max-age=60, private="x"\r\n', 200, false],
    ["malformed directives", "Cache-Control: max-age=60, s-maxage=x\r\n", 200, false],
    ["must-understand of what is understood", "Cache-Control: max-age=60, no-store, must-understand\r\n", 200, true],
    ["must-understand of what is not", "Cache-Control: max-age=60, no-store, must-understand\r\n", 299, false],
    ["Vary on what is in the key", `${FRESH}Vary: Accept-Encoding, ACCEPT-LANGUAGE\r\n`, 200, true],
    ["Vary on something else", `${FRESH}Vary: Accept-Encoding, X-A\r\n`, 200, false],
    ["Vary on everything", `${FRESH}Vary: *\r\n`, 200, false],
    ["Vary on everything among others", `${FRESH}Vary: Accept-Encoding\r\nVary: *\r\n`, 200, false],
    ["Set-Cookie", `${FRESH}Set-Cookie: a=b\r\n`, 200, false],
    ["a later charge", `${FRESH}Settlement-Deferral: {"path":"/charges/1"}\r\n`, 200, false],
    ["Set-Cookie in what is public", "Cache-Control: public, max-age=60\r\nSet-Cookie: a=b\r\n", 200, true],
  ])("%s", (_, fields, status, expected) => {
    expect(isStorable(facts(fields, status), plain, KEY)).toBe(expected);
  });

  test.each<[string, string, boolean]>([
    ["no word", "max-age=60", false],
    ["public", "public, max-age=60", true],
    ["s-maxage", "s-maxage=60", true],
    ["must-revalidate", "max-age=60, must-revalidate", true],
  ])("the response to a request with Authorization and %s", (_, control, expected) => {
    const request = { ...plain, hasAuthorization: true };
    expect(isStorable(facts(`Cache-Control: ${control}\r\n${DATE}`), request, KEY)).toBe(expected);
  });

  test("of all statuses, those of RFC 9110 §15.1 are kept unasked, and must-understand allows those that are implemented", () => {
    const statuses = Array.from({ length: 400 }, (_, i) => 200 + i);
    const storable = (fields: string): string =>
      statuses.filter((status) => isStorable(facts(fields, status), plain, KEY)).join(" ");
    expect(storable(DATE)).toBe("200 203 204 300 301 308 404 405 410 414 501");
    expect(storable("Cache-Control: max-age=60, no-store, must-understand\r\n")).toBe(
      "200 203 204 300 301 302 303 307 308 400 401 403 404 405 410 414 421 429 451 500 501 502 503 504",
    );
  });

  test("no response to a request with no-store", () => {
    expect(isStorable(facts(FRESH), { ...plain, control: parseCacheControl("no-store") }, KEY)).toBe(false);
  });
});

describe("the status of a response", () => {
  const request = { hasAuthorization: false, control: parseCacheControl("") };
  const statuses = Array.from({ length: 500 }, (_, n) => n + 100);
  const storable = (fields: string): number[] =>
    statuses.filter((status) => isStorable(facts(fields, status), request, KEY));

  test("is cacheable by default if RFC 9110 says so (§15.1), except for parts", () => {
    expect(storable(DATE)).toEqual([200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]);
  });

  test("is cacheable with an explicit lifetime if it is final, and neither a part nor a 304", () => {
    expect(storable("Cache-Control: max-age=9\r\n")).toEqual(
      statuses.filter((status) => status >= 200 && status !== 206 && status !== 304),
    );
  });

  test("is cacheable with must-understand if its rules are implemented", () => {
    expect(storable("Cache-Control: max-age=9, must-understand, no-store\r\n")).toEqual([
      200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 410, 414, 421, 429, 451, 500, 501, 502, 503,
      504,
    ]);
  });
});

test.each([
  ["", 0, false],
  ["", 1, true],
  ["Cache-Control: max-age=0\r\n", 60, false],
  ["Cache-Control: max-age=0, stale-while-revalidate=1\r\n", 0, true],
  ["Cache-Control: max-age=0, stale-if-error=1\r\n", 0, true],
  ['Cache-Control: max-age=0\r\nETag: "a"\r\n', 0, true],
  [`Cache-Control: max-age=0\r\nlast-modified: ${at(0)}\r\n`, 0, true],
  ["Cache-Control: max-age=0\r\nX-ETag: 1\r\n", 0, false],
])("a copy of a response with %j and a ttl of %d is of use: %p", (fields, ttl, isUseful) => {
  expect(isOfUse(facts(fields), ttl)).toBe(isUseful);
});
