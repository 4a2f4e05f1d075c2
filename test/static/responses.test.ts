/** Responses with static files: heads, ranges, conditions, encodings. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { statSync, utimesSync } from "node:fs";
import { type Message, statusOf, valuesOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { pattern, Site } from "./site.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

const TEXT = "0123456789abcdefghij";
const MODIFIED = "Thu, 01 Jan 2026 12:00:00 GMT";
const EARLIER = "Thu, 01 Jan 2026 11:59:59 GMT";

let site: Site;
let etag: string;

function value(message: Message, name: string): string {
  return valuesOf(message, name).join(" | ");
}

/** The fields that are the same for each request. */
function comparable({ fields }: Message): unknown {
  return fields.filter(([name]) => name !== "Date" && name !== "X-Request-Id");
}

beforeAll(async () => {
  site = new Site();
  const text = site.write("text.txt", TEXT);
  utimesSync(text, new Date(MODIFIED), new Date(MODIFIED));
  site.write("empty.txt", "");
  site.write("index.html", "<p>home</p>");
  site.write("folder/index.html", "<p>folder</p>");
  site.write("bare/file.unknown", "x");
  site.write("name with space é%.txt", "named");
  site.write("large.bin", pattern(300_000));
  site.write("app.js", "plain script");
  site.write("app.js.gz", "gzipped");
  site.write("app.js.br", "brotlied");
  site.write("app.js.zst", "zstandard");
  site.write("half.css", "plain style");
  site.write("half.css.gz", "gzipped style");
  await site.start();
  etag = value(await site.ask("/text.txt"), "etag");
});
afterAll(async () => await site.stop());

describe("a whole file", () => {
  test("has its type, length and validators", async () => {
    const response = await site.ask("/text.txt");
    expect([statusOf(response), response.body]).toEqual([200, TEXT]);
    expect(value(response, "content-type")).toBe("text/plain; charset=utf-8");
    expect(value(response, "content-length")).toBe("20");
    expect(value(response, "last-modified")).toBe(MODIFIED);
    expect(value(response, "accept-ranges")).toBe("bytes");
    expect(value(response, "etag")).toMatch(/^"[a-z0-9]+-[a-z0-9]+"$/);
    expect(valuesOf(response, "vary")).toEqual([]);
    expect(valuesOf(response, "date")).toHaveLength(1);
    expect(valuesOf(response, "x-request-id")).toHaveLength(1);
  });

  test("that is large arrives byte for byte", async () => {
    const response = await site.ask("/large.bin");
    expect(value(response, "content-type")).toBe("application/octet-stream");
    expect(Buffer.from(response.body, "latin1").equals(pattern(300_000))).toBe(true);
  });

  test.each([
    ["/", 200, "<p>home</p>"],
    ["/?query", 200, "<p>home</p>"],
    ["/folder/", 200, "<p>folder</p>"],
    ["/empty.txt", 200, ""],
    ["/bare/file.unknown", 200, "x"],
    ["/bare/../text.txt", 200, TEXT],
    ["/name%20with%20space%20%C3%A9%25.txt", 200, "named"],
    ["/%74ext.txt", 200, TEXT],
  ])("%s is %d %s", async (path, status, body) => {
    const response = await site.ask(path);
    expect([statusOf(response), response.body]).toEqual([status, body]);
  });

  test.each(["/bare/", "/absent", "/absent/", "/text.txt/", "/text.txt/x", "/%FF", "/TEXT.txt", "/text.txt%20"])(
    "%s is not there",
    async (path) => {
      const response = await site.ask(path);
      expect([statusOf(response), value(response, "content-type")]).toEqual([404, "application/problem+json"]);
      expect(response.body).not.toContain(site.folder);
    },
  );

  test("HEAD has all fields of GET, without the body", async () => {
    for (const path of ["/text.txt", "/large.bin", "/app.js", "/empty.txt"]) {
      const [head, get] = [await site.ask(path, "", "HEAD"), await site.ask(path)];
      expect([statusOf(head), head.body, comparable(head)]).toEqual([200, "", comparable(get)]);
    }
  });

  test("other methods get 405, and OPTIONS lists the allowed ones", async () => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "PROPFIND"]) {
      const response = await site.ask("/text.txt", "", method);
      expect([method, statusOf(response), value(response, "allow")]).toEqual([method, 405, "GET, HEAD, OPTIONS"]);
    }
    const options = await site.ask("/text.txt", "", "OPTIONS");
    expect([statusOf(options), value(options, "allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  });

  test("a folder without its slash is redirected", async () => {
    for (const [path, location] of [
      ["/folder", "/folder/"],
      ["/folder?a=b", "/folder/?a=b"],
      ["//folder", "/folder/"],
      ["/bare", "/bare/"],
    ] as const) {
      const response = await site.ask(path);
      expect([path, statusOf(response), value(response, "location")]).toEqual([path, 301, location]);
    }
  });
});

describe("ranges", () => {
  test.each([
    ["bytes=0-0", "0", "0-0"],
    ["bytes=5-9", "56789", "5-9"],
    ["bytes=15-", "fghij", "15-19"],
    ["bytes=-3", "hij", "17-19"],
    ["bytes=-300", TEXT, "0-19"],
    ["bytes=18-300", "ij", "18-19"],
    ["bytes=30-40, 2-3", "23", "2-3"],
  ])("%s is %s", async (range, body, sent) => {
    const response = await site.ask("/text.txt", `Range: ${range}\r\n`);
    expect([statusOf(response), response.body]).toEqual([206, body]);
    expect(value(response, "content-range")).toBe(`bytes ${sent}/20`);
    expect([value(response, "etag"), value(response, "last-modified")]).toEqual([etag, MODIFIED]);
  });

  test.each(["bytes=20-", "bytes=-0", "bytes=30-40,50-"])("%s is 416 and has the length", async (range) => {
    const response = await site.ask("/text.txt", `Range: ${range}\r\n`);
    expect([statusOf(response), value(response, "content-range")]).toEqual([416, "bytes */20"]);
  });

  test.each(["bytes=3-2", "bytes=x", "lines=1-2", "bytes=0-,0-"])("%s gets the whole file", async (range) => {
    const response = await site.ask("/text.txt", `Range: ${range}\r\n`);
    expect([statusOf(response), response.body, valuesOf(response, "content-range")]).toEqual([200, TEXT, []]);
  });

  test("several ranges come as multipart/byteranges with the right length", async () => {
    const response = await site.ask("/text.txt", "Range: bytes=0-1,5-6,-2\r\n");
    expect(statusOf(response)).toBe(206);
    expect(valuesOf(response, "content-range")).toEqual([]);
    const boundary = /^multipart\/byteranges; boundary=([0-9a-f]{32})$/.exec(value(response, "content-type"))?.[1];
    const part = (range: string, bytes: string): string =>
      `--${boundary}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes ${range}/20\r\n\r\n${bytes}\r\n`;
    expect(response.body).toBe(`${part("0-1", "01")}${part("5-6", "56")}${part("18-19", "ij")}--${boundary}--\r\n`);
    expect(value(response, "content-length")).toBe(String(response.body.length));
  });

  test("several ranges of a large file have its bytes", async () => {
    const response = await site.ask("/large.bin", "Range: bytes=0-99999,150000-249999\r\n");
    const bytes = pattern(300_000);
    const parts = response.body.split(/\r\n\r\n/);
    expect(statusOf(response)).toBe(206);
    expect(response.body).toContain(bytes.subarray(0, 100_000).toString("latin1"));
    expect(response.body).toContain(bytes.subarray(150_000, 250_000).toString("latin1"));
    expect(parts.length).toBeGreaterThan(2);
  });

  test("a range of a large file has its bytes", async () => {
    const response = await site.ask("/large.bin", "Range: bytes=12345-234567\r\n");
    expect(statusOf(response)).toBe(206);
    expect(Buffer.from(response.body, "latin1").equals(pattern(300_000).subarray(12_345, 234_568))).toBe(true);
  });

  test("an empty file has no range", async () => {
    expect(statusOf(await site.ask("/empty.txt", "Range: bytes=0-\r\n"))).toBe(416);
  });

  test("HEAD ignores ranges (RFC 9110 §14.2)", async () => {
    const response = await site.ask("/text.txt", "Range: bytes=0-1\r\n", "HEAD");
    expect([statusOf(response), value(response, "content-length")]).toEqual([200, "20"]);
  });

  test("If-Range decides between the range and the whole", async () => {
    for (const [condition, status] of [
      [etag, 206],
      [MODIFIED, 206],
      ['"other"', 200],
      [`W/${etag}`, 200],
      [EARLIER, 200],
    ] as const) {
      const response = await site.ask("/text.txt", `Range: bytes=0-1\r\nIf-Range: ${condition}\r\n`);
      expect([condition, statusOf(response)]).toEqual([condition, status]);
    }
  });
});

describe("conditions", () => {
  test("are evaluated in the order of RFC 9110 §13.2.2", async () => {
    for (const [fields, status] of [
      [`If-None-Match: ${etag}`, 304],
      [`If-None-Match: W/${etag}`, 304],
      ['If-None-Match: "x"', 200],
      [`If-Modified-Since: ${MODIFIED}`, 304],
      [`If-Modified-Since: ${EARLIER}`, 200],
      [`If-Match: ${etag}`, 200],
      ['If-Match: "x"', 412],
      [`If-Unmodified-Since: ${EARLIER}`, 412],
      [`If-Match: "x"\r\nIf-None-Match: ${etag}`, 412],
      [`If-None-Match: ${etag}\r\nRange: bytes=0-1`, 304],
      [`If-Match: ${etag}\r\nRange: bytes=0-1`, 206],
      ['If-Match: "x"\r\nRange: bytes=99-', 412],
    ] as const) {
      const response = await site.ask("/text.txt", `${fields}\r\n`);
      expect([fields, statusOf(response)]).toEqual([fields, status]);
    }
  });

  test("a 304 has the validators and no body, for GET and HEAD", async () => {
    for (const method of ["GET", "HEAD"]) {
      const response = await site.ask("/app.js", "If-None-Match: *\r\nAccept-Encoding: br\r\n", method);
      expect([statusOf(response), response.body, valuesOf(response, "content-length")]).toEqual([304, "", []]);
      expect(value(response, "etag")).toEndWith('-br"');
      expect(value(response, "vary")).toBe("Accept-Encoding");
    }
  });
});

describe("precompressed files", () => {
  test.each([
    ["gzip", "gzipped", "gzip"],
    ["br, gzip", "brotlied", "br"],
    ["gzip, br, zstd", "zstandard", "zstd"],
    ["gzip;q=1, br;q=0.5, zstd;q=0", "gzipped", "gzip"],
    ["deflate", "plain script", ""],
    ["", "plain script", ""],
    ["*;q=0", "plain script", ""],
  ])("Accept-Encoding %p gets %s", async (accept, body, coding) => {
    const response = await site.ask("/app.js", accept === "" ? "" : `Accept-Encoding: ${accept}\r\n`);
    expect([response.body, value(response, "content-encoding")]).toEqual([body, coding]);
    expect(value(response, "content-type")).toBe("text/javascript; charset=utf-8");
    expect(value(response, "vary")).toBe("Accept-Encoding");
    expect(value(response, "content-length")).toBe(String(body.length));
  });

  test("each have their own tag", async () => {
    const tags = await Promise.all(
      ["", "gzip", "br", "zstd"].map(async (accept) =>
        value(await site.ask("/app.js", `Accept-Encoding: ${accept}\r\n`), "etag"),
      ),
    );
    expect(new Set(tags).size).toBe(4);
  });

  test("are used if they exist, for ranges too", async () => {
    const response = await site.ask("/half.css", "Accept-Encoding: br, gzip\r\nRange: bytes=0-3\r\n");
    expect([statusOf(response), response.body, value(response, "content-encoding")]).toEqual([206, "gzip", "gzip"]);
  });

  test("are also served under their own names", async () => {
    const response = await site.ask("/app.js.gz", "Accept-Encoding: gzip\r\n");
    expect([response.body, value(response, "content-type")]).toEqual(["gzipped", "application/gzip"]);
    expect(valuesOf(response, "content-encoding")).toEqual([]);
  });
});

test("pipelined requests get their responses in order, also with large files", async () => {
  const paths = ["/text.txt", "/large.bin", "/empty.txt", "/absent", "/text.txt"];
  const client = await RawClient.open(site.gateway.port);
  client.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`).join(""));
  const lengths: number[] = [];
  for (const _ of paths) lengths.push((await client.response()).body.length);
  client.destroy();
  expect(lengths.toSpliced(3, 1)).toEqual([20, 300_000, 0, 20]);
});

test("the tag depends on the time and length of the file, and not on its inode", async () => {
  const copy = site.write("copy.txt", TEXT);
  const { mtime } = statSync(`${site.root}/text.txt`);
  utimesSync(copy, mtime, mtime);
  expect(value(await site.ask("/copy.txt"), "etag")).toBe(etag);
});
