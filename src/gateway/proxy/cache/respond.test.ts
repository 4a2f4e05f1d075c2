import { describe, expect, test } from "bun:test";
import { httpDate } from "../../../lib/http/http-date.ts";
import { type RequestConditions } from "../../../lib/http/request-conditions.ts";
import { isUnchanged, rangeOfPart, unchanged } from "./respond.ts";
import { StoredResponse } from "./stored-response.ts";

const NOW = Date.parse("2026-06-15T12:00:00Z");
const at = (seconds: number): string => httpDate(NOW + seconds * 1000);

describe("the client has the response already", () => {
  test.each<[boolean, RequestConditions, string | undefined, number | undefined]>([
    [false, {}, '"a"', NOW],
    [true, { ifNoneMatch: "*" }, undefined, undefined],
    [true, { ifNoneMatch: '"a"' }, '"a"', undefined],
    [true, { ifNoneMatch: '"b", W/"a"' }, '"a"', undefined],
    [true, { ifNoneMatch: '"a"' }, 'W/"a"', undefined],
    [false, { ifNoneMatch: '"b"' }, '"a"', undefined],
    [false, { ifNoneMatch: '"b"' }, undefined, undefined],
    [false, { ifNoneMatch: '"b"', ifModifiedSince: at(0) }, '"a"', NOW],
    [true, { ifModifiedSince: at(0) }, undefined, NOW],
    [true, { ifModifiedSince: at(1) }, undefined, NOW],
    [false, { ifModifiedSince: at(-1) }, undefined, NOW],
    [false, { ifModifiedSince: at(0) }, undefined, undefined],
    [false, { ifModifiedSince: "yesterday" }, undefined, NOW],
  ])("%p for %j", (expected, conditions, etag, modifiedAt) => {
    expect(isUnchanged(conditions, etag, modifiedAt)).toBe(expected);
  });

  test("a 304 has no fields about a body", () => {
    const about = "Content-Type: a\r\nContent-Encoding: b\r\nContent-Language: c\r\nContent-Range: d\r\n";
    expect(unchanged(`ETag: "a"\r\n${about}Content-Location: /x\r\n`)).toEqual({
      status: 304,
      reason: "",
      fields: 'ETag: "a"\r\nContent-Location: /x\r\n',
      bodyLength: -1,
    });
  });
});

describe("a stored part has a requested range", () => {
  function partOf(etag: string): StoredResponse {
    const fields = `ETag: ${etag}\r\nLast-Modified: ${at(0)}\r\n`;
    const head = { status: 206, reason: "", fields, askedAt: NOW, receivedAt: NOW, date: NOW };
    const part = { first: 10, size: 100 };
    return new StoredResponse({ uri: "a", variant: "", part }, head, new Uint8Array(20), { ttl: 60, targets: [] });
  }
  const PART = partOf('"a"');

  test.each<[RequestConditions, { from: number; to: number } | undefined]>([
    [{ range: "bytes=10-29" }, { from: 10, to: 30 }],
    [{ range: "bytes=15-20" }, { from: 15, to: 21 }],
    [{ range: "bytes=9-29" }, undefined],
    [{ range: "bytes=10-30" }, undefined],
    [{ range: "bytes=-70" }, undefined],
    [{ range: "bytes=10-11,13-14" }, undefined],
    [{ range: "bytes=200-" }, undefined],
    [{ range: "items=1" }, undefined],
    [{}, undefined],
    [
      { range: "bytes=10-29", ifRange: '"a"' },
      { from: 10, to: 30 },
    ],
    [
      { range: "bytes=10-29", ifRange: at(0) },
      { from: 10, to: 30 },
    ],
    [{ range: "bytes=10-29", ifRange: '"b"' }, undefined],
    [{ range: "bytes=10-29", ifRange: at(1) }, undefined],
  ])("%j: %j", (conditions, range) => {
    expect(rangeOfPart(PART, conditions)).toEqual(range as typeof range & object);
  });

  test("a weak entity tag does not identify its bytes, and a whole response is not a part", () => {
    expect(rangeOfPart(partOf('W/"a"'), { range: "bytes=10-29", ifRange: 'W/"a"' })).toBeUndefined();
    const head = { status: 200, reason: "", fields: "", askedAt: NOW, receivedAt: NOW, date: NOW };
    const whole = new StoredResponse({ uri: "a", variant: "" }, head, new Uint8Array(20), { ttl: 60, targets: [] });
    expect(rangeOfPart(whole, { range: "bytes=10-19" })).toBeUndefined();
  });
});

function stored(fields: string, askedAt = NOW, ttl = 60): StoredResponse {
  const head = { status: 200, reason: "", fields, askedAt, receivedAt: NOW, date: NOW };
  return new StoredResponse({ uri: "ab", variant: "c" }, head, new Uint8Array(5), { ttl, targets: [] });
}

describe("a stored response", () => {
  test("takes memory for its texts, its body and 512 bytes more", () => {
    expect(stored("A: b\r\n").bytes).toBe(512 + 2 * 3 + 6 + 5);
  });

  test("has its age and its remaining time in its fields, with the second", () => {
    const response = stored("A: b\r\n", NOW - 2000);
    expect(response.age(NOW)).toBe(2);
    expect(response.freshFor(NOW + 60_000)).toBe(-2);
    expect(response.agedFields(NOW)).toBe("A: b\r\nAge: 2\r\nCache-Status: Turnpike; hit; ttl=58\r\n");
    expect(response.agedFields(NOW + 999)).toBe(response.agedFields(NOW));
    expect(response.agedFields(NOW + 1000)).toContain("Age: 3\r\nCache-Status: Turnpike; hit; ttl=57\r\n");
  });

  test("has one Age, and its date of change, or else that of the response", () => {
    expect(stored("Age: 7\r\nA: b\r\n").agedFields(NOW)).toStartWith("A: b\r\nAge: 7\r\n");
    expect(stored(`Date: ${at(1)}\r\nLast-Modified: ${at(-9)}\r\n`).modifiedAt).toBe(NOW - 9000);
    expect(stored(`Date: ${at(-1)}\r\n`).modifiedAt).toBe(NOW - 1000);
    expect(stored("").modifiedAt).toBeUndefined();
    expect(stored("Last-Modified: x\r\n").modifiedAt).toBeUndefined();
  });

  test("keeps the fields of its bytes when it is validated, and takes the others", () => {
    const response = stored('Content-Length: 5\r\nETag: "a"\r\nA: 1\r\nB: 1\r\n');
    const fields = 'content-length: 9\r\nETag: "b"\r\nContent-Encoding: br\r\na: 2\r\nCache-Control: max-age=9\r\n';
    response.agedFields(NOW);
    response.freshen(
      { status: 304, reason: "x", fields, askedAt: NOW, receivedAt: NOW, date: NOW },
      { ttl: 60, targets: [] },
    );
    expect(response.fields).toBe('Content-Length: 5\r\nETag: "a"\r\nB: 1\r\na: 2\r\nCache-Control: max-age=9\r\n');
    expect([response.status, response.freshFor(NOW), response.etag]).toEqual([200, 9, '"a"']);
    expect(response.agedFields(NOW)).toContain("ttl=9");
  });
});
