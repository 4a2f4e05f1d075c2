/** Servers over TLS: which ones the gateway trusts, and connections that end without TLS's close_notify. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { connect, createServer as createNetServer, type Server, type Socket } from "node:net";
import { createServer } from "node:tls";
import { listenOnLoopback } from "../../src/lib/testing/listen.ts";
import { type Certificate, LOCALHOST, makeCertificate, TEST_CA } from "../support/certificates.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { Folder } from "../support/program.ts";
import { once, RawClient } from "../support/raw-client.ts";

const folder = new Folder();
const servers: Server[] = [];
const clients: RawClient[] = [];
let gateway: Gateway;
let cut: () => void;

function listening(server: Server): Promise<number> {
  servers.push(server);
  return listenOnLoopback(server);
}

/** Responses whose body ends with the connection; for `/cut` the end never arrives. */
function serve({ cert, key }: Certificate): Promise<number> {
  const server = createServer({ cert, key }, (socket) => {
    socket.on("error", () => {});
    socket.once("data", (head: Buffer) => {
      socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it");
      if (!head.includes("GET /cut")) socket.end();
    });
  });
  server.on("tlsClientError", () => {});
  return listening(server);
}

/** Like `serve`, for clients with a certificate of the test's CA; the response has their names. */
function serveKnown({ cert, key }: Certificate): Promise<number> {
  const known = { requestCert: true, rejectUnauthorized: true, ca: TEST_CA.cert };
  const server = createServer({ cert, key, ...known }, (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${socket.getPeerCertificate().subject.CN}`);
    });
  });
  server.on("tlsClientError", () => {});
  return listening(server);
}

/** Forwards bytes; `cut` ends the connections to the gateway with a FIN only. */
async function relay(target: number): Promise<{ port: number; cut: () => void }> {
  const open = new Set<Socket>();
  const port = await listening(
    createNetServer((socket) => {
      const upstream = connect(target, "127.0.0.1");
      for (const one of [socket, upstream]) one.on("error", () => {});
      open.add(socket);
      socket.pipe(upstream);
      upstream.pipe(socket);
      socket.once("close", () => upstream.destroy());
    }),
  );
  return { port, cut: () => [...open].forEach((socket) => socket.end()) };
}

/** Speaks only HTTP/1.1, and knows nothing of ALPN. Counts the bytes of requests that it received. */
async function serveOld({ cert, key }: Certificate): Promise<number> {
  const server = createServer({ cert, key }, (socket) => {
    socket.on("error", () => {});
    socket.on("data", ({ length }: Buffer) => (oldBytes += length));
  });
  return await listening(server);
}

let oldBytes = 0;

const ALLOWED = ["allowed-host", "allowed-uri", "allowed-address"];
const FORBIDDEN = ["host", "uri", "name", "spoofed", "signer"].map((why) => `forbidden-${why}`);

function allowing(...names: string[]): object {
  return { tls_subject_alt_names: names, tls_sni: "any.test" };
}

beforeAll(async () => {
  const ca = folder.write("ca.pem", TEST_CA.cert);
  const relayed = await relay(await serve(LOCALHOST));
  const trusted = relayed.port;
  cut = () => relayed.cut();
  const strange = await serve(makeCertificate({ hostnames: ["127.0.0.1"] }));
  const over = (name: string, port: number, rest: object = {}): object => ({
    name,
    tls: true,
    tls_ca_path: ca,
    servers: [serverAt(port)],
    ...rest,
  });
  const client = makeCertificate({ issuer: TEST_CA, hostnames: ["gateway.test"] });
  const known = await serveKnown(LOCALHOST);
  const shown = {
    tls_cert_path: folder.write("client.pem", client.cert),
    tls_key_path: folder.write("client.key", client.key),
  };
  const spiffe = await serve(
    makeCertificate({ issuer: TEST_CA, hostnames: ["*.pod.test", "spiffe://cluster.test/ns/shop"] }),
  );
  const spoofed = await serve(
    makeCertificate({ issuer: TEST_CA, hostnames: ["a.test, URI:spiffe://cluster.test/ns/shop"] }),
  );
  gateway = await startGateway({
    upstreams: [
      over("known", known, shown),
      over("unknown", known),
      over("allowed-host", spiffe, allowing("other.test", "one.pod.test")),
      over("allowed-uri", spiffe, allowing("spiffe://cluster.test/ns/shop")),
      over("allowed-address", trusted, allowing("127.0.0.1")),
      over("forbidden-host", spiffe, allowing("pod.test", "two.one.pod.test")),
      over("forbidden-uri", spiffe, allowing("spiffe://cluster.test/ns/shop2")),
      over("forbidden-name", trusted, { tls_subject_alt_names: ["other.test"], tls_sni: "localhost" }),
      over("forbidden-spoofed", spoofed, allowing("spiffe://cluster.test/ns/shop")),
      over("forbidden-signer", strange, allowing("127.0.0.1")),
      over("trusted", trusted),
      over("named", trusted, { tls_sni: "localhost" }),
      over("misnamed", trusted, { tls_sni: "other.test" }),
      over("strange", strange),
      over("unverified", strange, { tls_verify: false }),
      over("old", await serveOld(LOCALHOST), { protocol: "h2" }),
    ],
    routes: [
      "trusted",
      "named",
      "misnamed",
      "strange",
      "unverified",
      "known",
      "unknown",
      "old",
      ...ALLOWED,
      ...FORBIDDEN,
    ].map((name) => ({
      host: `${name}.test`,
      path_prefix: "/",
      upstream: name,
    })),
  });
});

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
});

afterAll(async () => {
  await gateway.stop();
  for (const server of servers) server.close();
  folder.remove();
});

for (const name of ["trusted", "named", "unverified", ...ALLOWED]) {
  test(`a server with a valid certificate is used: ${name}`, async () => {
    const response = await once(gateway.port, `GET /whole HTTP/1.1\r\nHost: ${name}.test\r\n\r\n`);
    expect([statusOf(response), response.body]).toEqual([200, "all of it"]);
  });
}

for (const name of ["misnamed", "strange", ...FORBIDDEN]) {
  test(`a server with an invalid certificate is not used, and no client learns its address: ${name}`, async () => {
    const response = await once(gateway.port, `GET /whole HTTP/1.1\r\nHost: ${name}.test\r\n\r\n`);
    expect(statusOf(response)).toBe(502);
    expect(JSON.stringify(response)).not.toContain("127.0.0.1");
  });
}

test("a connection that was verified for one list of names is not reused for another", async () => {
  for (const [name, status] of [
    ["allowed-uri", 200],
    ["forbidden-uri", 502],
    ["allowed-host", 200],
  ] as const) {
    for (let i = 0; i < 2; i++) {
      const response = await once(gateway.port, `GET /whole HTTP/1.1\r\nHost: ${name}.test\r\n\r\n`);
      expect([name, statusOf(response)]).toEqual([name, status]);
    }
  }
});

test("a server that does not agree on HTTP/2 by ALPN gets no request of an upstream with that protocol", async () => {
  expect(statusOf(await once(gateway.port, "GET / HTTP/1.1\r\nHost: old.test\r\n\r\n"))).toBe(502);
  expect(oldBytes).toBe(0);
});

test("the log has the reason why a server is not reached", async () => {
  const output = (): string => gateway.output();
  await once(gateway.port, "GET / HTTP/1.1\r\nHost: forbidden-name.test\r\n\r\n");
  await once(gateway.port, "GET / HTTP/1.1\r\nHost: forbidden-signer.test\r\n\r\n");
  expect(output()).toMatch(/of upstream "forbidden-name" over TLS: its certificate is for other names/);
  expect(output()).toMatch(/of upstream "forbidden-signer" over TLS: its certificate is not trusted \(DEPTH_ZERO_SELF/);
});

test("a server that requires a client certificate gets the upstream's, and refuses connections without one", async () => {
  const response = await once(gateway.port, "GET / HTTP/1.1\r\nHost: known.test\r\n\r\n");
  expect([statusOf(response), response.body]).toEqual([200, "gateway.test"]);
  expect(statusOf(await once(gateway.port, "GET / HTTP/1.1\r\nHost: unknown.test\r\n\r\n"))).toBe(502);
});

test("a body that ends with the connection is incomplete without TLS close_notify", async () => {
  for (const path of ["/whole", "/cut"]) {
    const client = await RawClient.open(gateway.port);
    clients.push(client);
    client.send(`GET ${path} HTTP/1.1\r\nHost: trusted.test\r\nConnection: close\r\n\r\n`);
    await client.sees("all of it");
    if (path === "/cut") cut();
    await client.closed();
    expect([path, client.received.endsWith("\r\n0\r\n\r\n")]).toEqual([path, path === "/whole"]);
  }
});
