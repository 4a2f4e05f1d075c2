/** Compressed responses, as clients of each protocol get them. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import zlib from "node:zlib";
import { fractionsOf } from "../../src/lib/testing/mulberry32.ts";
import { everythingTo } from "../support/gateway.ts";
import { type OriginConnection, RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type ProtocolGateway, type Reply, startProtocols } from "./protocols.ts";

let origin: RawOrigin;
let gateway: ProtocolGateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  const { upstreams, routes } = everythingTo(origin.port);
  gateway = await startProtocols({
    upstreams,
    routes: [
      ...routes,
      at("/off", { compression: { enabled: false } }),
      at("/gzip", { compression: { encodings: ["gzip"], min_bytes: 10, types: ["image/*"] } }),
      at("/cached", { cache: { ttl_s: 60, max_entries: 10 } }),
      at("/blind", { headers: { request: { remove: ["Accept-Encoding"] } } }),
    ],
    compression: { min_bytes: 100 },
  });
});

function at(path_prefix: string, more: object): object {
  return { path_prefix, upstream: "origin", ...more };
}

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

beforeEach(() => origin.reset());

// The types are those of an older Node.
const { zstdDecompressSync } = zlib as unknown as { zstdDecompressSync: (bytes: Uint8Array) => Buffer };

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  zstd: (bytes) => zstdDecompressSync(bytes),
  br: (bytes) => zlib.brotliDecompressSync(bytes),
  gzip: (bytes) => zlib.gunzipSync(bytes),
  deflate: (bytes) => zlib.inflateSync(bytes),
};

/** The body as the origin sent it. */
function decoded(reply: Reply): string {
  const coding = reply.header("content-encoding");
  return (coding === undefined ? reply.body : (DECODERS[coding]?.(reply.body) ?? Buffer.alloc(0))).toString("latin1");
}

const BODY = JSON.stringify(Array.from({ length: 40 }, (_, id) => ({ id, name: `item ${id}` })));

/** Makes the origin respond with these field lines and a body of known length. */
function responses(fields: string, body = BODY, status = "200 OK"): void {
  origin.response = (request, connection) => {
    const head = `HTTP/1.1 ${status}\r\n${fields}Content-Length: ${body.length}\r\n\r\n`;
    connection.send(request.startLine.startsWith("HEAD ") ? head : head + body);
  };
}

const JSON_TYPE = "Content-Type: application/json\r\n";

for (const protocol of PROTOCOLS) {
  for (const coding of Object.keys(DECODERS)) {
    test(`a body of known length arrives complete in ${coding} over ${protocol}`, async () => {
      responses(`${JSON_TYPE}ETag: "a"\r\nAccept-Ranges: bytes\r\nContent-MD5: x\r\nRepr-Digest: sha-256=:AA==:\r\n`);
      const reply = await gateway.request(protocol, { headers: { "accept-encoding": coding } });
      expect(decoded(reply)).toBe(BODY);
      expect(reply.body.length).toBeLessThan(BODY.length / 2);
      const names = [
        "content-encoding",
        "vary",
        "etag",
        "content-length",
        "accept-ranges",
        "content-md5",
        "repr-digest",
      ];
      expect(names.map((name) => reply.header(name))).toEqual([
        coding,
        "Accept-Encoding",
        'W/"a"',
        ...Array(4).fill(undefined),
      ]);
    });

    test(`a body in pieces of any size arrives complete in ${coding} over ${protocol}`, async () => {
      const random = fractionsOf(coding.length * 31 + protocol.length);
      for (let round = 0; round < 4; round++) {
        const { pieces, whole } = someBody(random);
        origin.response = (_, connection) => void sendPieces(connection, pieces, random);
        const reply = await gateway.request(protocol, { headers: { "accept-encoding": coding } });
        expect(reply.header("content-encoding")).toBe(coding);
        expect(decoded(reply) === whole).toBe(true);
        expect(reply.trailers.map(([name, value]) => [name.toLowerCase(), value])).toEqual([["x-t", "t"]]);
      }
    });
  }

  test(`HEAD has the fields of GET over ${protocol}`, async () => {
    responses(`${JSON_TYPE}ETag: "a"\r\n`);
    const reply = await gateway.request(protocol, { method: "HEAD", headers: { "accept-encoding": "gzip" } });
    const names = ["content-encoding", "vary", "etag", "content-length"];
    expect(names.map((name) => reply.header(name))).toEqual(["gzip", "Accept-Encoding", 'W/"a"', undefined]);
    expect(reply.body.length).toBe(0);
  });

  test(`responses that must not be compressed pass unchanged over ${protocol}`, async () => {
    const rows: readonly (readonly [fields: string, status?: string, vary?: string])[] = [
      [`${JSON_TYPE}Content-Encoding: br\r\n`],
      [`${JSON_TYPE}Content-Encoding: x-own\r\n`],
      [`${JSON_TYPE}Content-Range: bytes 0-9/900\r\n`, "206 Partial Content", "Accept-Encoding"],
      [`${JSON_TYPE}Cache-Control: public, No-Transform\r\n`],
      ["Content-Type: image/png\r\n"],
      ["Content-Type: application/grpc-web+json\r\n"],
      ["X-No-Type: 1\r\n"],
    ];
    for (const [fields, status, vary] of rows) {
      responses(`${fields}ETag: "a"\r\n`, BODY, status);
      const reply = await gateway.request(protocol, { headers: { "accept-encoding": "gzip" } });
      expect([fields, reply.text, reply.header("etag"), reply.header("vary")]).toEqual([fields, BODY, '"a"', vary]);
      expect(reply.header("content-length")).toBe(String(BODY.length));
    }
  });
}

async function sendPieces(
  connection: OriginConnection,
  pieces: readonly string[],
  random: () => number,
): Promise<void> {
  connection.send(`HTTP/1.1 200 OK\r\n${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`);
  for (const piece of pieces) {
    connection.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    if (random() < 0.5) await new Promise(setImmediate);
  }
  connection.send("0\r\nX-T: t\r\nContent-Digest: sha-256=:AA==:\r\n\r\n");
}

/** Text and noise, cut at random places: up to about 300 kB. */
function someBody(random: () => number): { pieces: string[]; whole: string } {
  const pieces: string[] = [];
  const count = 1 + Math.floor(random() * 12);
  for (let i = 0; i < count; i++) {
    const length = 1 + Math.floor(random() ** 3 * 60_000);
    const isNoise = random() < 0.5;
    let piece = "";
    while (piece.length < length)
      piece += isNoise ? String.fromCharCode(random() * 256) : "some text, again and again. ";
    pieces.push(piece.slice(0, length));
  }
  return { pieces, whole: pieces.join("") };
}

test("a client that does not accept compression gets uncompressed bytes, and Vary", async () => {
  const asks: readonly Readonly<Record<string, string>>[] = [
    {},
    { "accept-encoding": "identity" },
    { "accept-encoding": "gzip;q=0" },
    { "accept-encoding": "gzip", "cache-control": "no-transform" },
  ];
  for (const headers of asks) {
    responses(`${JSON_TYPE}Vary: Origin\r\nETag: "a"\r\n`);
    const reply = await gateway.plain({ headers });
    expect([reply.text, reply.header("vary"), reply.header("etag")]).toEqual([BODY, "Origin, Accept-Encoding", '"a"']);
  }
});

test("Vary is not added twice", async () => {
  for (const vary of ["accept-encoding", "Origin, Accept-Encoding", "*"]) {
    responses(`${JSON_TYPE}Vary: ${vary}\r\n`);
    expect((await gateway.plain({ headers: { "accept-encoding": "br" } })).all("vary")).toEqual([vary]);
  }
});

test("short responses are not compressed, and a route can have its own rules", async () => {
  const headers = { "accept-encoding": "zstd, gzip" };
  responses(JSON_TYPE, "x".repeat(99));
  expect((await gateway.plain({ headers })).header("vary")).toBeUndefined();
  responses(JSON_TYPE, "x".repeat(100));
  expect((await gateway.plain({ headers })).header("content-encoding")).toBe("zstd");
  expect((await gateway.plain({ path: "/off", headers })).header("content-encoding")).toBeUndefined();
  expect((await gateway.plain({ path: "/gzip", headers })).header("content-encoding")).toBeUndefined();
  responses("Content-Type: image/bmp\r\n", "x".repeat(10));
  expect((await gateway.plain({ path: "/gzip", headers })).header("content-encoding")).toBe("gzip");
});

test("responses without a body do not change", async () => {
  for (const status of ["204 No Content", "304 Not Modified"]) {
    origin.response = (_, connection) => connection.send(`HTTP/1.1 ${status}\r\n${JSON_TYPE}ETag: "a"\r\n\r\n`);
    const reply = await gateway.plain({ headers: { "accept-encoding": "gzip" } });
    expect([reply.header("content-encoding"), reply.header("etag")]).toEqual([undefined, '"a"']);
  }
});

test("a client's weak tag of the gateway matches at an upstream that knows only the strong one", async () => {
  origin.response = (request, connection) => {
    const asked = request.fields.find(([name]) => name === "if-none-match")?.[1] ?? "";
    const status = asked.split(", ").includes('"a"') ? "304 Not Modified" : "500 Wrong";
    connection.send(`HTTP/1.1 ${status}\r\n${JSON_TYPE}ETag: "a"\r\n\r\n`);
  };
  const reply = await gateway.plain({ headers: { "accept-encoding": "gzip", "if-none-match": 'W/"a"' } });
  expect([reply.status, reply.header("etag"), reply.header("vary")]).toEqual([304, 'W/"a"', "Accept-Encoding"]);
});

test("if the upstream must not receive Accept-Encoding, the client still gets a compressed response", async () => {
  responses(JSON_TYPE);
  const reply = await gateway.plain({ path: "/blind", headers: { "accept-encoding": "gzip" } });
  expect(reply.header("content-encoding")).toBe("gzip");
  expect(origin.requests[0]?.fields.some(([name]) => name === "accept-encoding")).toBe(false);
});

test("the cache stores uncompressed bytes for each Accept-Encoding, and compresses them", async () => {
  responses(`${JSON_TYPE}Cache-Control: max-age=60\r\nETag: "a"\r\n`);
  for (const coding of ["gzip", "gzip", "br", "br"]) {
    const reply = await gateway.plain({ path: "/cached", headers: { "accept-encoding": coding } });
    expect([reply.header("content-encoding"), decoded(reply) === BODY]).toEqual([coding, true]);
  }
  expect(origin.requests.length).toBe(2);
  const headers = { "accept-encoding": "gzip", "if-none-match": 'W/"a"' };
  expect((await gateway.plain({ path: "/cached", headers })).status).toBe(304);
});
