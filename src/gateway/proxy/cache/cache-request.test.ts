import { expect, test } from "bun:test";
import { CacheRequest } from "./cache-request.ts";

const ALL =
  "Host: a.test\r\nAccept: */*\r\nACCEPT-ENCODING: br\r\nCache-Control: max-age=5\r\nAuthorization: Basic x\r\n" +
  'If-None-Match: "a"\r\nif-modified-since: Mon\r\nIf-Match: "b"\r\nIf-Unmodified-Since: Tue\r\nIf-Range: "c"\r\n' +
  "Range: bytes=0-1\r\nPragma: no-cache\r\n";

test("each field of a request that a cache uses is read, in any case of letters", () => {
  const { control, acceptEncoding, hasAuthorization, conditions } = new CacheRequest(ALL);
  expect([control.maxAge, control.noCache, acceptEncoding, hasAuthorization]).toEqual([5, false, "br", true]);
  expect(conditions).toEqual({
    ifMatch: '"b"',
    ifNoneMatch: '"a"',
    ifModifiedSince: "Mon",
    ifUnmodifiedSince: "Tue",
    ifRange: '"c"',
    range: "bytes=0-1",
    acceptEncoding: "br",
  });
});

test("a request without these fields has no directives, whatever its other fields are", () => {
  const { control, acceptEncoding, hasAuthorization, conditions } = new CacheRequest(
    "Host: a.test\r\nReferer: x\r\nCookies: y\r\nAccept-Languag: de\r\nX-Range: bytes=0-1\r\nPriority: u=1\r\n",
  );
  expect([control.maxAge, control.noCache, acceptEncoding, hasAuthorization]).toEqual([undefined, false, "", false]);
  expect(conditions).toEqual({ acceptEncoding: "" });
  expect(new CacheRequest("Host: a.test\r\n", true).hasAuthorization).toBe(true);
});

test("lists in several lines are joined, and the last date counts", () => {
  const fields =
    'Cache-Control: max-age=5\r\nCache-Control: no-store\r\nIf-None-Match: "a"\r\nIf-None-Match: "b"\r\nIf-Match: "c"\r\n' +
    'If-Match: "d"\r\nRange: bytes=0-1\r\nRange: bytes=2-3\r\nAccept-Encoding: gzip\r\nAccept-Encoding: br\r\n' +
    "If-Modified-Since: Mon\r\nIf-Modified-Since: Tue\r\n";
  const { control, acceptEncoding, conditions } = new CacheRequest(fields);
  expect([control.maxAge, control.noStore, acceptEncoding]).toEqual([5, true, "br,gzip"]);
  expect(conditions).toMatchObject({
    ifMatch: '"c", "d"',
    ifNoneMatch: '"a", "b"',
    range: "bytes=0-1, bytes=2-3",
    ifModifiedSince: "Tue",
  });
});

test.each([
  ["no-cache", true],
  ["No-Cache", true],
  ["a, no-cache", true],
  ["no-cache ,a", true],
  ["x-no-cache", false],
  ["no-cache=1", false],
])("Pragma: %s counts as no-cache if there is no Cache-Control: %p", (pragma, noCache) => {
  expect(new CacheRequest(`Pragma: ${pragma}\r\n`).control.noCache).toBe(noCache);
  expect(new CacheRequest(`Pragma: x\r\nPragma: ${pragma}\r\n`).control.noCache).toBe(noCache);
  expect(new CacheRequest(`Pragma: ${pragma}\r\nCache-Control: max-age=1\r\n`).control.noCache).toBe(false);
});
