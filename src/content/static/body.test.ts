import { afterAll, beforeAll, describe, expect, mock, setDefaultTimeout, test } from "bun:test";
import { heapStats } from "bun:jsc";
import zlib from "node:zlib";
import { type FetchedDocument } from "../page/page.ts";
import { detailOf, loadDocument, noise, textOf } from "../testing/load-document.ts";
import { type RawResponse, RawServer, response } from "../testing/raw-server.ts";
import { Body, MAX_DOCUMENT_BYTES } from "./body.ts";
import { patient } from "../../lib/testing/patience.ts";

// A busy machine is slow.
setDefaultTimeout(patient(60_000));

let server: RawServer;

beforeAll(async () => {
  server = await RawServer.start();
});

afterAll(() => server.stop());

const load = (path: string): Promise<FetchedDocument> => loadDocument(`http://127.0.0.1:${server.port}${path}`);

const sends = (bytes: string | Uint8Array): RawResponse => {
  return (socket) => socket.write(bytes);
};

const BROKE_OFF = "page-failed: Cannot load the page: its server closed the connection before the end";
const BOMB = "page-failed: Cannot load the page: its content coding hides more than 250 times its length";
const TOO_LONG = `page-failed: Cannot load the page: it has more than ${MAX_DOCUMENT_BYTES} bytes`;
/** The error depends on the part of the body that has come by then. */
const BOMB_OR_TOO_LONG = new RegExp(`^(?:${BOMB}|${TOO_LONG})$`);

const TEXT = "<p>The toll is paid at the gate, by whoever comes through it.</p>\n".repeat(200);
const { zstdCompressSync } = zlib as unknown as { zstdCompressSync: (bytes: Uint8Array) => Buffer }; // Older types.
const FAST = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };
const CODED: readonly (readonly [name: string, code: (bytes: Uint8Array) => Uint8Array])[] = [
  ["gzip", (bytes) => zlib.gzipSync(bytes)],
  ["x-gzip", (bytes) => zlib.gzipSync(bytes)],
  ["br", (bytes) => zlib.brotliCompressSync(bytes, FAST)],
  ["zstd", (bytes) => zstdCompressSync(bytes)],
  ["deflate", (bytes) => zlib.deflateSync(bytes)],
  ["deflate", (bytes) => zlib.deflateRawSync(bytes)],
  ["gzip, br", (bytes) => zlib.brotliCompressSync(zlib.gzipSync(bytes), FAST)],
];

const LONG = noise(1_500_000);

/** The number of byte arrays that are in use. */
function byteArrays(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts["Uint8Array"] ?? 0;
}

test("a body that arrives byte by byte is kept in few objects", async () => {
  const onError = mock(() => {});
  const body = new Body([], { length: undefined, most: MAX_DOCUMENT_BYTES }, () => {}, onError);
  const before = byteArrays();
  const bytes = Buffer.from(TEXT);
  for (let at = 0; at < bytes.length; at++) body.write(bytes.subarray(at, at + 1));
  expect(byteArrays() - before).toBeLessThan(1000);
  expect(Buffer.from(await body.finish(false)).toString()).toBe(TEXT);
  expect(onError).not.toHaveBeenCalled();
});

describe("a content coding", () => {
  test.each(CODED)("%s is undone, of short bodies and long ones", async (name, code) => {
    const fields = `Content-Encoding: ${name}\r\n`;
    server.responses = {
      "/short": sends(response(code(Buffer.from(TEXT)), fields)),
      "/long": sends(response(code(LONG), fields)),
    };
    const short = await load("/short");
    expect(textOf(short)).toBe(TEXT);
    expect(short.headers).toEqual([]);
    expect(Buffer.from((await load("/long")).body).equals(LONG)).toBe(true);
  });

  test.each(CODED)("%s that ends too early is distinguished from a complete one", async (name, code) => {
    const fields = `Content-Encoding: ${name}\r\n`;
    const short = code(Buffer.from(TEXT));
    const long = code(LONG);
    server.responses = {
      "/short": sends(response(short.subarray(0, short.length - 6), fields)),
      "/long": sends(response(long.subarray(0, long.length - 6), fields)),
    };
    expect(await detailOf(load("/short"))).toBe(BROKE_OFF);
    expect(await detailOf(load("/long"))).toBe(BROKE_OFF);
  });

  test.each(CODED.slice(0, 5))("damaged %s is an error", async (name) => {
    server.responses = { "/": sends(response(`\x00${TEXT}`, `Content-Encoding: ${name}\r\n`)) };
    expect(await detailOf(load("/"))).toBe("page-failed: Cannot load the page: its compressed content is broken");
  });

  test.each(CODED)("%s cannot be a bomb", async (name, code) => {
    const fields = `Content-Encoding: ${name}\r\n`;
    const zeros = Buffer.alloc(MAX_DOCUMENT_BYTES + 1);
    const coded = code(zeros);
    server.responses = { "/": sends(response(coded, fields)) };
    expect(await detailOf(load("/"))).toBe(BOMB);
  });

  test("that hides a gigabyte ends as soon as the size is known", async () => {
    const piece = zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024));
    server.responses = {
      "/": (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
        // The connection never ends: the error must come without its end.
        for (let n = 0; n < 16; n += 1) socket.write(piece);
      },
    };
    expect(await detailOf(load("/"))).toMatch(BOMB_OR_TOO_LONG);
  });

  test.each(["rot13", "gzip, gzip, gzip"])("with the unknown name %s is an error", async (coding) => {
    server.responses = { "/": sends(response("x", `Content-Encoding: ${coding}\r\n`)) };
    expect(await detailOf(load("/"))).toStartWith("page-failed: Cannot load the page: it");
  });
});
