/** RFC 9213: `CDN-Cache-Control` takes precedence over `Cache-Control` and `Expires`. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { valuesOf } from "../support/message.ts";
import { CacheBed, cacheStatus } from "./testing/cache-bed.ts";

let bed: CacheBed;
let chosen: CacheBed;

beforeAll(async () => {
  bed = await CacheBed.start({ ttl_s: 0 });
  chosen = await CacheBed.start({ ttl_s: 0, targeted_fields: ["Edge-Cache-Control", "Our-Cache-Control"] });
});

afterAll(() => Promise.all([bed.stop(), chosen.stop()]));

afterEach(() => {
  bed.reset();
  chosen.reset();
});

/** Whether the second of two requests gets its response from the cache. */
async function isKept(fields: string, at = bed): Promise<boolean> {
  const path = at.newPath();
  at.responses(fields);
  await at.ask(path);
  return cacheStatus(await at.ask(path)).startsWith("Turnpike; hit");
}

test.each<[string, boolean]>([
  ["CDN-Cache-Control: max-age=60\r\nCache-Control: no-store\r\n", true],
  ["CDN-Cache-Control: max-age=60\r\nCache-Control: private, max-age=0, must-revalidate\r\n", true],
  ["CDN-Cache-Control: max-age=60\r\nExpires: Thu, 01 Jan 1970 00:00:00 GMT\r\n", true],
  ["CDN-Cache-Control: no-store\r\nCache-Control: max-age=60\r\n", false],
  ["CDN-Cache-Control: private\r\nCache-Control: public, max-age=60\r\n", false],
  ["CDN-Cache-Control: no-cache\r\nCache-Control: max-age=60\r\n", false],
  ["CDN-Cache-Control: max-age=0\r\nCache-Control: max-age=60\r\n", false],
  ["CDN-Cache-Control: must-revalidate\r\nExpires: Thu, 01 Jan 2099 00:00:00 GMT\r\n", false],
  ["CDN-Cache-Control: max-age=60, &\r\nCache-Control: no-store\r\n", false],
  ["CDN-Cache-Control: no-store, &\r\nCache-Control: max-age=60\r\n", true],
  ["CDN-Cache-Control: \r\nCache-Control: max-age=60\r\n", true],
  ["Edge-Cache-Control: no-store\r\nCache-Control: max-age=60\r\n", true],
])("with %p the response is kept: %p", async (fields, kept) => {
  expect(await isKept(fields)).toBe(kept);
});

test("the configured fields apply in their order, and CDN-Cache-Control is ignored if it is not among them", async () => {
  expect(await isKept("Our-Cache-Control: max-age=60\r\nEdge-Cache-Control: no-store\r\n", chosen)).toBe(false);
  expect(await isKept("Our-Cache-Control: no-store\r\nEdge-Cache-Control: max-age=60\r\n", chosen)).toBe(true);
  expect(await isKept("Our-Cache-Control: max-age=60\r\nEdge-Cache-Control: ,\r\n", chosen)).toBe(true);
  expect(await isKept("CDN-Cache-Control: max-age=60\r\nCache-Control: no-store\r\n", chosen)).toBe(false);
});

test("targeted fields reach the client, from the origin and from the cache", async () => {
  const path = bed.newPath();
  bed.responses("CDN-Cache-Control: max-age=60\r\nEdge-Cache-Control: a\r\nCache-Control: max-age=1\r\n");
  for (const message of [await bed.ask(path), await bed.ask(path)]) {
    expect([valuesOf(message, "cdn-cache-control"), valuesOf(message, "edge-cache-control")]).toEqual([
      ["max-age=60"],
      ["a"],
    ]);
  }
  expect(bed.origin.requests).toHaveLength(1);
});

test("a 304 updates the targeted field", async () => {
  const path = bed.newPath();
  bed.origin.response = (request, connection) => {
    const isAsked = request.fields.some(([name]) => name.toLowerCase() === "if-none-match");
    const control = isAsked ? "max-age=60" : "max-age=0";
    const status = isAsked ? "304 Not Modified" : "200 OK";
    const body = isAsked ? "" : "body";
    const length = isAsked ? "" : `Content-Length: ${body.length}\r\n`;
    connection.send(`HTTP/1.1 ${status}\r\nETag: "a"\r\nCDN-Cache-Control: ${control}\r\n${length}\r\n${body}`);
  };
  await bed.ask(path);
  expect(cacheStatus(await bed.ask(path))).toContain("fwd=stale; fwd-status=304");
  expect(cacheStatus(await bed.ask(path))).toContain("hit");
  expect(bed.origin.requests).toHaveLength(2);
});
