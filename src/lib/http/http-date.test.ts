import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { dateLine, httpDate, parseHttpDate } from "./http-date.ts";

const AT = Date.UTC(1994, 10, 6, 8, 49, 37);

test("the three forms of RFC 9110 §5.6.7 name the same moment", () => {
  const now = Date.UTC(2026, 0, 1);
  for (const text of [
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
    "Sun Nov 06 08:49:37 1994",
  ]) {
    expect([text, parseHttpDate(text, now)]).toEqual([text, AT]);
  }
});

test("letters of any case name the same moment (RFC 9111 §4.2)", () => {
  const now = Date.UTC(2026, 0, 1);
  for (const text of [
    "SUN, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 NOV 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 gMt",
    "sunday, 06-nov-94 08:49:37 gmt",
    "sUN nOV  6 08:49:37 1994",
  ]) {
    expect([text, parseHttpDate(text, now)]).toEqual([text, AT]);
  }
});

test("a two-digit year is at most 50 years ahead", () => {
  const now = Date.UTC(2026, 0, 1);
  expect(parseHttpDate("Friday, 01-Jan-76 00:00:00 GMT", now)).toBe(Date.UTC(2076, 0, 1));
  expect(parseHttpDate("Friday, 01-Jan-77 00:00:00 GMT", now)).toBe(Date.UTC(1977, 0, 1));
});

test("a text that is not an HTTP-date is rejected", () => {
  for (const text of [
    "",
    "0",
    "now",
    "1994-11-06T08:49:37Z",
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:49:37 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Nov 1994 08:49:37 GmT+1",
    " Sun, 06 Nov 1994 08:49:37 GMT",
  ]) {
    expect([text, parseHttpDate(text)]).toEqual([text, undefined]);
  }
});

test("every whole second is read back from its text", () => {
  const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
  fc.assert(fc.property(seconds, (second) => parseHttpDate(httpDate(second * 1000)) === second * 1000));
});

test("the Date line has the current second", () => {
  const before = Math.floor(Date.now() / 1000) * 1000;
  const at = parseHttpDate(dateLine().slice("Date: ".length, -2)) ?? 0;
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(Date.now());
});
