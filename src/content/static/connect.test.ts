import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { DeafPort } from "../../../test/proxy/testing/deaf-port.ts";
import { attempts } from "../../../test/support/swallower.ts";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { type EgressOptions } from "../egress/guard.ts";
import { RawServer, response } from "../testing/raw-server.ts";
import { pageRequestOf, visiting } from "../testing/visit.ts";
import { contextOf } from "./connect.ts";
import { fetchDocument } from "./fetch-document.ts";
import { patient } from "../../lib/testing/patience.ts";

// A busy machine is slow.
setDefaultTimeout(patient(60_000));

const CA = makeCertificate({ subject: [["CN", "Test CA"]], isCa: true });
const TRUST = contextOf([CA.cert]);

let secure: RawServer;
let expired: RawServer;
let own: RawServer;
let plain: RawServer;

const fine = { "/": (socket: { end(bytes: Uint8Array): unknown }) => void socket.end(response("secret")) };

beforeAll(async () => {
  secure = await RawServer.start(makeCertificate({ hostnames: ["page.test", "127.0.0.1"], issuer: CA }));
  expired = await RawServer.start(makeCertificate({ hostnames: ["page.test"], issuer: CA, from: -10, to: -1 }));
  own = await RawServer.start(makeCertificate({ hostnames: ["page.test"] }));
  plain = await RawServer.start();
  for (const server of [secure, expired, own, plain]) server.responses = fine;
});

afterAll(async () => {
  await Promise.all([secure, expired, own, plain].map((server) => server.stop()));
});

/** The result of a fetch: the text of the document, or the error. */
async function outcomeOf(
  url: string,
  addresses: readonly string[] = ["127.0.0.1"],
  timeoutMs = 10_000,
): Promise<string> {
  const egress: EgressOptions = {
    policy: { allowsAddress: (address) => address !== "10.0.0.1", allowsPort: () => true },
    resolve: async () => addresses,
  };
  const trust = TRUST;
  const request = pageRequestOf(url, { timeoutMs });
  try {
    const { body } = await visiting(request, (visit) => fetchDocument(visit, { trust }), egress);
    return Buffer.from(body).toString();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe("over TLS", () => {
  test("a server is verified for the requested name, or for its address", async () => {
    expect(await outcomeOf(`https://page.test:${secure.port}/`)).toBe("secret");
    expect(await outcomeOf(`https://127.0.0.1:${secure.port}/`)).toBe("secret");
    expect(secure.requests[0]?.head).toContain(`\r\nHost: page.test:${secure.port}\r\n`);
    expect(secure.requests[0]?.head).toContain("\r\nSec-Fetch-Mode: navigate\r\n");
  });

  test.each([
    ["for another name", () => `https://other.test:${secure.port}/`, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["that has expired", () => `https://page.test:${expired.port}/`, "CERT_HAS_EXPIRED"],
    ["without a known issuer", () => `https://page.test:${own.port}/`, "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ])("a certificate %s is rejected, whatever the environment says", async (_what, url, code) => {
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    const outcome = await outcomeOf(url());
    if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    expect(outcome).toBe(`Cannot load the page: its certificate is not valid (${code})`);
  });

  test("a server without TLS is reported", async () => {
    const server = createServer((socket) => socket.once("data", () => socket.end("HTTP/1.0 400 Bad Request\r\n\r\n")));
    const port = await listenOnLoopback(server);
    expect(await outcomeOf(`https://page.test:${port}/`)).toStartWith(
      "Cannot load the page: TLS with its server fails",
    );
    server.close();
  });
});

describe("of several addresses", () => {
  test("the next one is tried if one refuses, or does not respond", async () => {
    const url = `http://page.test:${plain.port}/`;
    expect(await outcomeOf(url, ["127.0.0.9", "::1", "127.0.0.1"])).toBe("secret");
    const deaf = new DeafPort();
    await deaf.full();
    const before = attempts(deaf.port);
    const other = await RawServer.start(undefined, { host: "127.0.0.2", port: deaf.port });
    other.responses = fine;
    expect(await outcomeOf(`http://page.test:${deaf.port}/`, ["127.0.0.1", "127.0.0.2"])).toBe("secret");
    // The attempts that lost are closed without a wait.
    while (attempts(deaf.port) > before) await Bun.sleep(1);
    await other.stop();
    deaf.close();
  });

  test("no connection is made if one of them is not permitted", async () => {
    const before = plain.connections;
    const outcome = await outcomeOf(`http://page.test:${plain.port}/`, ["127.0.0.1", "10.0.0.1"]);
    expect(outcome).toStartWith("Cannot load the page: its address is not on the public Internet");
    expect(plain.connections).toBe(before);
  });

  test.each([
    ["a private address", () => "http://10.0.0.1/"],
    ["a name with one", () => `http://inside.test:${plain.port}/`],
    ["a port that is not permitted", () => `http://page.test:${expired.port}/`],
  ])("no connection is made after a redirect to %s", async (_what, target) => {
    const before = expired.connections;
    plain.responses = {
      ...plain.responses,
      "/redirect": (socket) => socket.write(`HTTP/1.1 302 Found\r\nLocation: ${target()}\r\nContent-Length: 0\r\n\r\n`),
    };
    const egress: EgressOptions = {
      policy: { allowsAddress: (address) => address === "127.0.0.1", allowsPort: (port) => port === plain.port },
      resolve: async (host) => (host === "page.test" ? ["127.0.0.1"] : ["10.0.0.1"]),
    };
    const request = pageRequestOf(`http://page.test:${plain.port}/redirect`);
    const failure = await visiting(request, (visit) => fetchDocument(visit), egress).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "address-refused" });
    expect(expired.connections).toBe(before);
  });

  test("the first addresses remain, however the name changes", async () => {
    let asked = 0;
    plain.responses = {
      ...plain.responses,
      "/again": (socket) => socket.end("HTTP/1.1 302 Found\r\nLocation: /\r\nConnection: close\r\n\r\n"),
    };
    const egress: EgressOptions = {
      policy: { allowsAddress: () => true, allowsPort: () => true },
      resolve: async () => (asked++ === 0 ? ["127.0.0.1"] : ["10.0.0.1"]),
    };
    const request = pageRequestOf(`http://page.test:${plain.port}/again`);
    const { body } = await visiting(request, (visit) => fetchDocument(visit), egress);
    expect([Buffer.from(body).toString(), asked]).toEqual(["secret", 1]);
  });

  test("if all refuse, the server does not accept connections", async () => {
    expect(await outcomeOf("http://page.test:1/", ["127.0.0.1", "127.0.0.2"])).toBe(
      "Cannot load the page: its server does not accept connections",
    );
  });

  test("an attempt ends with the visit", async () => {
    const deaf = new DeafPort();
    await deaf.full();
    const before = attempts(deaf.port);
    expect(await outcomeOf(`http://page.test:${deaf.port}/`, ["127.0.0.1"], 100)).toMatch(
      /loading the page within 0 s$/,
    );
    while (attempts(deaf.port) > before) await Bun.sleep(1);
    deaf.close();
  });
});
