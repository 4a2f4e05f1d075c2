/** Compression combined with payment, the cache, retries and static files. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import zlib, { gzipSync } from "node:zlib";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type ProtocolGateway, type Reply, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

let origin: RawOrigin;
/** An origin that fails each request. */
let broken: RawOrigin;
let gateway: ProtocolGateway;
let files: Folder;
let state: Folder;

const PAGE = "a page of the site ".repeat(200);

function route(path_prefix: string, more: object): object {
  return { path_prefix, upstream: "origin", ...more };
}

beforeAll(async () => {
  [origin, broken] = await Promise.all([RawOrigin.start(), RawOrigin.start()]);
  files = new Folder();
  state = new Folder();
  files.write("page.txt", PAGE);
  files.write("kept.txt", PAGE);
  writeFileSync(files.file("kept.txt.gz"), gzipSync(PAGE, { level: 9 }));
  gateway = await startProtocols({
    server: { static_root: files.path },
    state_path: state.path,
    x402: { enabled: true, test_mode: true },
    compression: { min_bytes: 100 },
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port)] },
      { name: "shaky", servers: [{ ...serverAt(broken.port), max_fails: 1000 }, serverAt(origin.port)] },
    ],
    routes: [
      route("/after/", { x402: { ...TERMS, max_repeats: 10 } }),
      route("/before/", { x402: { ...TERMS, max_repeats: 10, settle: "before" } }),
      route("/cached/", { cache: { ttl_s: 60, max_entries: 10 } }),
      route("/shaky/", { upstream: "shaky" }),
      route("/all/", {}),
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all([origin.stop(), broken.stop()]);
  files.remove();
  state.remove();
});

beforeEach(() => {
  origin.reset();
  broken.response = (_, connection) => connection.reset();
});

// The types are those of an older Node.
const { zstdDecompressSync } = zlib as unknown as { zstdDecompressSync: (bytes: Uint8Array) => Buffer };

function plainOf(reply: Reply): string {
  const coding = reply.header("content-encoding");
  if (coding === "gzip") return zlib.gunzipSync(reply.body).toString();
  if (coding === "br") return zlib.brotliDecompressSync(reply.body).toString();
  return coding === "zstd" ? zstdDecompressSync(reply.body).toString() : reply.text;
}

/** Makes the origin respond with this. */
function sells(body: string, fields = ""): void {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: "1"\r\n${fields}Content-Length: ${body.length}\r\n\r\n`;
  origin.response = (request, connection) =>
    connection.send(request.startLine.startsWith("HEAD ") ? head : head + body);
}

const SHORT = JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ id })));
/** Longer than the part that is buffered in memory until settlement. */
const LONG = createHash("shake128", { outputLength: 1_000_000 }).update("x").digest("hex");

/** A payment on a route with `settle: "before"`. */
function upfront(): string {
  const payment = signedPayment(Date.now() / 1000);
  const extra = { ...payment.accepted.extra, paymentFlow: "upfront" };
  return encodeHeader({ ...payment, accepted: { ...payment.accepted, extra } });
}

const paying = (coding: string, paid: string): Record<string, string> => ({
  "payment-signature": paid,
  "accept-encoding": coding,
});

for (const protocol of PROTOCOLS) {
  for (const [settle, what, body] of [
    ["after", "a short response", SHORT],
    ["after", "a response that waits on the disk", LONG],
  ] as const) {
    test(`over ${protocol} ${what} that is paid for has the coding of each request for it`, async () => {
      sells(body);
      const paid = encodeHeader(signedPayment(Date.now() / 1000));
      const receipts = new Set<string | undefined>();
      for (const coding of ["gzip", "br", "identity", "zstd", "gzip;q=0, *;q=0"]) {
        const reply = await gateway.request(protocol, { path: `/${settle}/x`, headers: paying(coding, paid) });
        const isPlain = coding.includes("identity") || coding.includes("*");
        expect([reply.status, reply.header("content-encoding")]).toEqual([200, isPlain ? undefined : coding]);
        expect(plainOf(reply) === body).toBe(true);
        expect(reply.header("content-length")).toBe(isPlain ? String(body.length) : undefined);
        expect([reply.header("etag"), reply.header("vary")]).toEqual([isPlain ? '"1"' : 'W/"1"', "Accept-Encoding"]);
        receipts.add(reply.header("payment-response"));
      }
      expect([receipts.size, receipts.has(undefined), origin.requests.length]).toEqual([1, false, 1]);
    });
  }

  test(`over ${protocol} a response that is paid in advance is compressed as it streams`, async () => {
    sells(LONG);
    const paid = upfront();
    const reply = await gateway.request(protocol, { path: "/before/x", headers: paying("gzip", paid) });
    expect([reply.status, reply.header("content-encoding")]).toEqual([200, "gzip"]);
    expect(plainOf(reply) === LONG).toBe(true);
    expect(reply.header("payment-response")).toBeDefined();
    const again = await gateway.request(protocol, { path: "/before/x", headers: paying("br", paid) });
    expect([again.status, origin.requests.length]).toEqual([409, 1]);
  });

  test(`over ${protocol} HEAD of a priced route has the fields of GET, and its challenge has no coding`, async () => {
    sells(SHORT);
    const paid = encodeHeader(signedPayment(Date.now() / 1000));
    const asked = { method: "HEAD", path: "/after/head" };
    const reply = await gateway.request(protocol, { ...asked, headers: paying("gzip", paid) });
    expect([reply.status, reply.header("content-encoding"), reply.header("content-length")]).toEqual([
      200,
      "gzip",
      undefined,
    ]);
    expect(reply.body.length).toBe(0);
    const unpaid = await gateway.request(protocol, { path: "/after/x", headers: { "accept-encoding": "gzip" } });
    expect([unpaid.status, unpaid.header("payment-required") === undefined]).toEqual([402, false]);
    expect(plainOf(unpaid).startsWith("{")).toBe(true);
  });

  test(`over ${protocol} cached responses evaluate conditions and ranges by the clients' entity tags`, async () => {
    sells(SHORT, "Cache-Control: max-age=60\r\n");
    const path = `/cached/${protocol}`;
    const ask = (headers: Record<string, string>, method = "GET"): Promise<Reply> =>
      gateway.request(protocol, { method, path, headers });
    const first = await ask({ "accept-encoding": "gzip" });
    expect([first.header("etag"), plainOf(first)]).toEqual(['W/"1"', SHORT]);
    const second = await ask({ "accept-encoding": "br" });
    expect([second.header("content-encoding"), plainOf(second)]).toEqual(["br", SHORT]);
    expect((await ask({})).text).toBe(SHORT);
    for (const tag of ['W/"1"', '"1"', '"0", W/"1"', "*"]) {
      const unchanged = await ask({ "accept-encoding": "gzip", "if-none-match": tag });
      const weak = tag.includes("W/");
      expect([unchanged.status, unchanged.body.length]).toEqual([304, 0]);
      expect(unchanged.header("etag")).toBe(weak ? 'W/"1"' : '"1"');
      expect(unchanged.header("content-encoding")).toBeUndefined();
    }
    const changed = await ask({ "accept-encoding": "gzip", "if-none-match": 'W/"2"' });
    expect([changed.status, changed.header("content-encoding")]).toEqual([200, "gzip"]);
    const range = await ask({ "accept-encoding": "gzip", range: "bytes=0-199" });
    expect([range.status, range.header("content-encoding"), range.text]).toEqual([206, undefined, SHORT.slice(0, 200)]);
    const head = await ask({ "accept-encoding": "gzip" }, "HEAD");
    expect([head.header("content-encoding"), head.header("content-length"), head.body.length]).toEqual([
      "gzip",
      undefined,
      0,
    ]);
  });

  test(`over ${protocol} the response of a retry is compressed once`, async () => {
    sells(SHORT);
    for (let i = 0; i < 4; i++) {
      const reply = await gateway.request(protocol, { path: "/shaky/x", headers: { "accept-encoding": "gzip" } });
      expect([reply.status, reply.all("content-encoding"), reply.all("vary")]).toEqual([
        200,
        ["gzip"],
        ["Accept-Encoding"],
      ]);
      expect(plainOf(reply)).toBe(SHORT);
    }
  });

  test(`over ${protocol} files are compressed, and precompressed files are sent unchanged`, async () => {
    const headers = { "accept-encoding": "gzip" };
    const kept = await gateway.request(protocol, { path: "/kept.txt", headers });
    expect([kept.all("content-encoding"), kept.all("vary"), plainOf(kept)]).toEqual([
      ["gzip"],
      ["Accept-Encoding"],
      PAGE,
    ]);
    expect(kept.header("content-length")).toBe(String(gzipSync(PAGE, { level: 9 }).length));
    const page = await gateway.request(protocol, { path: "/page.txt", headers });
    expect([page.all("content-encoding"), page.all("vary"), plainOf(page)]).toEqual([
      ["gzip"],
      ["Accept-Encoding"],
      PAGE,
    ]);
    const tag = page.header("etag") ?? "";
    expect(tag).toStartWith("W/");
    const again = await gateway.request(protocol, { path: "/page.txt", headers: { ...headers, "if-none-match": tag } });
    expect([again.status, again.header("etag")]).toEqual([304, tag]);
    const range = await gateway.request(protocol, { path: "/page.txt", headers: { ...headers, range: "bytes=5-9" } });
    expect([range.status, range.text, range.header("content-encoding")]).toEqual([206, PAGE.slice(5, 10), undefined]);
    // RFC 9110 §13.1.5: a weak tag never gives a range, because the bytes can differ.
    const weak = await gateway.request(protocol, {
      path: "/page.txt",
      headers: { ...headers, range: "bytes=5-9", "if-range": tag },
    });
    expect([weak.status, plainOf(weak)]).toEqual([200, PAGE]);
  });

  test(`over ${protocol} a chunked response keeps its trailers, except for digests of the uncompressed bytes`, async () => {
    origin.response = (_, connection) =>
      connection.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTrailer: X-End, Repr-Digest\r\nTransfer-Encoding: chunked\r\n\r\n" +
          "4\r\nabcd\r\n0\r\nX-End: yes\r\nRepr-Digest: sha-256=:AA==:\r\n\r\n",
      );
    const headers = { "accept-encoding": "gzip", te: "trailers" };
    const reply = await gateway.request(protocol, { path: "/all/x", headers });
    expect([reply.header("content-encoding"), plainOf(reply)]).toEqual(["gzip", "abcd"]);
    expect(reply.trailers.map(([name, value]) => [name.toLowerCase(), value])).toEqual([["x-end", "yes"]]);
  });
}
